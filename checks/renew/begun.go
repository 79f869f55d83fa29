package renew

import (
	coordinationv1 "k8s.io/api/coordination/v1"

	"example.com/labgrader/checks/internal/oplab"
	"example.com/labgrader/grader"
	"example.com/labgrader/grader/submission"
)

// takeoverBegun reports whether a Lease whose state is neither that of step 1 nor that of step 4 became so by a takeover, which
// then answers for it, rather than by the renewals.
func takeoverBegun(view *grader.View, lease *coordinationv1.Lease) (bool, error) {
	file, err := view.File(oplab.TakeoverFile)
	if err != nil {
		return false, err
	}
	state := oplab.StateOf(lease)
	switch {
	case file.State == grader.FileMissing && state.Holder == oplab.NextHolder:
		return acquiredAnew(view, lease)
	case file.State == grader.FileMissing:
		return false, nil
	case state.Holder == oplab.NextHolder, state.Transitions <= oplab.AfterTakeover().Transitions:
		return true, nil
	}
	// Counted up more often than one try does: then takeover.txt must say that all was well before.
	return recordsBefore(view)
}

// acquiredAnew reports whether more than the holder was changed, as in a takeover. Where step 1's acquireTime is not known, a
// changed holder is enough.
func acquiredAnew(view *grader.View, lease *coordinationv1.Lease) (bool, error) {
	first, err := oplab.FirstAcquired(view)
	if err != nil {
		return false, err
	}
	return oplab.StateOf(lease).Transitions > 0 || first.IsZero() || !first.Equal(oplab.Acquired(lease)), nil
}

// recordsBefore reports whether takeover.txt says that the first holder held the Lease, and nobody before it.
func recordsBefore(view *grader.View) (bool, error) {
	text, err := submission.OpenText(view, oplab.TakeoverFile)
	if err != nil {
		return false, oplab.Trouble(err)
	}
	entries, _ := oplab.ReadEntries(text, "takeover.record", "before-holder", "before-transitions", "after-holder", "after-transitions")
	return entries["before-holder"].Value == oplab.FirstHolder && entries["before-transitions"].Value == "0", nil
}
