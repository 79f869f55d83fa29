package main

import (
	"fmt"
	"slices"
	"strings"

	"example.com/labgrader/checks"
	"example.com/labgrader/grader"
	"example.com/labgrader/grader/catalogue"
	"example.com/labgrader/grader/gradertest"
)

// replay is a case, and what it comes to without mutants: each step, as far as the tests state it, and each criterion.
type replay struct {
	*gradertest.Case
	steps, criteria map[string]string
	texts           *catalogue.Catalogue
	// examples are the steps, by code, whose first finding with the code is the one that the golden file of messages shows.
	examples map[string]string
}

// grade grades some steps of the case.
func (r *replay) grade(steps []int) grader.Report {
	c := *r.Case
	c.Want.Steps = steps
	return c.Grade(checks.Lab())
}

// exemplify takes the findings of codes that no case before had.
func (r *replay) exemplify(report grader.Report, seen map[string]bool) {
	r.examples = map[string]string{}
	for _, step := range report.Steps {
		for _, f := range findings(step) {
			if !seen[f.Code] {
				seen[f.Code] = true
				r.examples[f.Code] = step.Name
			}
		}
	}
}

func findings(step grader.StepReport) []grader.FindingReport {
	all := slices.Clone(step.Notes)
	for _, c := range step.Criteria {
		all = append(all, c.Findings...)
	}
	return all
}

// outcome puts a report into words: of steps what Case.Compare and TestMessages compare, so that other words are a test that
// fails; of criteria the verdict and codes. Notes belong to a step, so criteria are without.
func (r *replay) outcome(report grader.Report) (steps, criteria map[string]string) {
	r.texts.Fill(&report)
	steps, criteria = map[string]string{}, map[string]string{}
	for _, step := range report.Steps {
		state := []string{string(step.Verdict)}
		if step.Name == r.Step {
			state = append(state, gradertest.Codes(step)...)
		}
		for _, c := range step.Criteria {
			words := []string{string(c.Verdict)}
			for _, f := range c.Findings {
				words = append(words, f.Code)
			}
			criteria[step.Name+"."+c.Name] = strings.Join(words, " ")
			if c.Verdict == grader.Error && step.Verdict != grader.Error {
				state = append(state, c.Name+" is an error")
			}
		}
		shown := map[string]bool{}
		for _, f := range findings(step) {
			if r.examples[f.Code] == step.Name && !shown[f.Code] {
				shown[f.Code] = true
				state = append(state, fmt.Sprint(f.Code, place(f.Source), f.Message, f.Hint))
			}
		}
		steps[step.Name] = strings.Join(state, " ")
	}
	return steps, criteria
}

func place(source *grader.Source) string {
	if source == nil {
		return ""
	}
	return fmt.Sprint(source.File, source.Line)
}

// rank orders cases: those of the step first, then those that are quick.
func (v visit) rank(step string) int {
	if v.Step == step {
		return len(v.reachedBy) - 100
	}
	return len(v.reachedBy)
}

// judge reports whether the case, with a mutant on, is not as it states, and which criteria say so.
func (v visit) judge(whole bool) (killed bool, changed []string) {
	defer func() {
		if recover() != nil {
			killed = true
		}
	}()
	chosen, expected := v.reachedBy, len(v.reachedBy)
	if whole {
		chosen, expected = v.Want.Steps, len(v.steps)
	}
	report := v.grade(chosen)
	steps, criteria := v.outcome(report)
	killed = len(steps) != expected
	for name, now := range steps {
		killed = killed || now != v.steps[name]
	}
	if !killed {
		return false, nil
	}
	for name, now := range criteria {
		before := v.criteria[name]
		if now != before && !strings.Contains(now+before, grader.CodeBlocked) {
			changed = append(changed, name)
		}
	}
	return true, changed
}
