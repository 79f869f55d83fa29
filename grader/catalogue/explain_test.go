package catalogue_test

import (
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/labgrader/grader"
	"example.com/labgrader/grader/catalogue"
)

// braces has what a template would trip over: these texts are no templates.
const braces = "쓰세요: {{.name}} {{"

func explained(t *testing.T) (*catalogue.Catalogue, grader.Check) {
	t.Helper()
	check := grader.Check{
		Step: 1, Name: "one", Title: "First {{.x}}",
		Criteria: []grader.Criterion{{Name: "a", Doc: "A title\n\nA body."}, {Name: "bare", Doc: "Only a title"}},
		Messages: fstest.MapFS{
			"messages.en.yaml": {Data: []byte("one:\n  task: |-\n    Write {{.name}}.\n")},
			"messages.ko.yaml": {Data: []byte("one:\n  title: 첫째\n  task: |-\n    " + braces + "\none/a:\n  title: 제목\n  doc: 본문.\n")},
		},
	}
	lab := labWith(english, "shared.y:\n  message: Shared.\n")
	lab.Checks = []grader.Check{check}
	texts, err := catalogue.New(lab)
	require.NoError(t, err)
	return texts, check
}

func TestExplain(t *testing.T) {
	texts, check := explained(t)
	english, task := texts.Explain(check, "en")
	assert.Equal(t, check, english, "English titles and documentation are the code's")
	assert.Equal(t, "Write {{.name}}.", task)
	korean, task := texts.Explain(check, "ko")
	assert.Equal(t, "첫째", korean.Title)
	assert.Equal(t, braces, task)
	assert.Equal(t, "제목\n\n본문.", korean.Criteria[0].Doc)
	assert.Equal(t, "Only a title", korean.Criteria[1].Doc, "English stands in")
	assert.Equal(t, "A title\n\nA body.", check.Criteria[0].Doc, "the check stays as it is")
}

func TestFillTranslatesTitles(t *testing.T) {
	texts, _ := explained(t)
	r := grader.Report{Steps: []grader.StepReport{
		{Name: "one", Title: "First {{.x}}", Criteria: []grader.CriterionReport{{Name: "a", Title: "A title"}, {Name: "bare", Title: "Only a title"}}},
		{Name: "two", Title: "Unknown"},
	}}
	texts.Fill(&r, "ko")
	assert.Equal(t, "첫째", r.Steps[0].Title)
	assert.Equal(t, "제목", r.Steps[0].Criteria[0].Title)
	assert.Equal(t, "Only a title", r.Steps[0].Criteria[1].Title)
	assert.Equal(t, "Unknown", r.Steps[1].Title)
	texts.Fill(&r, "en")
	assert.Equal(t, "First {{.x}}", r.Steps[0].Title)
}

func TestLabels(t *testing.T) {
	texts, _ := explained(t)
	want := catalogue.Labels{Want: "want", Got: "got", Note: "note", Error: "error", Points: "points", Requires: "judged once these pass"}
	for _, lang := range []string{"en", "tlh"} {
		assert.Equal(t, want, texts.Labels(lang))
	}
}
