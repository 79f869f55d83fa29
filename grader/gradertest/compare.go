package gradertest

import (
	"fmt"
	"slices"

	"example.com/labgrader/grader"
)

// Compare grades the case's evidence and returns in a sentence each what is not as the case states.
func (c *Case) Compare(lab grader.Lab) []string {
	if c.Bundle == nil {
		return []string{"it has no recording: run scripts/record " + c.Path}
	}
	report := c.Grade(lab)
	var wrong []string
	seen := false
	for _, step := range report.Steps {
		want := grader.Pass
		if verdict, ok := c.Want.Also[step.Name]; ok {
			want = verdict
		}
		if step.Name == c.Step {
			want, seen = c.Verdict, true
		}
		codes := Codes(step)
		if step.Verdict != want {
			wrong = append(wrong, fmt.Sprintf("step %s is %s, not %s: %q", step.Name, step.Verdict, want, codes))
		}
		if step.Name == c.Step && !slices.Equal(codes, c.Want.Codes) {
			wrong = append(wrong, fmt.Sprintf("the codes of %s are %q, not %q", step.Name, codes, c.Want.Codes))
		}
		if want != grader.Error {
			wrong = append(wrong, unexplained(step)...)
		}
	}
	if !seen && c.Step != "corpus" {
		wrong = append(wrong, "there is no step "+c.Step)
	}
	return wrong
}

// Grade grades the case's evidence by the criteria that it was recorded for.
func (c *Case) Grade(lab grader.Lab) grader.Report {
	return grader.Grade(c.lab(lab), c.Bundle.Evidence(), grader.Options{Steps: c.Want.Steps})
}

// lab returns the lab as the case needs it: trials are run only in cases about a step that has some, since a case about
// another step uses the reference solution's scripts.
func (c *Case) lab(lab grader.Lab) grader.Lab {
	for _, check := range lab.Checks {
		if check.Name == c.Step && slices.ContainsFunc(check.Criteria, tries) {
			return lab
		}
	}
	return WithoutTrials(lab)
}

// WithoutTrials returns the lab without the criteria that run scripts.
func WithoutTrials(lab grader.Lab) grader.Lab {
	var checks []grader.Check
	for _, check := range lab.Checks {
		check.Criteria = slices.DeleteFunc(slices.Clone(check.Criteria), tries)
		checks = append(checks, check)
	}
	lab.Checks = checks
	return lab
}

func tries(c grader.Criterion) bool {
	return slices.ContainsFunc(c.Needs, func(n grader.Need) bool { return n.Trial != nil })
}

// Codes returns the codes of a step's findings and notes, in order. What a passed criterion rests on is left out, and that a
// criterion is blocked: it follows.
func Codes(step grader.StepReport) []string {
	var codes []string
	for _, c := range step.Criteria {
		for _, f := range c.Findings {
			if f.Code != grader.CodeBlocked && c.Verdict != grader.Pass {
				codes = append(codes, f.Code)
			}
		}
	}
	for _, note := range step.Notes {
		codes = append(codes, note.Code)
	}
	return codes
}

// unexplained returns the reasons of error verdicts, which a comparison of codes would hide.
func unexplained(step grader.StepReport) []string {
	var reasons []string
	for _, c := range step.Criteria {
		for _, f := range c.Findings {
			if f.Code == grader.CodeError {
				reasons = append(reasons, fmt.Sprintf("%s.%s: %s", step.Name, c.Name, f.Args["reason"]))
			}
		}
	}
	return reasons
}
