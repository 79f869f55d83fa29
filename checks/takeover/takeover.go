// Package takeover checks step 4: another instance takes the Lease widget-operator.
//
// Its rule: a takeover is told from a renewal by what changed together: holder, acquire time and transition count.
package takeover

import (
	"context"
	"embed"
	"time"

	"example.com/labgrader/checks/internal/oplab"
	"example.com/labgrader/grader"
)

//go:embed messages.*.yaml
var messages embed.FS

// ahead is how far the learner's clock may be ahead of the server's, as for every time of "now".
const ahead = time.Minute

// Check returns the check of step 4.
func Check() grader.Check {
	widget := oplab.Lease(oplab.Widget)
	return grader.Check{
		Step: 4, Name: "takeover", Title: "A takeover shows up in the transition count", Messages: messages,
		Criteria: []grader.Criterion{
			{
				Name: "live", Points: 3.5,
				Doc: "The Lease has its new holder\n\nThe Lease widget-operator is held by widget-operator-1, has changed hands once, was last renewed " +
					"when it was acquired or later, and kept its duration.",
				Needs:    []grader.Need{widget},
				Consults: []string{"lease.initial"},
				Run:      live,
			},
			{
				Name: "acquire", Points: 3,
				Doc:      "The acquire time is that of the takeover\n\nacquireTime is newer than the first one and than the renewals of step 2, and not more than a minute later than the server saw it written.",
				Requires: []string{"live"}, Consults: []string{"lease.manifest", "lease.initial", "renew.pace"},
				Needs: []grader.Need{widget, oplab.File(oplab.InitialFile), oplab.File(oplab.RenewLog)},
				Run:   acquire,
			},
			{
				Name: "record", Points: 4,
				Doc: "The record says what changed\n\ntakeover.txt has the four lines before-holder=, after-holder=, before-transitions= and after-transitions=, " +
					"in any order and nothing else, with the values before and after the takeover. It agrees with the Lease.",
				Needs: []grader.Need{oplab.File(oplab.TakeoverFile), widget},
				Run:   record,
			},
			{
				Name: "one-patch", Points: 2,
				Doc:      "One patch changed all of it\n\nOne field manager owns holderIdentity, acquireTime and leaseTransitions. Two patches by the same manager look the same and pass.",
				Requires: []string{"live", "acquire"},
				Needs:    []grader.Need{widget},
				Run:      onePatch,
			},
		},
	}
}

func live(ctx context.Context, view *grader.View) ([]grader.Finding, error) {
	lease, err := oplab.GetLease(ctx, view, oplab.Widget)
	if err != nil {
		return nil, err
	}
	if lease == nil {
		return nil, grader.Misses("takeover.no-lease")
	}
	state, want := oplab.StateOf(lease), oplab.AfterTakeover()
	var findings []grader.Finding
	switch {
	case state.Holder == oplab.FirstHolder && state.Transitions == 0:
		findings = append(findings, grader.Misses("takeover.not-done").Compare(want.String(), state.String()))
	case state.Holder != want.Holder:
		findings = append(findings, grader.Misses("takeover.holder").Compare(want.Holder, state.Holder))
	case state.Transitions != want.Transitions:
		findings = append(findings, grader.Misses("takeover.transitions").Compare(want.String(), state.String()))
	}
	if oplab.Renewed(lease).Before(oplab.Acquired(lease)) || oplab.Renewed(lease).IsZero() {
		f := grader.Misses("takeover.renewed-before-acquired")
		findings = append(findings, f.Compare("", "acquireTime "+shown(oplab.Acquired(lease))+", renewTime "+shown(oplab.Renewed(lease))))
	}
	// A duration that was wrong from the start is step 1's to tell.
	right, err := view.Passed("lease.initial")
	if err != nil {
		return nil, err
	}
	if right && state.Seconds != want.Seconds {
		findings = append(findings, grader.Misses("takeover.duration").Compare(want.String(), state.String()))
	}
	return grader.MeetsUnless(findings...), nil
}

func shown(t time.Time) string {
	if t.IsZero() {
		return "(none)"
	}
	return oplab.FormatMicroTime(t)
}

func record(ctx context.Context, view *grader.View) ([]grader.Finding, error) {
	entries, findings, err := readRecord(view)
	if err != nil {
		return nil, err
	}
	before, after := oplab.BeforeTakeover(), oplab.AfterTakeover()
	for _, want := range []struct{ key, value string }{
		{"before-holder", before.Holder}, {"after-holder", after.Holder}, {"before-transitions", "0"}, {"after-transitions", "1"},
	} {
		got, found := entries[want.key]
		if found && got.Value != want.value {
			f := grader.Misses(valueFault(want.key, got.Value)).With("key", want.key).Compare(want.value, got.Value)
			findings = append(findings, f.At(oplab.TakeoverFile, got.Line))
		}
	}
	lease, err := oplab.GetLease(ctx, view, oplab.Widget)
	if err != nil {
		return nil, err
	}
	if lease == nil {
		return append(findings, grader.Misses("takeover.no-lease")), nil
	}
	// The record must not claim what the cluster denies.
	if got := entries["after-holder"]; len(findings) == 0 && oplab.StateOf(lease).Holder != got.Value {
		f := grader.Misses("takeover.record-denied").Compare(oplab.StateOf(lease).String(), got.Value)
		findings = append(findings, f.At(oplab.TakeoverFile, got.Line))
	}
	return grader.MeetsUnless(findings...), nil
}

// valueFault tells a record taken too late from one that is wrong otherwise.
func valueFault(key, got string) string {
	switch {
	case got == "":
		return "takeover.record-blank"
	case key == "before-holder" && got == oplab.NextHolder, key == "before-transitions" && got == "1":
		return "takeover.record-late"
	case key == "before-transitions":
		return "takeover.record-counted"
	}
	return "takeover.record-value"
}
