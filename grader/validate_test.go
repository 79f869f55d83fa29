package grader

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func goodLab() Lab {
	run := returns(MeetsUnless(), nil)
	return labOf(
		Criterion{Name: "a", Run: run, Needs: []Need{{File: "f"}}},
		Criterion{Name: "b", Run: run, Requires: []string{"a"}, Consults: []string{"one.a"}, Needs: []Need{{File: "f"}, {File: "g"}}},
	)
}

func TestValidate(t *testing.T) {
	require.NoError(t, goodLab().Validate())
	for name, test := range map[string]struct {
		spoil func(*Lab)
		want  string
	}{
		"lab without name":      {func(l *Lab) { l.Name = "" }, "needs a name"},
		"no checks":             {func(l *Lab) { l.Checks = nil }, "and checks"},
		"step out of order":     {func(l *Lab) { l.Checks[0].Step = 2 }, "step 2 at position 1"},
		"check name":            {func(l *Lab) { l.Checks[0].Name = "One" }, "needs a name in lower case"},
		"no messages":           {func(l *Lab) { l.Checks[0].Messages = nil }, "messages"},
		"same check twice":      {func(l *Lab) { l.Checks = append(l.Checks, l.Checks[0]) }, "used twice"},
		"criterion name":        {func(l *Lab) { l.Checks[0].Criteria[0].Name = "a.b" }, "needs a name in lower case"},
		"no documentation":      {func(l *Lab) { l.Checks[0].Criteria[0].Doc = "" }, "documentation"},
		"no function":           {func(l *Lab) { l.Checks[0].Criteria[0].Run = nil }, "a function"},
		"no points":             {func(l *Lab) { l.Checks[0].Criteria[0].Points = 0 }, "points"},
		"points do not add up":  {func(l *Lab) { l.Checks[0].Criteria[0].Points = 1 }, "add up to 51 points"},
		"same criterion twice":  {func(l *Lab) { l.Checks[0].Criteria[1].Name = "a" }, "declared twice"},
		"requires unknown":      {func(l *Lab) { l.Checks[0].Criteria[1].Requires = []string{"z"} }, "one.z, which does not exist"},
		"consults unknown":      {func(l *Lab) { l.Checks[0].Criteria[1].Consults = []string{"two.a"} }, "two.a, which does not exist"},
		"an empty need":         {func(l *Lab) { l.Checks[0].Criteria[0].Needs = []Need{{}} }, "empty need at position 1"},
		"waiting in a circle":   {func(l *Lab) { l.Checks[0].Criteria[0].Requires = []string{"b"} }, "wait for each other"},
		"waiting for oneself":   {func(l *Lab) { l.Checks[0].Criteria[0].Consults = []string{"one.a"} }, "wait for each other"},
		"circle by consulting":  {func(l *Lab) { l.Checks[0].Criteria[0].Consults = []string{"one.b"} }, "[one.a one.b one.a]"},
		"title of a check":      {func(l *Lab) { l.Checks[0].Title = "" }, "a title"},
		"lab without any title": {func(l *Lab) { l.Title = "" }, "a title"},
	} {
		t.Run(name, func(t *testing.T) {
			lab := goodLab()
			test.spoil(&lab)
			assert.ErrorContains(t, lab.Validate(), test.want)
		})
	}
}

func TestNeedsAreTheUnionOfWhatTheStepsRead(t *testing.T) {
	lab := goodLab()
	second := lab.Checks[0]
	second.Step, second.Name = 2, "two"
	second.Criteria = []Criterion{{Name: "a", Consults: []string{"one.b"}, Needs: []Need{{File: "h"}}}}
	third := Check{Step: 3, Name: "three", Criteria: []Criterion{{Name: "a", Needs: []Need{{File: "i"}}}}}
	lab.Checks = append(lab.Checks, second, third)
	assert.Equal(t, []Need{{File: "h"}, {File: "f"}, {File: "g"}}, lab.Needs(2), "what is consulted is read too, once")
	assert.Equal(t, []Need{{File: "f"}, {File: "g"}, {File: "h"}, {File: "i"}}, lab.Needs())
	assert.NoError(t, lab.CheckSteps([]int{1, 3}))
	assert.ErrorContains(t, lab.CheckSteps([]int{4, 0}), "no step 4")
}

// A circle that Validate would have refused must still end in a verdict.
func TestCircleEndsInAnError(t *testing.T) {
	lab := goodLab()
	lab.Checks[0].Criteria[0].Requires = []string{"b"}
	assert.NotEqual(t, Pass, Grade(lab, &Evidence{}, Options{}).Verdict)
}

// The other criterion makes up for these points, so that the sum of the step is right.
func TestPointsAreMoreThanNothing(t *testing.T) {
	for _, points := range []float64{0, -1} {
		lab := goodLab()
		lab.Checks[0].Criteria[0].Points = points
		lab.Checks[0].Criteria[1].Points = FullScore - points
		err := lab.Validate()
		assert.ErrorContains(t, err, "one.a needs", "%g", points)
		assert.NotContains(t, err.Error(), "add up", "%g", points)
	}
}

func TestACircleIsNamedOnce(t *testing.T) {
	lab := goodLab()
	lab.Checks[0].Criteria[0].Requires = []string{"b"}
	lab.Checks[0].Criteria[1].Consults = nil
	assert.EqualError(t, lab.Validate(), "criteria wait for each other: [one.a one.b one.a]")
}
