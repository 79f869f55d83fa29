package oplab

import (
	"testing"

	"github.com/stretchr/testify/assert"
	coordinationv1 "k8s.io/api/coordination/v1"
)

// A count of 0 and one that is lacking are different faults, so they must look different.
func TestWidgetStateIsShown(t *testing.T) {
	assert.Equal(t, `holderIdentity widget-operator-1, leaseTransitions 1, leaseDurationSeconds 15`, AfterTakeover().String())
	assert.Equal(t, `holderIdentity widget-operator-0, leaseTransitions 0, leaseDurationSeconds 15`, BeforeTakeover().String())
	lacking := StateOf(&coordinationv1.Lease{})
	assert.Equal(t, WidgetState{"", -1, -1}, lacking)
	assert.Equal(t, `holderIdentity "", leaseTransitions (none), leaseDurationSeconds (none)`, lacking.String())
}
