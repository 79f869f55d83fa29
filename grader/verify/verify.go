// Package verify proves a reference solution against a real control plane.
//
// Its one rule: a solution is right when it passes from its first step to its last, again when run again, and when doing
// nothing passes nowhere.
package verify

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"strconv"

	"example.com/labgrader/grader"
	"example.com/labgrader/grader/controlplane"
	"example.com/labgrader/grader/solve"
)

// Script is the file of a solution: solve.sh N... does these steps, solve.sh alone all.
const Script = "solve.sh"

// Result of a verification.
type Result struct {
	// Problems say in a sentence each what was not as it must be.
	Problems []string
	// Report is the last one, of all steps, after the solution ran twice.
	Report grader.Report
}

// Run verifies the solution in a directory on a control plane that it starts of the binaries in assets. The error is about
// the verification itself; what is wrong with the solution is in the result. What the script prints goes to out.
func Run(ctx context.Context, lab grader.Lab, solution, assets string, out io.Writer) (result Result, err error) {
	plane, err := controlplane.Start(assets)
	if err != nil {
		return Result{}, err
	}
	defer func() { err = firstError(err, plane.Stop()) }()
	session, err := solve.New(plane)
	if err != nil {
		return Result{}, err
	}
	defer func() { err = firstError(err, session.Close()) }()
	v := &verification{lab: lab, session: session, script: filepath.Join(solution, Script), out: out}
	for _, stage := range []func(context.Context) error{v.nothing, v.stepByStep, v.again} {
		if err := stage(ctx); err != nil {
			return v.result, err
		}
	}
	return v.result, nil
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

type verification struct {
	lab     grader.Lab
	session *solve.Session
	script  string
	out     io.Writer
	result  Result
}

func (v *verification) problem(format string, args ...any) {
	v.result.Problems = append(v.result.Problems, fmt.Sprintf(format, args...))
}

func (v *verification) grade(ctx context.Context, steps ...int) error {
	evidence, err := v.session.Collect(ctx, v.lab, steps...)
	if err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("verifying the solution: %w", err)
	}
	v.result.Report = grader.Grade(v.lab, evidence.Evidence(), grader.Options{Steps: steps})
	return nil
}

// nothing demands that no criterion passes where nothing was done.
func (v *verification) nothing(ctx context.Context) error {
	slog.Info("grading where nothing was done")
	if err := v.grade(ctx); err != nil {
		return err
	}
	for _, step := range v.result.Report.Steps {
		for _, c := range step.Criteria {
			if c.Verdict != grader.Fail && c.Verdict != grader.Blocked {
				v.problem("where nothing was done, %s.%s is %s", step.Name, c.Name, c.Verdict)
			}
		}
	}
	return nil
}

// stepByStep demands that after each step it and all before it pass.
func (v *verification) stepByStep(ctx context.Context) error {
	var steps []int
	for _, check := range v.lab.Checks {
		slog.Info("solving and grading", "step", check.Step)
		if err := v.session.Run(ctx, v.out, v.script, strconv.Itoa(check.Step)); err != nil {
			return fmt.Errorf("step %d: %w", check.Step, err)
		}
		steps = append(steps, check.Step)
		if err := v.grade(ctx, steps...); err != nil {
			return err
		}
		v.demandPass(fmt.Sprintf("after step %d", check.Step))
	}
	return nil
}

// again demands that the solution, run a second time as a whole, passes again.
func (v *verification) again(ctx context.Context) error {
	slog.Info("solving and grading all steps again")
	if err := v.session.Run(ctx, v.out, v.script); err != nil {
		return fmt.Errorf("second run: %w", err)
	}
	if err := v.grade(ctx); err != nil {
		return err
	}
	v.demandPass("after the second run")
	return nil
}

func (v *verification) demandPass(when string) {
	for _, step := range v.result.Report.Steps {
		for _, c := range step.Criteria {
			if c.Verdict == grader.Pass {
				continue
			}
			code := ""
			if len(c.Findings) > 0 {
				code = ": " + c.Findings[0].Code
			}
			v.problem("%s, %s.%s is %s%s", when, step.Name, c.Name, c.Verdict, code)
		}
	}
}
