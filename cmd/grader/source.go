package main

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"example.com/labgrader/checks"
	"example.com/labgrader/grader"
	"example.com/labgrader/grader/bundle"
	"example.com/labgrader/grader/catalogue"
	"example.com/labgrader/grader/collect"
)

// sourceFlags say where a submission is and how long collecting it may take.
type sourceFlags struct {
	source collect.Source
}

func (f *sourceFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&f.source.Dir, "dir", "/root/op-leader", "directory with the learner's files")
	flags.StringVar(&f.source.Access.Kubeconfig, "kubeconfig", "", "kubeconfig file (default: $KUBECONFIG, ~/.kube/config, then in-cluster)")
	flags.StringVar(&f.source.Access.Context, "context", "", "context of the kubeconfig (default: its current one)")
	flags.BoolVar(&f.source.Access.AllowExec, "allow-exec-plugin", false, "let the kubeconfig run a credential plugin; only for a kubeconfig that you trust")
	flags.DurationVar(&f.source.Timeout, "timeout", time.Minute, "time that asking the cluster may take")
}

// addSandbox adds the flags about running scripts.
func (f *sourceFlags) addSandbox(flags *pflag.FlagSet) {
	flags.StringVar(&f.source.Kubectl, "kubectl", "", "kubectl that the learner's scripts find (default: the one in the PATH)")
	flags.StringVar(&f.source.RequireSandbox, "require-sandbox", "", "demand at least this sandbox tier, A or B, for the learner's scripts (default: the strongest that the machine allows)")
}

// checkSandbox refuses tiers that do not exist.
func (f *sourceFlags) checkSandbox() error {
	switch f.source.RequireSandbox {
	case "", "A", "B", "C":
		return nil
	}
	return usageError{fmt.Errorf("--require-sandbox takes A, B or C, not %q", f.source.RequireSandbox)}
}

// completeFlags tells shells what the flags take.
func completeFlags(cmd *cobra.Command) {
	complete := func(name string, values ...string) {
		if cmd.Flags().Lookup(name) != nil {
			// The error says only that the flag does not exist or is registered twice.
			_ = cmd.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
		}
	}
	var steps []string
	for _, check := range checks.Lab().Checks {
		steps = append(steps, fmt.Sprintf("%d\t%s", check.Step, check.Title))
	}
	complete("step", steps...)
	complete("output", "json", "text")
	complete("require-sandbox", "A", "B", "C")
	complete("lang", catalogue.Languages()...)
	if cmd.Flags().Lookup("dir") != nil {
		_ = cmd.MarkFlagDirname("dir")
	}
}

// collect gathers the evidence for the steps.
func (f *sourceFlags) collect(ctx context.Context, lab grader.Lab, steps []int) (*bundle.Bundle, error) {
	if f.source.Timeout <= 0 {
		return nil, usageError{fmt.Errorf("--timeout must be more than 0")}
	}
	if err := f.checkSandbox(); err != nil {
		return nil, err
	}
	progress, end := progressLine()
	defer end()
	return collect.Run(ctx, lab, steps, f.source, progress)
}

// progressLine shows on standard error, if that is a terminal, how far collecting has come.
func progressLine() (collect.Progress, func()) {
	if !term.IsTerminal(int(os.Stderr.Fd())) {
		return func(int, int) {}, func() {}
	}
	return func(done, total int) { fmt.Fprintf(os.Stderr, "\rcollecting: %d of %d ", done, total) },
		func() { fmt.Fprint(os.Stderr, "\r\x1b[K") }
}

// parseSteps reads --step: numbers separated by commas.
func parseSteps(lab grader.Lab, value string) ([]int, error) {
	if value == "" {
		return nil, nil
	}
	var steps []int
	for _, part := range strings.Split(value, ",") {
		step, err := strconv.Atoi(strings.TrimSpace(part))
		if err != nil {
			return nil, usageError{fmt.Errorf("--step takes numbers separated by commas, not %q", value)}
		}
		steps = append(steps, step)
	}
	if err := lab.CheckSteps(steps); err != nil {
		return nil, usageError{err}
	}
	return steps, nil
}
