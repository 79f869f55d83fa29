package splitbrain

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// Only a report about the step's field shows how this server begins one.
func TestOpening(t *testing.T) {
	for message, want := range map[string]string{
		`Refused: 2 conflicts: .data.phase`:   "Refused: ",
		`x1 conflict: .data.phase`:            "x",
		`2 conflicts: .data.phase`:            usualPrefix, // an opening of nothing would be found everywhere
		`conflicts: .data.phase`:              usualPrefix,
		`Refused: 2 conflicts: .data.another`: usualPrefix,
		``:                                    usualPrefix,
	} {
		assert.Equal(t, want, opening(message), "%q", message)
	}
}

// Each manager's fields end where the next manager's begin, and the first fault is told unless a later manager is right.
func TestConflictWithThreeManagers(t *testing.T) {
	report := func(rest string) string { return "Apply failed with 3 conflicts: " + rest }
	list := func(manager, field string) string {
		return `conflicts with "` + manager + "\":\n- " + field + "\n"
	}
	for name, test := range map[string]struct{ text, want string }{
		"the last one is right":     {report(list("a", ".data.x") + list("b", ".data.y") + list("widget-operator-0", ".data.phase")), ""},
		"the middle one is right":   {report(list("a", ".data.x") + list("widget-operator-0", ".data.phase") + list("b", ".data.y")), ""},
		"field of the one after":    {report(list("widget-operator-0", ".data.x") + list("b", ".data.phase") + list("c", ".data.y")), "splitbrain.conflict-field"},
		"field of the last":         {report(list("a", ".data.x") + list("widget-operator-0", ".data.y") + list("b", ".data.phase")), "splitbrain.conflict-manager"},
		"the first fault is told":   {report(list("widget-operator-1", ".data.x") + list("b", ".data.y") + list("c", ".data.phase")), "splitbrain.b-first"},
		"none of them is the first": {report(list("a", ".data.phase") + list("b", ".data.phase") + list("widget-operator-1", ".data.phase")), "splitbrain.conflict-manager"},
	} {
		t.Run(name, func(t *testing.T) { assert.Equal(t, test.want, conflictFault(test.text, usualPrefix)) })
	}
}

// Words that are not known here must name both the manager and the field to count.
func TestSaysOtherwiseNeedsManagerAndField(t *testing.T) {
	for name, message := range map[string]string{
		"no field":        `1 field is owned by "widget-operator-0"`,
		"no manager":      `1 field is owned already: .data.phase`,
		"another manager": `1 field is owned by "kubectl" already: .data.phase`,
		"known words":     `conflict with "widget-operator-0": .data.phase`,
	} {
		t.Run(name, func(t *testing.T) { assert.False(t, saysOtherwise(message, message)) })
	}
}
