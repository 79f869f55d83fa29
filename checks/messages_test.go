package checks_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/labgrader/grader"
)

// shownFindings calls f for every finding of every case, in English, with the verdict that it belongs to.
func shownFindings(t *testing.T, f func(path string, verdict grader.Verdict, finding grader.FindingReport)) {
	t.Helper()
	for _, c := range gradedCases(t) {
		for _, step := range c.report.Steps {
			for _, note := range step.Notes {
				f(c.path, grader.Fail, note) // a note fails its criterion when grading is strict
			}
			for _, criterion := range step.Criteria {
				for _, finding := range criterion.Findings {
					f(c.path, criterion.Verdict, finding)
				}
			}
		}
	}
}

// shown is what a finding wants or got, line by line; nothing if it compares nothing.
func shown(label, value string) string {
	if value == "" {
		return ""
	}
	return "  " + label + ": " + strings.ReplaceAll(value, "\n", "\n    ") + "\n"
}

// The golden holds the English text of each code as a learner first meets it, to be read by a person.
func TestMessages(t *testing.T) {
	examples := map[string]string{}
	shownFindings(t, func(path string, _ grader.Verdict, f grader.FindingReport) {
		if _, seen := examples[f.Code]; seen {
			return
		}
		place := path
		if f.Source != nil {
			place += fmt.Sprintf(" %s:%d", f.Source.File, f.Source.Line)
		}
		examples[f.Code] = fmt.Sprintf("%s (%s)\n  %s\n  %s\n", f.Code, place, f.Message, f.Hint) + shown("want", f.Want) + shown("got", f.Got)
	})
	// Each recording has its own times, and ages that count from them.
	aTime := regexp.MustCompile(`\d{4}-\d{2}-\d{2}T[0-9:.]+(Z|[+-]\d{2}:\d{2})`)
	aDuration := regexp.MustCompile(`\b(\d+h)?(\d+m)?\d+(\.\d+)?s\b`)
	var all strings.Builder
	for _, code := range slices.Sorted(maps.Keys(examples)) {
		text := aTime.ReplaceAllString(examples[code], "2026-01-01T00:00:00.000000Z")
		all.WriteString(aDuration.ReplaceAllString(text, "1m0s"))
	}
	golden := filepath.Join("testdata", "messages.golden")
	if *update {
		require.NoError(t, os.MkdirAll("testdata", 0o755))
		require.NoError(t, os.WriteFile(golden, []byte(all.String()), 0o644))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	assert.Equal(t, string(want), all.String(), "read the texts, then run go test ./checks -run Messages -update")
}

// A learner is told what is wrong, not given the file to hand in.
func TestNoMessageGivesTheSolutionAway(t *testing.T) {
	solution := reference(t)().files
	shownFindings(t, func(path string, _ grader.Verdict, f grader.FindingReport) {
		for name, content := range solution {
			for _, text := range []string{f.Message, f.Hint, f.Want} {
				assert.NotContains(t, text, strings.TrimSpace(content), "%s: %s gives %s away", path, f.Code, name)
			}
		}
	})
}
