package grader

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestFindingsAddUpInAnyOrder(t *testing.T) {
	miss, note := Misses("one.x"), Notes("one.n")
	for name, test := range map[string]struct {
		findings       []Finding
		lenient, stern Verdict
	}{
		"a note behind a miss":  {[]Finding{miss, note}, Fail, Fail}, // the note must not take the miss back
		"a miss behind a note":  {[]Finding{note, miss}, Fail, Fail},
		"all three":             {[]Finding{Meets(), miss, note}, Fail, Fail},
		"met behind a miss":     {[]Finding{miss, Meets()}, Fail, Fail},
		"met and a note":        {[]Finding{Meets(), note}, Pass, Fail},
		"a note alone":          {[]Finding{note}, Error, Fail},
		"a note without a code": {[]Finding{Meets(), {Kind: Noted}}, Error, Error},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, test.lenient, (&grading{}).conclude(test.findings, nil).verdict)
			assert.Equal(t, test.stern, (&grading{strict: true}).conclude(test.findings, nil).verdict)
		})
	}
}

func TestAFindingReturnedAsErrorJoinsTheOthers(t *testing.T) {
	res := (&grading{}).conclude([]Finding{Meets()}, errors.Join(Misses("one.x")))
	assert.Equal(t, result{verdict: Fail, findings: []Finding{Meets(), Misses("one.x")}}, res)
}

// Trouble is what makes the criteria that depend on this one errors, too; a learner's failure must not.
func TestOnlyAnErrorLeavesTrouble(t *testing.T) {
	assert.Equal(t, "refused", (&grading{}).conclude(nil, errors.New("refused")).trouble)
	assert.Empty(t, (&grading{}).conclude([]Finding{Misses("one.x")}, nil).trouble)
}

func TestMeetsUnless(t *testing.T) {
	miss, note := Misses("one.x"), Notes("one.n")
	assert.Equal(t, []Finding{Meets()}, MeetsUnless())
	assert.Equal(t, []Finding{note, Meets()}, MeetsUnless(note))
	assert.Equal(t, []Finding{note, miss}, MeetsUnless(note, miss), "a criterion that missed does not say that it is met")
	assert.Equal(t, []Finding{{}}, MeetsUnless(Finding{}), "nor does one that did not decide")
}

func TestAPassingCriterionHasNoFindings(t *testing.T) {
	c := Grade(labOf(Criterion{Name: "c", Run: returns(MeetsUnless(), nil)}), &Evidence{}, Options{}).Steps[0].Criteria[0]
	assert.Equal(t, Pass, c.Verdict)
	assert.NotNil(t, c.Findings, "it is an empty list in JSON, not null")
	assert.Empty(t, c.Findings, "nothing has an empty code for a message")
}

func TestReportSaysWhenTheEvidenceWasCaptured(t *testing.T) {
	at := time.Date(2026, 1, 2, 12, 4, 5, 0, time.FixedZone("KST", 9*60*60))
	report := Grade(labOf(), &Evidence{CapturedAt: at}, Options{})
	require.NotNil(t, report.Evidence.CapturedAt)
	assert.Equal(t, "2026-01-02T03:04:05Z", report.Evidence.CapturedAt.Format(time.RFC3339))
	assert.Nil(t, Grade(labOf(), &Evidence{}, Options{}).Evidence.CapturedAt, "no server, no time: not the year 1")
}

func TestAStepIsReportedOnceInTheOrderOfTheLab(t *testing.T) {
	lab := labOf(Criterion{Name: "c", Run: returns(MeetsUnless(), nil)})
	second := lab.Checks[0]
	second.Step, second.Name = 2, "two"
	lab.Checks = append(lab.Checks, second)
	for name, test := range map[string]struct{ steps, want []int }{
		"all":         {nil, []int{1, 2}},
		"one":         {[]int{2}, []int{2}},
		"one twice":   {[]int{1, 1}, []int{1}},
		"other order": {[]int{2, 1, 2}, []int{1, 2}},
	} {
		t.Run(name, func(t *testing.T) {
			report := Grade(lab, &Evidence{}, Options{Steps: test.steps})
			var got []int
			for _, step := range report.Steps {
				got = append(got, step.Number)
			}
			assert.Equal(t, test.want, got)
			assert.InDelta(t, FullScore*float64(len(test.want)), report.Score.Possible, 1e-9)
		})
	}
}

// Validate refuses such a lab; one that was not validated must not crash the grader.
func TestACriterionThatDoesNotExistIsTrouble(t *testing.T) {
	lab := labOf(Criterion{Name: "a", Requires: []string{"z"}, Needs: []Need{{File: "f"}}, Run: returns(MeetsUnless(), nil)})
	assert.Equal(t, []Need{{File: "f"}}, lab.Needs())
	g := grading{lab: lab, evidence: &Evidence{}, results: map[string]result{}}
	res := g.result("one.a")
	assert.Equal(t, Blocked, res.verdict)
	assert.Contains(t, res.trouble, "there is no criterion one.z")
}

func TestAFindingSaysNoMoreThanItHas(t *testing.T) {
	assert.Equal(t, FindingReport{Code: "one.x"}, newFindingReport(Misses("one.x")))
}
