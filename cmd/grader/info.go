package main

import (
	"fmt"
	"io"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
	"sigs.k8s.io/yaml"

	"example.com/labgrader/checks"
	"example.com/labgrader/grader"
	"example.com/labgrader/grader/cluster"
)

func newRBAC() *cobra.Command {
	return &cobra.Command{
		Use:     "rbac",
		Short:   "Print an account with which collecting works and nothing else does",
		Long:    "rbac prints a ServiceAccount grader in a namespace grader with the least permissions that the checks need, derived from what they declare, and an admission policy that lets it change nothing.",
		Example: "  grader rbac | kubectl apply -f -\n  kubectl create token grader -n grader",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			for _, object := range cluster.Account(checks.Lab().Needs()) {
				manifest, err := yaml.Marshal(object)
				if err != nil {
					return fmt.Errorf("writing the account: %w", err)
				}
				if _, err := fmt.Fprintf(cmd.OutOrStdout(), "---\n%s", withoutEmpty(string(manifest))); err != nil {
					return fmt.Errorf("writing the account: %w", err)
				}
			}
			return nil
		},
	}
}

// withoutEmpty leaves out fields that Go types write though they are empty.
func withoutEmpty(manifest string) string {
	var lines []string
	for _, line := range strings.Split(manifest, "\n") {
		field := strings.TrimSpace(line)
		if field == "creationTimestamp: null" || field == "status: {}" || field == "spec: {}" {
			continue
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

func newSchema() *cobra.Command {
	return &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of the report",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := io.WriteString(cmd.OutOrStdout(), grader.Schema)
			return err
		},
	}
}

func newVersion() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the grader's version",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprintln(cmd.OutOrStdout(), version())
			return err
		},
	}
}

// release is set by a build outside of a repository: -ldflags "-X main.release=v1.2.3".
var release string

// version is the release, else the module's version, or the revision it was built from, or devel.
func version() string {
	if release != "" {
		return release
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "devel"
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	for _, setting := range info.Settings {
		if setting.Key == "vcs.revision" {
			return setting.Value
		}
	}
	return "devel"
}
