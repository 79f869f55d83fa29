package grader

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
)

// FullScore is what a whole lab is worth, in points.
const FullScore = 100.0

// Lab is an ordered list of checks, one per step. Messages holds catalogues that its checks share.
type Lab struct {
	Name     string // as in reports, such as op-leader
	Title    string
	Checks   []Check
	Messages fs.FS
}

// Check judges one step. Messages holds the step's catalogues, files named messages.LANG.yaml.
type Check struct {
	Step     int    // counts from 1
	Name     string // one word; every code of the step starts with it and a dot
	Title    string
	Criteria []Criterion
	Messages fs.FS
}

// Criterion is one thing that a step is judged by.
type Criterion struct {
	Name string
	// Doc describes the criterion to learners and course authors; its first line is the title.
	Doc string
	// Points that a pass earns. The points of a step's criteria add up to the step's worth.
	Points float64
	// Requires names criteria of the same step; unless they all pass, this one is blocked.
	Requires []string
	// Consults names criteria of any step, as STEP-NAME.CRITERION, whose verdicts Run may ask for. They are
	// evaluated first, also when their step is not graded, and are not reported for that.
	Consults []string
	// Needs is all that Run reads.
	Needs []Need
	// Run judges. It returns at least one finding, or a Finding as error; any other error means that it could not tell.
	Run func(ctx context.Context, view *View) ([]Finding, error)
}

// Title returns the first line of the criterion's documentation.
func (c Criterion) Title() string {
	title, _, _ := strings.Cut(c.Doc, "\n")
	return title
}

// StepWorth returns what each step is worth, in points.
func (l Lab) StepWorth() float64 { return FullScore / float64(len(l.Checks)) }

// Needs returns what the given steps read, each need once, in order of first mention. No steps means all.
func (l Lab) Needs(steps ...int) []Need {
	var needs []Need
	seen := map[string]bool{}
	for _, id := range l.closure(steps) {
		for _, need := range l.criterion(id).Needs {
			if !seen[need.key()] {
				seen[need.key()] = true
				needs = append(needs, need)
			}
		}
	}
	return needs
}

// closure returns the identifiers of the criteria of the given steps and of all that they consult or require.
func (l Lab) closure(steps []int) []string {
	var order []string
	seen := map[string]bool{}
	var visit func(id string)
	visit = func(id string) {
		c := l.criterion(id)
		if c == nil || seen[id] {
			return
		}
		seen[id] = true
		order = append(order, id)
		for _, next := range c.dependencies(id) {
			visit(next)
		}
	}
	for _, check := range l.selected(steps) {
		for _, c := range check.Criteria {
			visit(check.Name + "." + c.Name)
		}
	}
	return order
}

// dependencies returns the identifiers of what the criterion with this identifier requires and consults.
func (c Criterion) dependencies(id string) []string {
	step, _, _ := strings.Cut(id, ".")
	var ids []string
	for _, name := range c.Requires {
		ids = append(ids, step+"."+name)
	}
	return append(ids, c.Consults...)
}

func (l Lab) selected(steps []int) []Check {
	if len(steps) == 0 {
		return l.Checks
	}
	var checks []Check
	for _, check := range l.Checks {
		for _, step := range steps {
			if check.Step == step {
				checks = append(checks, check)
				break
			}
		}
	}
	return checks
}

func (l Lab) criterion(id string) *Criterion {
	step, name, _ := strings.Cut(id, ".")
	for _, check := range l.Checks {
		for i := range check.Criteria {
			if check.Name == step && check.Criteria[i].Name == name {
				return &check.Criteria[i]
			}
		}
	}
	return nil
}

// CheckSteps returns an error that names each of the steps that the lab does not have.
func (l Lab) CheckSteps(steps []int) error {
	var errs []error
	for _, step := range steps {
		if len(l.selected([]int{step})) == 0 {
			errs = append(errs, fmt.Errorf("there is no step %d: the lab %s has steps 1 to %d", step, l.Name, len(l.Checks)))
		}
	}
	return errors.Join(errs...)
}
