// Package audit checks step 8: a list of all leases, and the operating rules.
//
// Its rule: a list is right when it is what the cluster says, line by line; rules are right when they say so in words.
package audit

import (
	"context"
	"embed"
	"fmt"
	"regexp"
	"sort"
	"strings"

	coordinationv1 "k8s.io/api/coordination/v1"
	"k8s.io/utils/ptr"

	"example.com/labgrader/checks/internal/oplab"
	"example.com/labgrader/grader"
	"example.com/labgrader/grader/submission"
)

//go:embed messages.*.yaml
var messages embed.FS

const (
	outputFile  = "lease-audit.txt"
	runbookFile = "runbook.txt"
	scriptFile  = "lease-audit.sh"
)

// Check returns the check of step 8.
func Check() grader.Check {
	needs := append([]grader.Need{oplab.File(scriptFile), oplab.Leases()}, trials()...)
	return grader.Check{
		Step: 8, Name: "audit", Title: "Bundle it into a checklist and operating rules", Messages: messages,
		Criteria: []grader.Criterion{
			{
				Name: "output", Points: 2,
				Doc: "The saved list is what the cluster has\n\nlease-audit.txt has one line for each Lease of op-leader, NAME holder=... transitions=... duration=..., sorted, with the values that the leases have, and nothing else. " +
					"A value that a Lease lacks may be empty, <none>, <no value>, null or 0.",
				Needs: []grader.Need{oplab.File(outputFile), oplab.Leases()},
				Run:   output,
			},
			{
				Name: "script", Points: 4,
				Doc: "The script lists whatever leases there are\n\nlease-audit.sh is run with more leases, other values, and leases of other namespaces. " +
					"Each time it prints the list in the form of the step, and nothing else.",
				Needs: needs,
				Run:   script,
			},
			{
				Name: "exit-code", Points: 1, Requires: []string{"script"},
				Doc:   "The script ends well\n\nlease-audit.sh exits with 0.",
				Needs: needs,
				Run:   exitCode,
			},
			{
				Name: "quiet", Points: 1, Requires: []string{"script"},
				Doc:   "The script writes to standard output only\n\nlease-audit.sh leaves the files of the submission as they are.",
				Needs: needs,
				Run:   quiet,
			},
			{
				Name: "flags", Points: 1.5,
				Doc:   "The rules name the three values\n\nrunbook.txt names the three flags of leader election exactly. That it does not mention their defaults (15, 10 and 2 s) is a note.",
				Needs: []grader.Need{oplab.File(runbookFile)},
				Run:   flags,
			},
			{
				Name: "reason", Points: 1.5,
				Doc: "The rules say why the renew deadline is shorter\n\nrunbook.txt says, in English, Korean, Japanese or Chinese and in any words, why the renew deadline must be shorter than the lease duration. " +
					"That it must be is not yet a reason, and a sentence that says the opposite fails. What a sentence says counts, not which words occur; a decision on weak grounds is noted as audit.review.",
				Needs: []grader.Need{oplab.File(runbookFile)},
				Run:   reason,
			},
			{
				Name: "suspicion", Points: 1.5,
				Doc: "The rules say what to suspect\n\nrunbook.txt says, in English, Korean, Japanese or Chinese and in any words, what to suspect when the transition count keeps growing: a cause, " +
					"not the symptom in other words. A decision on weak grounds is noted as audit.review.",
				Needs: []grader.Need{oplab.File(runbookFile)},
				Run:   suspicion,
			},
		},
	}
}

var listLine = regexp.MustCompile(`^(\S+) holder=(.*) transitions=(.*) duration=(.*)$`)

func output(ctx context.Context, view *grader.View) ([]grader.Finding, error) {
	text, err := submission.OpenText(view, outputFile)
	if err != nil {
		return nil, err
	}
	leases, err := oplab.ListLeases(ctx, view)
	if err != nil {
		return nil, err
	}
	if len(leases) == 0 {
		return nil, grader.Misses("audit.no-leases")
	}
	return grader.MeetsUnless(compareList(text, leases)...), nil
}

// compareList returns what is wrong with a list of leases.
func compareList(text submission.Text, leases []coordinationv1.Lease) []grader.Finding {
	left := map[string]coordinationv1.Lease{}
	for _, lease := range leases {
		left[lease.Name] = lease
	}
	var findings []grader.Finding
	var names []string
	for _, line := range text.Lines {
		f, name := compareLine(line, left)
		if f != nil {
			findings = append(findings, f.At(text.Name, line.Number))
		}
		if name != "" {
			names = append(names, name)
			delete(left, name) // so that the same name a second time is one too many
		}
	}
	for _, lease := range leases {
		if _, missing := left[lease.Name]; missing {
			findings = append(findings, grader.Misses("audit.lease-missing").At(text.Name, 0).With("name", lease.Name))
		}
	}
	if len(findings) == 0 && !sorted(names) {
		findings = append(findings, grader.Misses("audit.unsorted").At(text.Name, 0))
	}
	return findings
}

// compareLine returns what is wrong with a line, if anything, and the name of the Lease it is about.
func compareLine(line submission.Line, live map[string]coordinationv1.Lease) (*grader.Finding, string) {
	match := listLine.FindStringSubmatch(line.Text)
	if match == nil {
		return ptr.To(grader.Misses("audit.line").Compare("", line.Text)), ""
	}
	name := match[1]
	lease, found := live[name]
	if !found {
		return ptr.To(grader.Misses("audit.unknown-lease").With("name", name).Compare("", line.Text)), ""
	}
	values := []struct{ field, want, got string }{
		{"holder", ptr.Deref(lease.Spec.HolderIdentity, ""), match[2]},
		{"transitions", number(lease.Spec.LeaseTransitions), match[3]},
		{"duration", number(lease.Spec.LeaseDurationSeconds), match[4]},
	}
	for _, v := range values {
		lacking := v.want == "" && meansNothing(v.got)
		if v.got != v.want && !lacking {
			return ptr.To(grader.Misses("audit.value").With("name", name).With("field", v.field).Compare(v.want, v.got)), name
		}
	}
	return nil, name
}

func number(n *int32) string {
	if n == nil {
		return ""
	}
	return fmt.Sprint(*n)
}

// meansNothing reports whether kubectl's output formats and jq print this for a field that is not there.
func meansNothing(s string) bool {
	switch s {
	case "", "<none>", "<no value>", "null", "0":
		return true
	}
	return false
}

// sorted reports whether names are in order, by bytes or as a locale that skips punctuation would have them.
func sorted(names []string) bool {
	plain := strings.NewReplacer("-", "", ".", "")
	skipping := make([]string, len(names))
	for i, name := range names {
		skipping[i] = plain.Replace(name)
	}
	return sort.StringsAreSorted(names) || sort.StringsAreSorted(skipping)
}
