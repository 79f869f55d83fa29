package renew

import (
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"

	"example.com/labgrader/checks/internal/oplab"
	"example.com/labgrader/grader"
)

// clocks is how far the clock of who writes a time may be ahead of the server's.
const clocks = time.Minute

// notBefore returns the time after which the Lease was renewed: that of its first acquisition. It is zero where step 1's times
// are wrong, so that a learner who erred there is told there.
func notBefore(view *grader.View, lease *coordinationv1.Lease) (time.Time, error) {
	acquired, err := oplab.FirstAcquired(view)
	if err != nil || !acquired.IsZero() {
		return acquired, err
	}
	written, err := view.Passed("lease.manifest")
	if err != nil || !written || oplab.StateOf(lease).Holder != oplab.FirstHolder {
		return time.Time{}, err
	}
	return oplab.Acquired(lease), nil
}

// limit is a time that renewals do not come after, and what to say if one does.
type limit struct {
	code, argument string
	time           time.Time
	inclusive      bool // a renewal at that very time is late, too
}

// notAfter returns the limits of the last renewal: the renewTime that the Lease has, and the takeover. Where the takeover's
// times are wrong, or it was recorded and then undone by applying the manifest again, step 4 tells, and the only limit is when
// the server saw the Lease written last.
func notAfter(view *grader.View, lease *coordinationv1.Lease) ([]limit, error) {
	live := limit{code: "renew.after-live", argument: "renewed", time: oplab.Renewed(lease)}
	if oplab.StateOf(lease).Holder == oplab.FirstHolder {
		recorded, err := view.File(oplab.TakeoverFile)
		if err == nil && recorded.State != grader.FileMissing {
			live.time = latest(live.time, lastWrite(lease).Add(time.Second)) // cut to the second
		}
		return []limit{live}, err
	}
	sound, err := view.Passed("takeover.acquire")
	if err != nil {
		return nil, err
	}
	if !sound {
		live.time = lastWrite(lease).Add(clocks)
		return []limit{live}, nil
	}
	return []limit{live, {code: "renew.after-takeover", argument: "acquired", time: oplab.Acquired(lease), inclusive: true}}, nil
}

// lateness returns the finding of the first limit that the renewal comes after, if any.
func lateness(renewal time.Time, limits []limit) (grader.Finding, bool) {
	for _, l := range limits {
		if renewal.After(l.time) || l.inclusive && renewal.Equal(l.time) {
			return grader.Misses(l.code).With(l.argument, oplab.FormatMicroTime(l.time)), true
		}
	}
	return grader.Finding{}, false
}

// lastWrite returns the latest time at which the server saw the Lease written.
func lastWrite(lease *coordinationv1.Lease) time.Time {
	last := lease.CreationTimestamp.Time
	for _, entry := range lease.ManagedFields {
		if entry.Time != nil && entry.Time.After(last) {
			last = entry.Time.Time
		}
	}
	return last
}

func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
