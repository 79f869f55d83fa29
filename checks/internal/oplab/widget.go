package oplab

import (
	"fmt"

	coordinationv1 "k8s.io/api/coordination/v1"
	"k8s.io/utils/ptr"
)

// WidgetState is who holds the Lease widget-operator, how often it changed hands, and its duration in seconds. A field
// that the Lease lacks is empty, or -1.
type WidgetState struct {
	Holder      string
	Transitions int32
	Seconds     int32
}

// The two states that the lab asks for, in steps 1 and 4.
func BeforeTakeover() WidgetState { return WidgetState{FirstHolder, 0, WidgetSeconds} }
func AfterTakeover() WidgetState  { return WidgetState{NextHolder, 1, WidgetSeconds} }

// StateOf reads a Lease's state.
func StateOf(lease *coordinationv1.Lease) WidgetState {
	return WidgetState{
		Holder:      ptr.Deref(lease.Spec.HolderIdentity, ""),
		Transitions: ptr.Deref(lease.Spec.LeaseTransitions, -1),
		Seconds:     ptr.Deref(lease.Spec.LeaseDurationSeconds, -1),
	}
}

// String shows a state as a Lease has it.
func (s WidgetState) String() string {
	return fmt.Sprintf("holderIdentity %s, leaseTransitions %s, leaseDurationSeconds %s", shown(s.Holder), count(s.Transitions), count(s.Seconds))
}

func shown(s string) string {
	if s == "" {
		return `""`
	}
	return s
}

func count(n int32) string {
	if n < 0 {
		return "(none)"
	}
	return fmt.Sprint(n)
}
