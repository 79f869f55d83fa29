// Package renew checks step 2: three renewals of the Lease widget-operator.
//
// Its rule: a renewal moves only renewTime, and a log of renewals must fit the Lease that they were made on.
package renew

import (
	"context"
	"embed"
	"fmt"
	"time"

	"example.com/labgrader/checks/internal/oplab"
	"example.com/labgrader/grader"
)

//go:embed messages.*.yaml
var messages embed.FS

const (
	// shortestGap allows for clocks and for sleep 1 with the work in between.
	shortestGap = 900 * time.Millisecond
	// longestGap is the lease's length: who renews more slowly loses the lease.
	longestGap = oplab.WidgetSeconds * time.Second
)

// Check returns the check of step 2.
func Check() grader.Check {
	log := oplab.File(oplab.RenewLog)
	return grader.Check{
		Step: 2, Name: "renew", Title: "The leader renews without rest", Messages: messages,
		Criteria: []grader.Criterion{
			{
				Name: "lines", Points: 3.5,
				Doc:   "The log has three renew times\n\nrenew-log.txt has three lines, each one MicroTime and nothing else. Quotes around it do no harm.",
				Needs: []grader.Need{log},
				Run:   lines,
			},
			{
				Name: "pace", Points: 3, Requires: []string{"lines"},
				Doc: "The renewals follow each other at the asked pace\n\nEach line is later than the one before, by about a second: " +
					"at least 0.9 s, and at most the lease's 15 s, since a slower leader loses its lease.",
				Needs: []grader.Need{log},
				Run:   pace,
			},
			{
				Name: "bound", Points: 3.5, Requires: []string{"lines"},
				Doc:      "The renewals were made on this Lease\n\nThe logged times are after the Lease was first acquired, before it was taken over, and not after the renewTime that the Lease has now.",
				Needs:    []grader.Need{log, oplab.Lease(oplab.Widget), oplab.File(oplab.InitialFile)},
				Consults: []string{"lease.initial", "takeover.acquire"},
				Run:      bound,
			},
			{
				Name: "untouched", Points: 2.5, Requires: []string{"lines"},
				Doc:   "Nothing but renewTime changed\n\nBefore the takeover the live Lease still has its first holder and a transition count of 0; after it, takeover.txt says the same.",
				Needs: []grader.Need{log, oplab.Lease(oplab.Widget), oplab.File(oplab.TakeoverFile)},
				Run:   untouched,
			},
		},
	}
}

func lines(_ context.Context, view *grader.View) ([]grader.Finding, error) {
	_, findings, err := oplab.ReadRenewLog(view)
	if err != nil {
		return nil, err
	}
	return grader.MeetsUnless(findings...), nil
}

// renewals returns the logged times; the criteria that ask require that there are three.
func renewals(view *grader.View) ([]time.Time, error) {
	times, _, err := oplab.ReadRenewLog(view)
	if err == nil && len(times) != oplab.Renewals {
		err = fmt.Errorf("reading %s: %d renewals, not %d", oplab.RenewLog, len(times), oplab.Renewals)
	}
	return times, err
}

func pace(_ context.Context, view *grader.View) ([]grader.Finding, error) {
	times, err := renewals(view)
	if err != nil {
		return nil, err
	}
	var findings []grader.Finding
	for i := 1; i < len(times); i++ {
		gap := times[i].Sub(times[i-1])
		code := ""
		switch {
		case gap == 0:
			code = "renew.same"
		case gap < 0:
			code = "renew.backwards"
		case gap < shortestGap:
			code = "renew.too-fast"
		case gap > longestGap:
			code = "renew.too-slow"
		default:
			continue
		}
		findings = append(findings, grader.Misses(code).At(oplab.RenewLog, i+1).With("gap", gap.Round(time.Millisecond).String()))
	}
	return grader.MeetsUnless(findings...), nil
}

func bound(ctx context.Context, view *grader.View) ([]grader.Finding, error) {
	times, err := renewals(view)
	if err != nil {
		return nil, err
	}
	lease, err := oplab.GetLease(ctx, view, oplab.Widget)
	if err != nil {
		return nil, err
	}
	if lease == nil {
		return nil, grader.Misses("renew.no-lease")
	}
	acquired, err := oplab.FirstAcquired(view)
	if err != nil {
		return nil, err
	}
	takenOver := oplab.StateOf(lease).Holder != oplab.FirstHolder
	if acquired.IsZero() && !takenOver {
		acquired = oplab.Acquired(lease)
	}
	first, last := times[0], times[len(times)-1]
	renewed := oplab.Renewed(lease)
	var findings []grader.Finding
	if !acquired.IsZero() && !first.After(acquired) {
		findings = append(findings, grader.Misses("renew.before-acquired").At(oplab.RenewLog, 1).With("acquired", oplab.FormatMicroTime(acquired)))
	}
	if last.After(renewed) {
		findings = append(findings, grader.Misses("renew.after-live").At(oplab.RenewLog, len(times)).With("renewed", oplab.FormatMicroTime(renewed)))
		return grader.MeetsUnless(findings...), nil
	}
	sound, err := view.Passed("takeover.acquire")
	if err != nil {
		return nil, err
	}
	if takenOver && sound && !last.Before(oplab.Acquired(lease)) {
		findings = append(findings, grader.Misses("renew.after-takeover").At(oplab.RenewLog, len(times)).With("acquired", oplab.FormatMicroTime(oplab.Acquired(lease))))
	}
	return grader.MeetsUnless(findings...), nil
}

// untouched judges by the live Lease until a takeover has been tried. From then on the Lease's state is step 4's, which
// also compares what takeover.txt says of the state before.
func untouched(ctx context.Context, view *grader.View) ([]grader.Finding, error) {
	takeover, err := view.File(oplab.TakeoverFile)
	if err != nil {
		return nil, err
	}
	lease, err := oplab.GetLease(ctx, view, oplab.Widget)
	if err != nil {
		return nil, err
	}
	if lease == nil {
		return nil, grader.Misses("renew.no-lease")
	}
	state := oplab.StateOf(lease)
	if takeover.State != grader.FileMissing || state.Holder == oplab.NextHolder || state == oplab.BeforeTakeover() {
		return grader.MeetsUnless(), nil
	}
	return nil, grader.Misses("renew.touched").Compare(oplab.BeforeTakeover().String(), state.String())
}
