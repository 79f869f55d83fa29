package audit

import (
	"context"
	"regexp"
	"slices"
	"strings"

	coordinationv1 "k8s.io/api/coordination/v1"

	"example.com/labgrader/checks/internal/oplab"
	"example.com/labgrader/grader"
	"example.com/labgrader/grader/submission"
)

func tries(ctx context.Context, view *grader.View) ([]oplab.Tried, error) {
	var names []string
	for _, s := range scenes() {
		names = append(names, trialName(s))
	}
	return oplab.Tries(ctx, view, scriptFile, names)
}

func script(ctx context.Context, view *grader.View) ([]grader.Finding, error) {
	all, err := tries(ctx, view)
	if err != nil {
		return nil, err
	}
	wrong := slices.IndexFunc(all, func(t oplab.Tried) bool { return len(compareOutput(t)) > 0 })
	if wrong < 0 {
		return grader.MeetsUnless(), nil
	}
	broken, err := oplab.Broken(view, scriptFile, all[wrong])
	if err != nil {
		return nil, err
	}
	if broken != nil {
		return []grader.Finding{*broken}, nil
	}
	f := grader.Misses(fault(all, wrong)).At(scriptFile, 0).Phrase("world", "audit.world-"+scenes()[wrong].name)
	return []grader.Finding{f.Compare("", all[wrong].Output())}, nil
}

// compareOutput returns what is wrong with what a script printed, as for the saved list.
func compareOutput(t oplab.Tried) []grader.Finding {
	var leases []coordinationv1.Lease
	for _, lease := range t.World.Leases {
		if lease.Namespace == oplab.Namespace {
			leases = append(leases, lease.Lease)
		}
	}
	return compareList(submission.TextOf(scriptFile, t.Stdout), leases)
}

var timeLike = regexp.MustCompile(`\d{2}:\d{2}:\d{2}|\b\d+[smhd]\b|(?i)\bage\b`)

// durations are not times, be they with a unit.
var (
	durations = regexp.MustCompile(`duration=\S*`)
	withUnit  = regexp.MustCompile(`duration=\d+ ?[a-z]`)
)

// fault tells from all trials which way the script goes wrong; wrong is the first in which it does.
func fault(all []oplab.Tried, wrong int) string {
	t := all[wrong]
	codes := map[string]bool{}
	for _, f := range compareOutput(t) {
		codes[f.Code] = true
	}
	only := func(code string) bool { return codes[code] && len(codes) == 1 }
	reads := 0
	same := true
	for _, other := range all {
		reads += other.LeaseReads
		same = same && other.Stdout == t.Stdout
	}
	stderr := t
	stderr.Stdout = t.Stderr
	switch {
	case strings.TrimSpace(t.Stdout) == "" && len(compareOutput(stderr)) == 0:
		return "audit.script-stderr"
	case strings.TrimSpace(t.Stdout) == "":
		return "audit.script-silent"
	case same && reads == 0:
		return "audit.script-hard-coded"
	case only("audit.unsorted"):
		return "audit.script-unsorted"
	case scenes()[wrong].name == "more-leases" && only("audit.lease-missing"):
		return "audit.script-known-names"
	case scenes()[wrong].name == "other-namespaces" && only("audit.unknown-lease"):
		return "audit.script-other-namespaces"
	case timeLike.MatchString(durations.ReplaceAllString(t.Stdout, "")):
		return "audit.script-times"
	case codes["audit.line"], withUnit.MatchString(t.Stdout):
		return "audit.script-format"
	case scenes()[wrong].name == "changed-values":
		return "audit.script-stale-values"
	}
	return "audit.script-wrong"
}

func exitCode(ctx context.Context, view *grader.View) ([]grader.Finding, error) {
	all, err := tries(ctx, view)
	if err != nil {
		return nil, err
	}
	for _, t := range all {
		if t.ExitCode != 0 {
			return []grader.Finding{grader.Misses("audit.exit-nonzero").At(scriptFile, 0).Compare("rc=0", t.Output())}, nil
		}
	}
	return grader.MeetsUnless(), nil
}

func quiet(ctx context.Context, view *grader.View) ([]grader.Finding, error) {
	all, err := tries(ctx, view)
	if err != nil {
		return nil, err
	}
	for _, t := range all {
		if len(t.Changed) > 0 {
			return []grader.Finding{grader.Misses("audit.script-writes").At(scriptFile, 0).Compare("", strings.Join(t.Changed, ", "))}, nil
		}
	}
	return grader.MeetsUnless(), nil
}
