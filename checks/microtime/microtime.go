// Package microtime checks step 5: a renewal with a time of whole seconds is refused.
//
// Its rule: the server's own sentence is the measure. A dry run gets it from the very server that the lab runs on.
package microtime

import (
	"context"
	"embed"
	"errors"
	"regexp"
	"strings"

	"k8s.io/apimachinery/pkg/types"

	"example.com/labgrader/checks/internal/oplab"
	"example.com/labgrader/grader"
	"example.com/labgrader/grader/submission"
)

//go:embed messages.*.yaml
var messages embed.FS

const (
	errorFile = "microtime-error.txt"
	// probeName and probeTime: the dry run that asks for the sentence.
	probeName = "seconds-only-renewal"
	probeTime = "2026-01-01T00:00:00Z"
)

// Check returns the check of step 5.
func Check() grader.Check {
	widget := oplab.Lease(oplab.Widget)
	probe := grader.Need{Probe: &grader.Probe{Name: probeName, DryRun: &grader.DryRun{
		Object: *widget.Objects, Type: types.MergePatchType, Body: `{"spec":{"renewTime":"` + probeTime + `"}}`,
	}}}
	return grader.Check{
		Step: 5, Name: "microtime", Title: "One time format blocks the renewal", Messages: messages,
		Criteria: []grader.Criterion{
			{
				Name: "return-code", Points: 3,
				Doc:   "The first line has the patch's exit code\n\nThe first line of microtime-error.txt is patch-rc= and the exit code of the refused patch.",
				Needs: []grader.Need{oplab.File(errorFile)},
				Run:   returnCode,
			},
			{
				Name: "sentence", Points: 6.5, Requires: []string{"live"},
				Doc: "The server's sentence is there as it was\n\nBelow the first line stands the sentence with which this server refuses a time of whole seconds, whatever kind of patch it was. " +
					"Line breaks, escaped quotes and verbose output around it do no harm.",
				Needs: []grader.Need{oplab.File(errorFile), probe},
				Run:   sentence,
			},
			{
				Name: "live", Points: 3,
				Doc:   "The refused time did not get into the Lease\n\nThe Lease widget-operator exists, and its renewTime is not the refused time.",
				Needs: []grader.Need{oplab.File(errorFile), widget},
				Run:   live,
			},
		},
	}
}

var codeLine = regexp.MustCompile(`^patch-rc=([0-9]{1,3})$`)

func returnCode(_ context.Context, view *grader.View) ([]grader.Finding, error) {
	text, err := submission.OpenText(view, errorFile)
	if err != nil {
		return nil, err
	}
	first := text.Lines[0]
	match := codeLine.FindStringSubmatch(first.Text)
	switch {
	case match == nil:
		code := "microtime.first-line"
		for _, line := range text.Lines[1:] {
			if codeLine.MatchString(line.Text) {
				code = "microtime.code-not-first"
			}
		}
		return nil, grader.Misses(code).At(errorFile, first.Number).Compare("", first.Text)
	case strings.Trim(match[1], "0") == "" && len(text.Lines) > 1:
		return nil, grader.Misses("microtime.other-code").At(errorFile, first.Number).Compare("", first.Text)
	case strings.Trim(match[1], "0") == "":
		return nil, grader.Misses("microtime.not-refused").At(errorFile, first.Number).Compare("", first.Text)
	}
	return grader.MeetsUnless(), nil
}

func sentence(_ context.Context, view *grader.View) ([]grader.Finding, error) {
	text, err := submission.OpenText(view, errorFile)
	if err != nil {
		return nil, err
	}
	answer, err := view.Answer(probeName)
	if err != nil {
		return nil, err
	}
	switch {
	case answer.Absent:
		return nil, errors.New("asking the API server: the Lease vanished while the evidence was collected")
	case answer.Allowed:
		return nil, errors.New("this lab does not fit this server: it accepts a renewTime of whole seconds")
	}
	clause, err := newClause(answer.Message, probeTime)
	if err != nil {
		return nil, err
	}
	if clause.in(text.String()) {
		return grader.MeetsUnless(), nil
	}
	return nil, clause.fault(text)
}

func live(ctx context.Context, view *grader.View) ([]grader.Finding, error) {
	lease, err := oplab.GetLease(ctx, view, oplab.Widget)
	if err != nil {
		return nil, err
	}
	if lease == nil {
		return nil, grader.Misses("microtime.no-lease")
	}
	text, err := submission.OpenText(view, errorFile)
	if err != nil {
		// Without the file nobody tried the refused time.
		return nil, err
	}
	for _, refused := range refusedTimes(text.String()) {
		if refused.Equal(oplab.Renewed(lease)) {
			return nil, grader.Misses("microtime.written").Compare("", oplab.FormatMicroTime(refused))
		}
	}
	return grader.MeetsUnless(), nil
}
