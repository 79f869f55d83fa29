package checks_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/labgrader/checks"
	"example.com/labgrader/grader"
	"example.com/labgrader/grader/bundle"
	"example.com/labgrader/grader/catalogue"
	"example.com/labgrader/grader/gradertest"
)

const fixtures = "../fixtures"

var update = flag.Bool("update", false, "write files that are made from cases")

// loadCases reads the corpus once for all tests.
var loadCases = sync.OnceValues(func() ([]*gradertest.Case, error) {
	paths, err := filepath.Glob(filepath.Join(fixtures, "corpus", "*", "*.txtar"))
	if err != nil {
		return nil, err
	}
	var all []*gradertest.Case
	for _, path := range paths {
		c, err := gradertest.Load(path)
		if err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	return all, nil
})

func cases(t *testing.T) []*gradertest.Case {
	t.Helper()
	all, err := loadCases()
	require.NoError(t, err)
	require.NotEmpty(t, all)
	for _, c := range all {
		require.NotNil(t, c.Bundle, "%s has no recording: run scripts/record -stale", c.Path)
	}
	return all
}

// graded is what became of a case.
type graded struct {
	path   string // below the corpus
	report grader.Report
}

// gradeCases judges the corpus once for all tests that only read the reports, with the texts in English.
var gradeCases = sync.OnceValues(func() ([]graded, error) {
	all, err := loadCases()
	if err != nil {
		return nil, err
	}
	lab := checks.Lab()
	texts, err := catalogue.New(lab)
	if err != nil {
		return nil, err
	}
	var done []graded
	for _, c := range all {
		report := c.Grade(lab)
		texts.Fill(&report)
		done = append(done, graded{strings.TrimPrefix(c.Path, fixtures+"/corpus/"), report})
	}
	return done, nil
})

func gradedCases(t *testing.T) []graded {
	t.Helper()
	cases(t)
	all, err := gradeCases()
	require.NoError(t, err)
	return all
}

func TestLabIsValid(t *testing.T) { require.NoError(t, checks.Lab().Validate()) }

func TestCasesGetTheirVerdicts(t *testing.T) {
	solution, err := os.ReadFile(filepath.Join(fixtures, "solution", "solve.sh"))
	require.NoError(t, err)
	for _, c := range cases(t) {
		t.Run(strings.TrimPrefix(c.Path, fixtures+"/corpus/"), func(t *testing.T) {
			assert.NotEmpty(t, c.Doc, "a case says what it shows")
			assert.Contains(t, []grader.Verdict{grader.Pass, grader.Fail, grader.Error}, c.Verdict)
			assert.Empty(t, c.Compare(checks.Lab()))
			assert.False(t, c.Stale(solution), "the script was changed after recording: run scripts/record -stale")
		})
	}
}

// A criterion that no case passes, or none fails, might not be able to.
func TestEveryCriterionIsShownToPassAndToFail(t *testing.T) {
	lab := checks.Lab()
	seen := map[string]bool{}
	for _, c := range gradedCases(t) {
		for _, step := range c.report.Steps {
			for _, criterion := range step.Criteria {
				seen[step.Name+"."+criterion.Name+" "+string(criterion.Verdict)] = true
			}
		}
	}
	for _, check := range lab.Checks {
		for _, criterion := range check.Criteria {
			for _, verdict := range []grader.Verdict{grader.Pass, grader.Fail} {
				assert.True(t, seen[check.Name+"."+criterion.Name+" "+string(verdict)], "no case in which %s.%s is %s", check.Name, criterion.Name, verdict)
			}
		}
	}
}

// One way to meet a criterion beside the reference, and two to miss it, are the least that shows where it draws its line.
func TestEveryCriterionIsShownInSeveralWays(t *testing.T) {
	for _, count := range gradertest.Counts(checks.Lab(), cases(t)) {
		assert.GreaterOrEqual(t, count.Honest, 2, "%s.%s: honest cases", count.Check, count.Criterion)
		assert.GreaterOrEqual(t, count.Faulty, 2, "%s.%s: faulty cases", count.Check, count.Criterion)
	}
}

func TestEveryFindingHasItsText(t *testing.T) {
	shownFindings(t, func(path string, verdict grader.Verdict, f grader.FindingReport) {
		assert.NotEqual(t, f.Code, f.Message, "%s: %s has no text", path, f.Code)
		assert.NotContains(t, f.Message+f.Hint, "<no value>", "%s: %s lacks an argument", path, f.Code)
		if f.Code != grader.CodeBlocked && f.Code != grader.CodeError && verdict != grader.Pass {
			assert.NotEmpty(t, f.Hint, "%s: %s does not say what to do", path, f.Code)
		}
	})
}

// scripts/demo grades the reference case's recording as a bundle. With -update it is written anew.
func TestDemoBundleIsTheReferenceCase(t *testing.T) {
	const demo = fixtures + "/solution/bundle.tar.gz"
	c, err := gradertest.Load(filepath.Join(fixtures, "corpus", "expiry", "pass-reference.txtar"))
	require.NoError(t, err)
	if *update {
		require.NoError(t, c.Bundle.WriteFile(demo))
		require.NoError(t, os.Chmod(demo, 0o644))
	}
	b, err := bundle.ReadFile(demo)
	require.NoError(t, err)
	assert.Equal(t, c.Bundle.Digest(), b.Digest(), "run go test ./checks -run DemoBundle -update")
}

func TestSameEvidenceSameReport(t *testing.T) {
	lab := checks.Lab()
	c, err := gradertest.Load(filepath.Join(fixtures, "corpus", "expiry", "pass-reference.txtar"))
	require.NoError(t, err)
	first := grader.Grade(lab, c.Bundle.Evidence(), grader.Options{})
	assert.Equal(t, grader.FullScore, first.Score.Earned)
	for range 200 {
		require.Equal(t, first, grader.Grade(lab, c.Bundle.Evidence(), grader.Options{}))
	}
}

func BenchmarkGradeBundle(b *testing.B) {
	lab := checks.Lab()
	c, err := gradertest.Load(filepath.Join(fixtures, "corpus", "expiry", "pass-reference.txtar"))
	require.NoError(b, err)
	for b.Loop() {
		if grader.Grade(lab, c.Bundle.Evidence(), grader.Options{}).Verdict != grader.Pass {
			b.Fatal("the reference does not pass")
		}
	}
}
