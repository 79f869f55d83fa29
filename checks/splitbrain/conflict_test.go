package splitbrain

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestConflictFault(t *testing.T) {
	const one = `error: Apply failed with 1 conflict: conflict with "widget-operator-0": .data.phase` + "\n"
	for name, test := range map[string]struct{ text, want string }{
		"as printed":                 {one, ""},
		"below other lines":          {"apply-b-rc=1\n" + one + "Please review the fields above\nfinal-phase=A\n", ""},
		"in a list":                  {"Apply failed with 2 conflicts: conflicts with \"widget-operator-0\":\n- .data.owner\n- .data.phase\n", ""},
		"of the second manager":      {"Apply failed with 2 conflicts: conflicts with \"other\":\n- .data.x\nconflicts with \"widget-operator-0\":\n- .data.phase\n", ""},
		"wrapped inside words":       {"Apply failed with 1 conf\nlict: conflict with \"widget-oper\nator-0\": .data.pha\nse\n", ""},
		"escaped":                    {`{"message":"Apply failed with 2 conflicts: conflicts with \"widget-operator-0\":\n- .data.phase\n- .data.z"}`, ""},
		"no count":                   {`Apply failed with conflict with "widget-operator-0": .data.phase`, "splitbrain.no-conflict"},
		"another field":              {`Apply failed with 1 conflict: conflict with "widget-operator-0": .data.owner`, "splitbrain.conflict-field"},
		"the field in prose below":   {`Apply failed with 1 conflict: conflict with "widget-operator-0": .data.owner` + "\nnot of .data.phase\n", "splitbrain.conflict-field"},
		"a longer field":             {`Apply failed with 1 conflict: conflict with "widget-operator-0": .data.phases`, "splitbrain.conflict-field"},
		"a field below it":           {`Apply failed with 1 conflict: conflict with "widget-operator-0": .data.phase.x`, "splitbrain.conflict-field"},
		"the other manager's field":  {"Apply failed with 2 conflicts: conflicts with \"widget-operator-0\":\n- .data.x\nconflicts with \"other\":\n- .data.phase\n", "splitbrain.conflict-field"},
		"not applied server-side":    {`Apply failed with 1 conflict: conflict with "widget-operator-0" using v1: .data.phase`, "splitbrain.conflict-client-side"},
		"with the second holder":     {`Apply failed with 1 conflict: conflict with "widget-operator-1": .data.phase`, "splitbrain.b-first"},
		"with another manager":       {`Apply failed with 1 conflict: conflict with "kubectl": .data.phase`, "splitbrain.conflict-manager"},
		"advice only":                {"* You may use --force-conflicts\n", "splitbrain.advice-only"},
		"nothing":                    {"apply-b-rc=1\n", "splitbrain.no-conflict"},
		"manager named, none listed": {`Apply failed with 1 conflict: "widget-operator-0" .data.phase`, "splitbrain.no-conflict"},
	} {
		t.Run(name, func(t *testing.T) { assert.Equal(t, test.want, conflictFault(test.text, usualPrefix)) })
	}
}

func TestSaysOtherwise(t *testing.T) {
	const message = `1 field is owned by "widget-operator-0" already: .data.phase`
	assert.True(t, saysOtherwise(message, "apply-b-rc=1\n1 field is owned by\n\"widget-operator-0\" already: .data.phase\nfinal-phase=A\n"))
	assert.False(t, saysOtherwise(message, "apply-b-rc=1\n1 field is owned by \"widget-operator-0\" already: .data.phases\n"))
	assert.False(t, saysOtherwise("", ""))
}
