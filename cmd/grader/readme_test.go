package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/labgrader/checks"
	"example.com/labgrader/grader"
)

var update = flag.Bool("update", false, "write generated files anew")

// The README's section about the checks says what `grader explain` says.
func TestREADMEHasTheChecks(t *testing.T) {
	const file, begin, end = "../../README.md", "<!-- checks: generated, kept true by a test -->\n", "<!-- end of checks -->"
	readme, err := os.ReadFile(file)
	require.NoError(t, err)
	before, rest, found := strings.Cut(string(readme), begin)
	require.True(t, found)
	_, after, found := strings.Cut(rest, end)
	require.True(t, found)
	var section bytes.Buffer
	for _, check := range checks.Lab().Checks {
		section.WriteString(markdown(check))
	}
	want := before + begin + "\n" + section.String() + end + after
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(want), 0o644))
		return
	}
	assert.Equal(t, want, string(readme), "run go test ./cmd/grader -run README -update")
}

// markdown writes a step's criteria as a list.
func markdown(check grader.Check) string {
	var list strings.Builder
	fmt.Fprintf(&list, "### %d. %s (`%s`)\n\n", check.Step, check.Title, check.Name)
	for _, c := range check.Criteria {
		title, rest, _ := strings.Cut(c.Doc, "\n")
		requires := ""
		if len(c.Requires) > 0 {
			requires = " Judged once " + strings.Join(c.Requires, " and ") + " passed."
		}
		fmt.Fprintf(&list, "- **%s** (`%s`, %g points). %s%s\n", title, c.Name, c.Points, strings.TrimSpace(rest), requires)
	}
	return list.String() + "\n"
}
