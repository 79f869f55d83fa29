package catalogue_test

import (
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/labgrader/grader"
	"example.com/labgrader/grader/catalogue"
)

func labWith(messages, shared string) grader.Lab {
	return grader.Lab{
		Messages: fstest.MapFS{"messages.en.yaml": {Data: []byte(shared)}},
		Checks:   []grader.Check{{Name: "one", Messages: fstest.MapFS{"messages.en.yaml": {Data: []byte(messages)}, "messages.ko.yaml": {Data: []byte("one.x:\n  message: \"홀더는 {{.holder}} 입니다.\"\n")}}}},
	}
}

const english = `
one.x:
  message: "The holder is {{.holder}} when {{.world}}."
  hint: "Look at {{.holder}}."
one.world-late:
  message: "it was {{.age}} late"
`

func report(findings ...grader.FindingReport) grader.Report {
	return grader.Report{Steps: []grader.StepReport{{Criteria: []grader.CriterionReport{{Findings: findings}}, Notes: findings}}}
}

func TestFill(t *testing.T) {
	texts, err := catalogue.New(labWith(english, "shared.y:\n  message: Shared.\n"))
	require.NoError(t, err)
	r := report(
		grader.FindingReport{Code: "one.x", Args: map[string]string{"holder": "<a & b>", "age": "3s"}, Phrases: map[string]string{"world": "one.world-late"}},
		grader.FindingReport{Code: "shared.y"},
		grader.FindingReport{Code: "one.unknown"},
		grader.FindingReport{Code: grader.CodeError, Args: map[string]string{"reason": "refused"}},
	)
	texts.Fill(&r)
	got := r.Steps[0].Criteria[0].Findings
	assert.Equal(t, "The holder is <a & b> when it was 3s late.", got[0].Message)
	assert.Equal(t, "Look at <a & b>.", got[0].Hint)
	assert.Equal(t, "Shared.", got[1].Message)
	assert.Empty(t, got[1].Hint)
	assert.Equal(t, "one.unknown", got[2].Message, "a code without a text is shown itself")
	assert.Contains(t, got[3].Message, "refused")
	assert.Equal(t, map[string]string{"holder": "<a & b>", "age": "3s"}, got[0].Args, "arguments stay as they are")
}

func TestAnotherLanguageFallsBackToEnglish(t *testing.T) {
	texts, err := catalogue.New(labWith(english, "shared.y:\n  message: Shared.\n"))
	require.NoError(t, err)
	r := report(grader.FindingReport{Code: "one.x", Args: map[string]string{"holder": "x"}}, grader.FindingReport{Code: "shared.y"})
	texts.Fill(&r, "ko")
	assert.Equal(t, "홀더는 x 입니다.", r.Steps[0].Criteria[0].Findings[0].Message)
	assert.Equal(t, "Look at x.", r.Steps[0].Criteria[0].Findings[0].Hint)
	assert.Equal(t, "Shared.", r.Steps[0].Criteria[0].Findings[1].Message)
}

func TestCataloguesThatCannotBeRead(t *testing.T) {
	_, err := catalogue.New(labWith("one.x: [", "a.b:\n  message: x\n"))
	assert.ErrorContains(t, err, "loading the messages of one")
	lab := labWith(english, "a.b:\n  message: x\n")
	lab.Messages = fstest.MapFS{}
	_, err = catalogue.New(lab)
	assert.ErrorContains(t, err, "no messages.LANG.yaml")
}
