package main

import (
	"fmt"

	"github.com/spf13/cobra"
)

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "grader",
		Short: "Score submissions of the lab op-leader",
		Long: "grader scores a submission of the Lease-based leader election lab: the files a learner left and the state of the cluster.\n" +
			"It changes neither. Results go to standard output, everything else to standard error.\n\n" +
			"Exit codes: 0 every graded step passed, 1 some step failed, 2 something could not be graded, 64 bad usage.",
		SilenceErrors: true, SilenceUsage: true,
		Args: cobra.NoArgs, RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usageError{fmt.Errorf("%w; see %s --help", err, cmd.CommandPath())}
	})
	root.AddCommand(newGrade(), newCollect(), newVerify(), newExplain(), newRBAC(), newSchema(), newVersion())
	for _, cmd := range append(root.Commands(), root) {
		if args := cmd.Args; args != nil {
			cmd.Args = func(cmd *cobra.Command, given []string) error {
				if err := args(cmd, given); err != nil {
					return usageError{fmt.Errorf("%w; see %s --help", err, cmd.CommandPath())}
				}
				return nil
			}
		}
	}
	return root
}
