package splitbrain

import (
	"testing"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// What went wrong is told from the value and who owns it together.
func TestOwnerFault(t *testing.T) {
	by := func(manager string, operation metav1.ManagedFieldsOperationType) []metav1.ManagedFieldsEntry {
		return []metav1.ManagedFieldsEntry{{Manager: manager, Operation: operation}}
	}
	const apply, write = metav1.ManagedFieldsOperationApply, metav1.ManagedFieldsOperationUpdate
	for name, test := range map[string]struct {
		phase  string
		owners []metav1.ManagedFieldsEntry
		want   string
	}{
		"the second applied its value":     {"B", by("widget-operator-1", apply), "splitbrain.overwritten"},
		"the first applied both":           {"B", by("widget-operator-0", apply), "splitbrain.same-manager"},
		"B written without applying":       {"B", by("widget-operator-1", write), "splitbrain.client-side-b"},
		"B of another manager":             {"B", by("kubectl", apply), "splitbrain.client-side-b"},
		"B of nobody":                      {"B", nil, "splitbrain.live-phase"},
		"A of another manager":             {"A", by("kubectl", apply), "splitbrain.other-manager"},
		"A written without applying":       {"A", by("widget-operator-0", write), "splitbrain.client-side-a"},
		"A of nobody":                      {"A", nil, "splitbrain.live-phase"},
		"another value of the first":       {"C", by("widget-operator-0", apply), "splitbrain.live-phase"},
		"another value of the second":      {"C", by("widget-operator-1", apply), "splitbrain.live-phase"},
		"another value, not server-side":   {"C", by("kubectl", write), "splitbrain.live-phase"},
		"both applied B, second told last": {"B", append(by("widget-operator-0", apply), by("widget-operator-1", apply)...), "splitbrain.overwritten"},
	} {
		t.Run(name, func(t *testing.T) { assert.Equal(t, test.want, ownerFault(test.phase, test.owners)) })
	}
}
