// Package expiry checks step 3: a stale and a fresh Lease, the table of expectations, and the script that tells them apart.
//
// Its rule: whether a lease has expired is computed from renewTime and leaseDurationSeconds; nothing else decides it.
package expiry

import (
	"context"
	"embed"
	"fmt"
	"regexp"
	"strings"

	"example.com/labgrader/checks/internal/oplab"
	"example.com/labgrader/grader"
	"example.com/labgrader/grader/submission"
)

//go:embed messages.*.yaml
var messages embed.FS

const (
	staleName  = "stale-operator"
	freshName  = "fresh-operator"
	tableFile  = "leases.tsv"
	outputFile = "expiry.txt"
	scriptFile = "expiry.sh"
	expired    = "EXPIRED"
	live       = "LIVE"
)

// Check returns the check of step 3.
func Check() grader.Check {
	stale := oplab.WantedLease{File: "lease-stale.yaml", Name: staleName, Holder: "stale-operator-0", Seconds: 15, Times: map[string]oplab.Window{"renewTime": oplab.TenMinutesAgo()}}
	fresh := oplab.WantedLease{File: "lease-fresh.yaml", Name: freshName, Holder: "fresh-operator-0", Seconds: 86400, Times: map[string]oplab.Window{"renewTime": oplab.Now()}}
	needs := append([]grader.Need{oplab.File(scriptFile), oplab.File(tableFile), oplab.Leases()}, trials()...)
	return grader.Check{
		Step: 3, Name: "expiry", Title: "Whether it is alive is decided by calculation", Messages: messages,
		Criteria: []grader.Criterion{
			{
				Name: "stale", Points: 1.5,
				Doc:   "The stale Lease is there\n\nlease-stale.yaml and the cluster have the Lease stale-operator with the holder and duration of the step, renewed ten minutes before it was written.",
				Needs: []grader.Need{oplab.File(stale.File), oplab.Lease(staleName)},
				Run:   func(ctx context.Context, view *grader.View) ([]grader.Finding, error) { return lease(ctx, view, stale) },
			},
			{
				Name: "fresh", Points: 1.5,
				Doc:   "The fresh Lease is there\n\nlease-fresh.yaml and the cluster have the Lease fresh-operator with the holder and duration of the step, renewed when it was written.",
				Needs: []grader.Need{oplab.File(fresh.File), oplab.Lease(freshName)},
				Run:   func(ctx context.Context, view *grader.View) ([]grader.Finding, error) { return lease(ctx, view, fresh) },
			},
			{
				Name: "table", Points: 1.5,
				Doc:   "The table says what to expect\n\nleases.tsv has two lines, a lease's name, one tab, and EXPIRED or LIVE, in either order.",
				Needs: []grader.Need{oplab.File(tableFile)},
				Run:   table,
			},
			{
				Name: "output", Points: 1.5,
				Doc:   "The saved output says OK for both\n\nexpiry.txt has a line for each of the two leases that begins with OK, and none that says MISMATCH.",
				Needs: []grader.Need{oplab.File(outputFile)},
				Run:   output,
			},
			{
				Name: "script", Points: 3.5, Requires: []string{"stale", "fresh", "table"},
				Doc: "The script classifies by calculation\n\nexpiry.sh is run with other renew times, durations and expectations than it has seen. " +
					"Each time it prints for every lease of the table a line OK or MISMATCH that names it, as renewTime plus leaseDurationSeconds and now decide.",
				Needs: needs,
				Run:   script,
			},
			{
				Name: "exit-code", Points: 2, Requires: []string{"script"},
				Doc:   "The exit code says whether all is as expected\n\nexpiry.sh exits with 0 exactly when every line is OK.",
				Needs: needs,
				Run:   exitCode,
			},
			{
				Name: "quiet", Points: 1, Requires: []string{"script"},
				Doc:   "The script writes to standard output only\n\nexpiry.sh leaves the files of the submission as they are.",
				Needs: needs,
				Run:   quiet,
			},
		},
	}
}

