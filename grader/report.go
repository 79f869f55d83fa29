package grader

import "time"

// APIVersion is the version of the report's format. Its JSON Schema is in Schema.
const APIVersion = "grader/v1"

// Report is the result of grading: what `grader grade -o json` prints.
type Report struct {
	APIVersion string          `json:"apiVersion"`
	Kind       string          `json:"kind"`
	Lab        string          `json:"lab"`
	Verdict    Verdict         `json:"verdict"`
	Score      Score           `json:"score"`
	Evidence   EvidenceSummary `json:"evidence"`
	Grader     GraderSummary   `json:"grader"`
	Steps      []StepReport    `json:"steps"`
	Errors     []string        `json:"errors"`
}

// Score counts points.
type Score struct {
	Earned   float64 `json:"earned"`
	Possible float64 `json:"possible"`
}

// EvidenceSummary says what was graded. Source is where it came from: "live", or "bundle".
type EvidenceSummary struct {
	Source        string     `json:"source,omitempty"`
	Digest        string     `json:"digest"`
	CapturedAt    *time.Time `json:"capturedAt,omitempty"`
	ServerVersion string     `json:"serverVersion,omitempty"`
	Sandbox       *Sandbox   `json:"sandbox,omitempty"`
}

// GraderSummary says who graded.
type GraderSummary struct {
	Version string `json:"version"`
}

// StepReport is the result of one check.
type StepReport struct {
	Number   int               `json:"number"`
	Name     string            `json:"name"`
	Title    string            `json:"title"`
	Verdict  Verdict           `json:"verdict"`
	Score    Score             `json:"score"`
	Criteria []CriterionReport `json:"criteria"`
	Notes    []FindingReport   `json:"notes"`
}

// CriterionReport is the result of one criterion.
type CriterionReport struct {
	Name     string          `json:"name"`
	Title    string          `json:"title"`
	Verdict  Verdict         `json:"verdict"`
	Points   Score           `json:"points"`
	Findings []FindingReport `json:"findings"`
}

// FindingReport is a finding as a learner sees it. Message and Hint are filled by a catalogue, in its language.
type FindingReport struct {
	Code    string  `json:"code"`
	Message string  `json:"message"`
	Hint    string  `json:"hint,omitempty"`
	Want    string  `json:"want,omitempty"`
	Got     string  `json:"got,omitempty"`
	Source  *Source `json:"source,omitempty"`
	// Args are the arguments of the message, escaped.
	Args map[string]string `json:"-"`
	// Phrases are arguments that are codes of phrases.
	Phrases map[string]string `json:"-"`
}

// newFindingReport is where findings become visible, and where everything in them is escaped.
func newFindingReport(f Finding) FindingReport {
	r := FindingReport{Code: f.Code, Phrases: f.Phrases, Want: Escape(f.Want), Got: Escape(f.Got)}
	if f.Source.File != "" {
		source := Source{File: Escape(f.Source.File), Line: f.Source.Line}
		r.Source = &source
	}
	if len(f.Args) > 0 {
		r.Args = make(map[string]string, len(f.Args))
		for k, v := range f.Args {
			r.Args[k] = Escape(v)
		}
	}
	return r
}
