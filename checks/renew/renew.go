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
				Needs:    []grader.Need{log, oplab.Lease(oplab.Widget), oplab.File(oplab.InitialFile), oplab.File(oplab.TakeoverFile)},
				Consults: []string{"lease.manifest", "lease.initial", "takeover.acquire"},
				Run:      bound,
			},
			{
				Name: "untouched", Points: 2.5, Requires: []string{"lines"},
				Doc:      "Nothing but renewTime changed\n\nBefore a takeover is tried the live Lease still has its first holder and a transition count of 0. After that, step 4 judges the Lease and what takeover.txt says of it.",
				Needs:    []grader.Need{log, oplab.Lease(oplab.Widget), oplab.File(oplab.TakeoverFile), oplab.File(oplab.InitialFile)},
				Consults: []string{"lease.manifest", "lease.initial"},
				Run:      untouched,
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
	after, err := notBefore(view, lease)
	if err != nil {
		return nil, err
	}
	limits, err := notAfter(view, lease)
	if err != nil {
		return nil, err
	}
	first, last := times[0], times[len(times)-1]
	var findings []grader.Finding
	if !after.IsZero() && !first.After(after) {
		findings = append(findings, grader.Misses("renew.before-acquired").At(oplab.RenewLog, 1).With("acquired", oplab.FormatMicroTime(after)))
	}
	if f, late := lateness(last, limits); late {
		findings = append(findings, f.At(oplab.RenewLog, len(times)))
	}
	return grader.MeetsUnless(findings...), nil
}

// untouched judges by the live Lease until a takeover has begun. From then on the Lease's state is step 4's.
func untouched(ctx context.Context, view *grader.View) ([]grader.Finding, error) {
	lease, err := oplab.GetLease(ctx, view, oplab.Widget)
	if err != nil {
		return nil, err
	}
	if lease == nil {
		return nil, grader.Misses("renew.no-lease")
	}
	state := oplab.StateOf(lease)
	if state == oplab.BeforeTakeover() || state == oplab.AfterTakeover() {
		return grader.MeetsUnless(), nil
	}
	begun, err := takeoverBegun(view, lease)
	if err != nil {
		return nil, err
	}
	if begun {
		return grader.MeetsUnless(), nil
	}
	return nil, grader.Misses("renew.touched").Compare(oplab.BeforeTakeover().String(), state.String())
}
