package gradertest

import (
	"example.com/labgrader/grader"
)

// Count says how many cases show a criterion to pass and to fail.
type Count struct {
	Step             int
	Check, Criterion string
	// Honest cases do the step rightly, and the criterion passes; Faulty ones state that some step fails, and the criterion does.
	Honest, Faulty int
}

// Counts grades the cases and counts them for each criterion of the lab, in its order.
func Counts(lab grader.Lab, cases []*Case) []Count {
	type key struct{ step, criterion string }
	honest, faulty := map[key]int{}, map[key]int{}
	for _, c := range cases {
		if c.Bundle == nil { // not recorded yet
			continue
		}
		for _, step := range c.Grade(lab).Steps {
			for _, criterion := range step.Criteria {
				k := key{step.Name, criterion.Name}
				switch {
				case c.Verdict == grader.Pass && c.Step == step.Name && criterion.Verdict == grader.Pass:
					honest[k]++
				case c.Verdict == grader.Fail && criterion.Verdict == grader.Fail:
					faulty[k]++
				}
			}
		}
	}
	var counts []Count
	for _, check := range lab.Checks {
		for _, criterion := range check.Criteria {
			k := key{check.Name, criterion.Name}
			counts = append(counts, Count{check.Step, check.Name, criterion.Name, honest[k], faulty[k]})
		}
	}
	return counts
}
