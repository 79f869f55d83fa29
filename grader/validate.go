package grader

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
)

var validName = regexp.MustCompile(`^[a-z][a-z0-9]*(-[a-z0-9]+)*$`)

// Validate returns every mistake in the lab's declaration: names, documentation, points, unknown or circular
// references, needs. A lab is validated by a test, not at run time.
func (l Lab) Validate() error {
	var errs []error
	wrong := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if !validName.MatchString(l.Name) || l.Title == "" || len(l.Checks) == 0 {
		wrong("lab %q needs a name in lower case, a title and checks", l.Name)
	}
	names := map[string]bool{}
	for i, check := range l.Checks {
		if check.Step != i+1 {
			wrong("check %q has step %d at position %d", check.Name, check.Step, i+1)
		}
		if !validName.MatchString(check.Name) || check.Title == "" || check.Messages == nil {
			wrong("check %q needs a name in lower case, a title and messages", check.Name)
		}
		if names[check.Name] {
			wrong("check name %q is used twice", check.Name)
		}
		names[check.Name] = true
		errs = append(errs, l.validateCriteria(check)...)
	}
	if len(errs) == 0 {
		errs = append(errs, l.validateOrder()...)
	}
	return errors.Join(errs...)
}

func (l Lab) validateCriteria(check Check) []error {
	var errs []error
	names := map[string]bool{}
	points := 0.0
	for _, c := range check.Criteria {
		id := check.Name + "." + c.Name
		wrong := func(what string, args ...any) {
			errs = append(errs, fmt.Errorf("criterion %s "+what, append([]any{id}, args...)...))
		}
		if !validName.MatchString(c.Name) || c.Title() == "" || c.Run == nil || c.Points <= 0 {
			wrong("needs a name in lower case, documentation, points and a function")
		}
		if names[c.Name] {
			wrong("is declared twice")
		}
		names[c.Name] = true
		points += c.Points
		for _, other := range c.dependencies(id) {
			if l.criterion(other) == nil {
				wrong("refers to %s, which does not exist", other)
			}
		}
		for i, need := range c.Needs {
			if need.key() == "" {
				wrong("has an empty need at position %d", i+1)
			}
		}
	}
	if math.Abs(points-l.StepWorth()) > 1e-9 {
		errs = append(errs, fmt.Errorf("the criteria of %s add up to %g points, a step is worth %g", check.Name, points, l.StepWorth()))
	}
	return errs
}

// validateOrder looks for criteria that wait for each other.
func (l Lab) validateOrder() []error {
	var errs []error
	done := map[string]bool{}
	var visit func(id string, path []string)
	visit = func(id string, path []string) {
		if i := slices.Index(path, id); i >= 0 {
			errs = append(errs, fmt.Errorf("criteria wait for each other: %v", append(path[i:], id)))
			return
		}
		if done[id] {
			return
		}
		for _, next := range l.criterion(id).dependencies(id) {
			visit(next, append(slices.Clone(path), id))
		}
		done[id] = true
	}
	for _, id := range l.closure(nil) {
		visit(id, nil)
	}
	return errs
}
