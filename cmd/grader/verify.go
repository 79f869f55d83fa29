package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"example.com/labgrader/checks"
	"example.com/labgrader/grader/catalogue"
	"example.com/labgrader/grader/controlplane"
	"example.com/labgrader/grader/render"
	"example.com/labgrader/grader/verify"
)

func newVerify() *cobra.Command {
	var solution, assets string
	var outputList []string
	cmd := &cobra.Command{
		Use:   "verify",
		Short: "Prove a reference solution on a real control plane",
		Long: "verify starts a kube-apiserver and etcd, runs the solution's solve.sh step by step with an empty directory in the place of /root/op-leader,\n" +
			"and demands: where nothing was done no criterion passes; after each step it and all before it pass; run again, all pass again.\n" +
			"The script's output goes to standard error, the last report to standard output.",
		Example: "  grader verify --solution fixtures/solution",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if _, err := os.Stat(filepath.Join(solution, verify.Script)); err != nil {
				return usageError{fmt.Errorf("--solution needs a directory with %s: %w", verify.Script, err)}
			}
			outputs, err := parseOutputs(outputList)
			if err != nil {
				return err
			}
			lab := checks.Lab()
			texts, err := catalogue.New(lab)
			if err != nil {
				return err
			}
			binaries, err := controlplane.Assets(cmd.Context(), assets, ".")
			if err != nil {
				return err
			}
			result, err := verify.Run(cmd.Context(), lab, solution, binaries, os.Stderr)
			if err != nil {
				return err
			}
			result.Report.Grader.Version = version()
			texts.Fill(&result.Report)
			if err := write(outputs, result.Report, render.Labels(texts.Labels())); err != nil {
				return err
			}
			for _, problem := range result.Problems {
				fmt.Fprintln(os.Stderr, "grader:", problem)
			}
			if len(result.Problems) > 0 {
				return exitStatus(exitFail)
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&solution, "solution", "", "directory with solve.sh")
	cmd.Flags().StringVar(&assets, "control-plane", "", "directory with kube-apiserver, etcd and kubectl (default: $KUBEBUILDER_ASSETS, else built by scripts/control-plane/build)")
	cmd.Flags().StringArrayVarP(&outputList, "output", "o", []string{"text"}, "json or text, optionally with =FILE; may be given several times")
	// The flags exist, so this cannot fail.
	_ = cmd.MarkFlagDirname("solution")
	_ = cmd.MarkFlagDirname("control-plane")
	completeFlags(cmd)
	return cmd
}
