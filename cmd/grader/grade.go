package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/spf13/cobra"

	"example.com/labgrader/checks"
	"example.com/labgrader/grader"
	"example.com/labgrader/grader/bundle"
	"example.com/labgrader/grader/catalogue"
	"example.com/labgrader/grader/collect"
	"example.com/labgrader/grader/render"
)

// waitPause is how long --wait rests between two tries.
const waitPause = 2 * time.Second

type gradeFlags struct {
	sourceFlags
	bundle  string
	steps   string
	wait    time.Duration
	strict  bool
	rerun   bool
	outputs []string
	lang    string
}

func newGrade() *cobra.Command {
	f := &gradeFlags{}
	cmd := &cobra.Command{
		Use:   "grade",
		Short: "Grade a submission, live or from a bundle",
		Example: "  grader grade                                   # /root/op-leader and the current cluster, JSON\n" +
			"  grader grade --step 3 -o text                  # a Check button for step 3\n" +
			"  grader grade -o text -o json=report.json       # a table to read, and a file\n" +
			"  grader grade --bundle bundle.tar.gz            # what `grader collect` wrote, anywhere",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd.Context(), cmd) },
	}
	f.add(cmd.Flags())
	f.addSandbox(cmd.Flags())
	cmd.Flags().BoolVar(&f.rerun, "rerun", false, "with --bundle: run the learner's scripts again instead of reading what they did")
	cmd.Flags().StringVar(&f.bundle, "bundle", "", "grade this bundle instead of a directory and a cluster")
	cmd.Flags().StringVar(&f.steps, "step", "", "grade these steps only, as in 3 or 1,2,3 (default: all)")
	cmd.Flags().DurationVar(&f.wait, "wait", 0, "collect and grade again until all passes, for at most this long")
	cmd.Flags().BoolVar(&f.strict, "strict", false, "let notes fail their criterion")
	cmd.Flags().StringArrayVarP(&f.outputs, "output", "o", []string{"json"}, "json or text, optionally with =FILE; may be given several times")
	addLang(cmd.Flags(), &f.lang)
	completeFlags(cmd)
	return cmd
}

func (f *gradeFlags) run(ctx context.Context, cmd *cobra.Command) error {
	for _, name := range []string{"dir", "kubeconfig", "context", "wait"} {
		if f.bundle != "" && cmd.Flags().Changed(name) {
			return usageError{fmt.Errorf("--bundle brings its own evidence: --%s does not go with it", name)}
		}
	}
	if f.rerun && f.bundle == "" {
		return usageError{errors.New("--rerun goes with --bundle")}
	}
	lab := checks.Lab()
	steps, err := parseSteps(lab, f.steps)
	if err != nil {
		return err
	}
	outputs, err := parseOutputs(f.outputs)
	if err != nil {
		return err
	}
	lang, err := language(f.lang)
	if err != nil {
		return err
	}
	texts, err := catalogue.New(lab)
	if err != nil {
		return err
	}
	report, err := f.report(ctx, lab, steps)
	if err != nil {
		return err
	}
	texts.Fill(&report, lang)
	if err := write(outputs, report, render.Labels(texts.Labels(lang))); err != nil {
		return err
	}
	return exitCode(report)
}

// report grades once, or with --wait until it passes. Whatever goes wrong after the flags are understood ends in a report.
func (f *gradeFlags) report(ctx context.Context, lab grader.Lab, steps []int) (report grader.Report, err error) {
	options := grader.Options{Steps: steps, Strict: f.strict}
	defer func() {
		if p := recover(); p != nil {
			slog.Error("grading ended in a panic", "panic", p)
			report, err = grader.Grade(lab, &grader.Evidence{Troubles: []string{fmt.Sprintf("grading: panic: %v", p)}}, options), nil
		}
		report.Grader.Version = version()
	}()
	deadline := time.Now().Add(f.wait)
	for {
		evidence, source, err := f.evidence(ctx, lab, steps)
		var usage usageError
		if errors.As(err, &usage) {
			return grader.Report{}, err
		}
		if err != nil {
			slog.Error("there is no evidence", "error", err)
			evidence = &grader.Evidence{Troubles: []string{err.Error()}}
		}
		report = grader.Grade(lab, evidence, options)
		report.Evidence.Source = source
		if report.Verdict == grader.Pass || !time.Now().Add(waitPause).Before(deadline) {
			return report, nil
		}
		select {
		case <-ctx.Done():
			return report, nil
		case <-time.After(waitPause):
		}
	}
}

func (f *gradeFlags) evidence(ctx context.Context, lab grader.Lab, steps []int) (*grader.Evidence, string, error) {
	if f.bundle == "" {
		b, err := f.collect(ctx, lab, steps)
		if err != nil {
			return nil, "live", err
		}
		return b.Evidence(), "live", nil
	}
	b, err := bundle.ReadFile(f.bundle)
	if err != nil {
		return nil, "bundle", err
	}
	if b.Lab() != lab.Name {
		return nil, "bundle", fmt.Errorf("reading the bundle %s: it is of the lab %q, not %q", f.bundle, b.Lab(), lab.Name)
	}
	if f.rerun {
		if err := f.checkSandbox(); err != nil {
			return nil, "bundle", err
		}
		if b, err = collect.Try(ctx, lab.Needs(steps...), b, f.source, func() {}); err != nil {
			return nil, "bundle", err
		}
	}
	return b.Evidence(), "bundle", nil
}

// exitCode turns the report's verdict into the program's.
func exitCode(report grader.Report) error {
	switch report.Verdict {
	case grader.Pass:
		return nil
	case grader.Fail:
		return exitStatus(exitFail)
	}
	return exitStatus(exitError)
}
