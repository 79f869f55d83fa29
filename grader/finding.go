package grader

import (
	"fmt"
	"maps"
)

// Kind says what a finding means for its criterion. The zero Kind means that nobody decided: the verdict is Error.
type Kind string

const (
	// Met: what the criterion asks was seen. A criterion passes only by saying so.
	Met Kind = "met"
	// Missed: what the criterion asks was seen not to be there.
	Missed Kind = "missed"
	// Noted: an observation that costs no points unless grading is strict.
	Noted Kind = "noted"
)

// Source is the place in a submission that a finding is about. Line counts from 1; 0 means the whole file.
type Source struct {
	File string `json:"file"`
	Line int    `json:"line,omitempty"`
}

// Finding is one observation of a criterion. Code is stable and independent of language; the catalogue turns it and
// Args into a message and a hint. Want and Got are shown as they are, escaped and cut.
//
// A Finding is also an error, so that a helper which reads a file can return what is wrong with it: the engine
// takes a Finding returned as error for that finding, and every other error for trouble of the grader.
type Finding struct {
	Kind      Kind
	Code      string
	Args      map[string]string
	Phrases   map[string]string // arguments that are phrases of the catalogue themselves, by their codes
	Want, Got string
	Source    Source
}

// Error gives the code and the place; it is meant for logs, not for learners.
func (f Finding) Error() string {
	return fmt.Sprintf("finding %s in %s:%d", f.Code, f.Source.File, f.Source.Line)
}

// Meets is the finding that a criterion returns to pass.
func Meets() Finding { return Finding{Kind: Met} }

// Misses starts a finding that fails its criterion.
func Misses(code string) Finding { return Finding{Kind: Missed, Code: code} }

// Notes starts a finding that costs no points unless grading is strict.
func Notes(code string) Finding { return Finding{Kind: Noted, Code: code} }

// With returns the finding with one more argument for its message.
func (f Finding) With(name, value string) Finding {
	f.Args = with(f.Args, name, value)
	return f
}

// Phrase returns the finding with one more argument whose value is the catalogue's text of a code.
func (f Finding) Phrase(name, code string) Finding {
	f.Phrases = with(f.Phrases, name, code)
	return f
}

func with(args map[string]string, name, value string) map[string]string {
	all := maps.Clone(args)
	if all == nil {
		all = map[string]string{}
	}
	all[name] = value
	return all
}

// At returns the finding with the place that it is about.
func (f Finding) At(file string, line int) Finding {
	f.Source = Source{File: file, Line: line}
	return f
}

// Compare returns the finding with what was wanted and what was found instead.
func (f Finding) Compare(want, got string) Finding {
	f.Want, f.Got = want, got
	return f
}

// MeetsUnless returns the findings, and with them that the criterion is met if none of them is a miss. It is for
// criteria that collect every miss: calling it says that all of them have been looked for.
func MeetsUnless(findings ...Finding) []Finding {
	for _, f := range findings {
		if f.Kind != Noted {
			return findings
		}
	}
	return append(findings, Meets())
}
