package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"example.com/labgrader/checks"
)

func newCollect() *cobra.Command {
	f := &sourceFlags{}
	var out, stepList string
	cmd := &cobra.Command{
		Use:     "collect",
		Short:   "Write the evidence of a submission to a bundle",
		Long:    "collect writes all that grading reads to one file, so that it can be graded elsewhere and again. Exit code 2 says that some of it could not be had; the bundle records what.",
		Example: "  grader collect --out bundle.tar.gz && grader grade --bundle bundle.tar.gz",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			lab := checks.Lab()
			steps, err := parseSteps(lab, stepList)
			if err != nil {
				return err
			}
			if out == "" {
				return usageError{fmt.Errorf("--out FILE is needed; see grader collect --help")}
			}
			b, err := f.collect(cmd.Context(), lab, steps)
			if err != nil {
				return err
			}
			if err := b.WriteFile(out); err != nil {
				return err
			}
			troubles := b.Evidence().Troubles
			for _, trouble := range troubles {
				fmt.Fprintln(os.Stderr, "grader:", trouble)
			}
			if len(troubles) > 0 {
				return exitStatus(exitError)
			}
			return nil
		},
	}
	f.add(cmd.Flags())
	f.addSandbox(cmd.Flags())
	cmd.Flags().StringVar(&out, "out", "", "file to write, such as bundle.tar.gz")
	cmd.Flags().StringVar(&stepList, "step", "", "collect what these steps need only (default: all)")
	completeFlags(cmd)
	return cmd
}