// lease judges the manifest and, by the same measure, the live object.
func lease(ctx context.Context, view *grader.View, want oplab.WantedLease) ([]grader.Finding, error) {
	object, err := oplab.GetLease(ctx, view, want.Name)
	if err != nil {
		return nil, err
	}
	written := func(field string) oplab.Moments { return oplab.WrittenAt(object, field) }
	findings, err := oplab.CheckManifest(view, want, written)
	if err != nil {
		return nil, err
	}
	if object == nil {
		return append(findings, grader.Misses("expiry.live-missing").With("name", want.Name)), nil
	}
	state := oplab.StateOf(object)
	if state.Holder != want.Holder || int64(state.Seconds) != want.Seconds {
		f := grader.Misses("expiry.live-differs").With("name", want.Name)
		findings = append(findings, f.Compare(fmt.Sprintf("holderIdentity %s, leaseDurationSeconds %d", want.Holder, want.Seconds),
			fmt.Sprintf("holderIdentity %s, leaseDurationSeconds %d", state.Holder, state.Seconds)))
	}
	if renewed := oplab.Renewed(object); !written("renewTime").Fit(renewed, want.Times["renewTime"]) {
		f := grader.Misses("expiry.live-renewed").With("name", want.Name)
		findings = append(findings, f.Compare("", oplab.FormatMicroTime(renewed)))
	}
	return grader.MeetsUnless(findings...), nil
}

func table(_ context.Context, view *grader.View) ([]grader.Finding, error) {
	text, err := submission.OpenText(view, tableFile)
	if err != nil {
		return nil, err
	}
	expected := map[string]string{staleName: expired, freshName: live}
	var findings []grader.Finding
	for _, line := range text.Lines {
		name, word, ok := strings.Cut(line.Text, "\t")
		code := ""
		switch {
		case !ok:
			code = separatorFault(line.Text)
		case word != expired && word != live:
			code = "expiry.table-word"
		case expected[name] == "":
			code = "expiry.table-name"
		case expected[name] != word:
			code = "expiry.table-expectation"
		default:
			delete(expected, name) // so that the same name a second time is one too many
			continue
		}
		findings = append(findings, grader.Misses(code).At(tableFile, line.Number).Compare("", line.Text))
	}
	if len(findings) == 0 && len(text.Lines) != 2 {
		findings = append(findings, grader.Misses("expiry.table-lines").At(tableFile, 0).Compare("2", fmt.Sprint(len(text.Lines))))
	}
	return grader.MeetsUnless(findings...), nil
}

func separatorFault(line string) string {
	switch {
	case strings.Contains(line, `\t`):
		return "expiry.table-literal-tab"
	case strings.ContainsAny(line, " \u00a0\u3000"):
		return "expiry.table-spaces"
	}
	return "expiry.table-line"
}

var (
	okLine       = regexp.MustCompile(`^OK($|[^0-9A-Za-z_-])`)
	mismatchLine = regexp.MustCompile(`^MISMATCH($|[^0-9A-Za-z_-])`)
)

func output(_ context.Context, view *grader.View) ([]grader.Finding, error) {
	text, err := submission.OpenText(view, outputFile)
	if err != nil {
		return nil, err
	}
	var findings []grader.Finding
	for _, line := range text.Lines {
		if strings.Contains(line.Text, "MISMATCH") {
			findings = append(findings, grader.Misses("expiry.output-mismatch").At(outputFile, line.Number).Compare("", line.Text))
		}
	}
	for _, name := range []string{staleName, freshName} {
		if !hasOK(text, name) {
			findings = append(findings, grader.Misses("expiry.output-missing").At(outputFile, 0).With("name", name))
		}
	}
	return grader.MeetsUnless(findings...), nil
}

func hasOK(text submission.Text, name string) bool {
	for _, line := range text.Lines {
		if okLine.MatchString(line.Text) && isAbout(line.Text, name) {
			return true
		}
	}
	return false
}

// isAbout reports whether a line is about the lease, and not about both.
func isAbout(line, name string) bool {
	other := map[string]string{staleName: freshName, freshName: staleName}[name]
	return strings.Contains(line, name) && !strings.Contains(line, other)
}
