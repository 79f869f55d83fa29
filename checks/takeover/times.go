package takeover

import (
	"context"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/labgrader/checks/internal/oplab"
	"example.com/labgrader/grader"
	"example.com/labgrader/grader/submission"
)

func readRecord(view *grader.View) (map[string]oplab.Entry, []grader.Finding, error) {
	text, err := submission.OpenText(view, oplab.TakeoverFile)
	if err != nil {
		return nil, nil, err
	}
	entries, findings := oplab.ReadEntries(text, "takeover.record", "before-holder", "after-holder", "before-transitions", "after-transitions")
	return entries, findings, nil
}

// acquire compares with the first acquireTime and the last logged renewal where steps 1 and 2 are right, and with the times
// at which the server saw the holder written. A later renewal moves renewTime and, made by the same manager, also that
// time, so an acquireTime long before them is no fault.
func acquire(ctx context.Context, view *grader.View) ([]grader.Finding, error) {
	lease, err := oplab.GetLease(ctx, view, oplab.Widget)
	if err != nil {
		return nil, err
	}
	if lease == nil || lease.Spec.AcquireTime == nil {
		return nil, grader.Misses("takeover.no-acquire-time")
	}
	acquired := oplab.Acquired(lease)
	first, err := oplab.FirstAcquired(view)
	if err != nil {
		return nil, err
	}
	last, err := lastRenewal(view)
	if err != nil {
		return nil, err
	}
	got := oplab.FormatMicroTime(acquired)
	switch {
	case !first.IsZero() && acquired.Equal(first):
		return nil, grader.Misses("takeover.acquire-time-kept").Compare("", got)
	case !first.IsZero() && acquired.Before(first):
		return nil, grader.Misses("takeover.acquire-time-old").Compare("", got)
	case !last.IsZero() && !acquired.After(last) && oplab.Renewed(lease).After(last):
		// Had the renewals been logged after the takeover, the last of them would be the renewTime, and step 2 would tell.
		return nil, grader.Misses("takeover.acquire-time-old").Compare("", got)
	case writtenBefore(lease, acquired):
		return nil, grader.Misses("takeover.acquire-time-ahead").Compare("", got)
	}
	return grader.MeetsUnless(), nil
}

// writtenBefore reports whether the server saw the holder written well before the acquire time.
func writtenBefore(lease *coordinationv1.Lease, acquired time.Time) bool {
	owners := oplab.Owners(lease, "spec", "holderIdentity")
	for _, owner := range owners {
		if owner.Time == nil || !acquired.After(owner.Time.Add(ahead)) {
			return false
		}
	}
	return len(owners) > 0
}

func lastRenewal(view *grader.View) (time.Time, error) {
	right, err := view.Passed("renew.pace")
	if err != nil || !right {
		return time.Time{}, err
	}
	times, _, err := oplab.ReadRenewLog(view)
	if err != nil || len(times) == 0 {
		return time.Time{}, err
	}
	return times[len(times)-1], nil
}

func onePatch(ctx context.Context, view *grader.View) ([]grader.Finding, error) {
	lease, err := oplab.GetLease(ctx, view, oplab.Widget)
	if err != nil {
		return nil, err
	}
	if lease == nil {
		return nil, grader.Misses("takeover.no-lease")
	}
	owner, found := commonOwner(lease, "holderIdentity", "acquireTime", "leaseTransitions")
	if !found {
		return nil, grader.Misses("takeover.several-patches")
	}
	var notes []grader.Finding
	if owner.Manager == "kubectl-edit" || owner.Manager == "kubectl-replace" {
		notes = append(notes, grader.Notes("takeover.not-a-patch").With("manager", owner.Manager))
	}
	return grader.MeetsUnless(notes...), nil
}

// commonOwner returns an entry of managedFields that owns all of the fields of spec.
func commonOwner(lease *coordinationv1.Lease, fields ...string) (metav1.ManagedFieldsEntry, bool) {
	for _, entry := range oplab.Owners(lease, "spec", fields[0]) {
		ownsAll := true
		for _, field := range fields[1:] {
			ownsAll = ownsAll && containsEntry(oplab.Owners(lease, "spec", field), entry)
		}
		if ownsAll {
			return entry, true
		}
	}
	return metav1.ManagedFieldsEntry{}, false
}

func containsEntry(entries []metav1.ManagedFieldsEntry, entry metav1.ManagedFieldsEntry) bool {
	for _, e := range entries {
		if e.Manager == entry.Manager && e.Operation == entry.Operation && e.Subresource == entry.Subresource {
			return true
		}
	}
	return false
}
