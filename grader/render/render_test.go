package render

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/labgrader/grader"
)

var update = flag.Bool("update", false, "write the golden files anew")

func english() Labels {
	return Labels{Want: "want", Got: "got", Note: "note", Error: "error", Points: "points", Requires: "judged once these pass"}
}

// sample has every kind of thing that a report can hold, in widths that do not fit.
func sample() grader.Report {
	finding := grader.FindingReport{
		Code: "one.x", Message: "The holder is not what the step asks for, which is a sentence that is longer than one line of the table.",
		Hint: "Look at it with kubectl and compare.", Want: "widget-operator-0", Got: "somebody-else\nand a second line",
		Source: &grader.Source{File: "takeover.txt", Line: 3},
	}
	wide := grader.FindingReport{Code: "two.x", Message: strings.Repeat("임차를갱신하지않았습니다", 6), Source: &grader.Source{File: "renew-log.txt"}}
	return grader.Report{
		APIVersion: grader.APIVersion, Kind: "Report", Lab: "op-leader", Verdict: grader.Error, Score: grader.Score{Earned: 87.5, Possible: 100},
		Evidence: grader.EvidenceSummary{Source: "live", Digest: "sha256:0", ServerVersion: "v1.37.2", Sandbox: &grader.Sandbox{Tier: "B", Missing: []string{"user namespaces: operation not permitted"}}},
		Steps: []grader.StepReport{
			{Number: 1, Name: "one", Title: "One lease decides the leader", Verdict: grader.Pass, Score: grader.Score{Earned: 12.5, Possible: 12.5},
				Criteria: []grader.CriterionReport{{Name: "a", Title: "A", Verdict: grader.Pass}}, Notes: []grader.FindingReport{{Code: "one.n", Message: "The Lease was created anew."}}},
			{Number: 2, Name: "two", Title: "리더는 쉬지 않고 갱신한다 — 그리고 이 제목은 한 줄에 다 들어가지 않을 만큼 깁니다", Verdict: grader.Fail, Score: grader.Score{Earned: 9.25, Possible: 12.5},
				Criteria: []grader.CriterionReport{{Name: "b", Title: "B", Verdict: grader.Fail, Findings: []grader.FindingReport{finding, wide}}, {Name: "c", Title: "C", Verdict: grader.Blocked, Findings: []grader.FindingReport{{Code: grader.CodeBlocked, Message: "Not judged: b."}}}}},
			{Number: 10, Name: "ten", Title: "<script> & co", Verdict: grader.Error, Criteria: []grader.CriterionReport{{Name: "d", Title: "D", Verdict: grader.Error}}},
		},
		Errors: []string{"listing leases.coordination.k8s.io in op-leader: asking https://127.0.0.1:6443: connection refused (and 11 more requests likewise)"},
	}
}

func TestGolden(t *testing.T) {
	for name, options := range map[string]Options{"json": {}, "text": {Labels: english()}, "text-colour": {Colour: true, Labels: english()}} {
		t.Run(name, func(t *testing.T) {
			format, _, _ := strings.Cut(name, "-")
			var out bytes.Buffer
			require.NoError(t, Report(&out, format, sample(), options))
			golden := filepath.Join("testdata", name+".golden")
			if *update {
				require.NoError(t, os.WriteFile(golden, out.Bytes(), 0o644))
			}
			want, err := os.ReadFile(golden)
			require.NoError(t, err)
			assert.Equal(t, string(want), out.String())
		})
	}
}

func TestTextKeepsToEightyColumns(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, Text(&out, sample(), Options{Labels: english()}))
	for _, line := range strings.Split(out.String(), "\n") {
		assert.LessOrEqual(t, cells().StringWidth(line), columns, line)
	}
}

func TestTextHidesNothing(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, Text(&out, sample(), Options{Labels: english()}))
	text := strings.Join(strings.Fields(out.String()), "")
	for _, want := range []string{"takeover.txt:3", "somebody-else", "secondline", "note:", "widget-operator-0", "Notjudged:b.", "connectionrefused", "87.5/100", "9.25/12.5"} {
		assert.Contains(t, text, want)
	}
}

func TestJSONIsOneObjectThatReadsBack(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, JSON(&out, sample()))
	var back grader.Report
	require.NoError(t, json.Unmarshal(out.Bytes(), &back))
	assert.Equal(t, sample(), back)
	assert.Contains(t, out.String(), "<script> & co")
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

func TestErrors(t *testing.T) {
	assert.ErrorContains(t, Report(broken{}, "text", sample(), Options{}), "no space left")
	assert.ErrorContains(t, Report(broken{}, "json", sample(), Options{}), "no space left")
	assert.ErrorContains(t, Report(broken{}, "xml", sample(), Options{}), `no format "xml"`)
	assert.True(t, Known("text"))
	assert.False(t, Known("xml"))
}
