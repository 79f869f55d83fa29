package main

import (
	"strings"

	"github.com/spf13/cobra"

	"example.com/labgrader/checks"
	"example.com/labgrader/grader/catalogue"
	"example.com/labgrader/grader/render"
)

func newExplain() *cobra.Command {
	var lang string
	cmd := &cobra.Command{
		Use:     "explain [STEP]",
		Short:   "Say what the steps ask for and what they are judged by",
		Example: "  grader explain 4",
		Args:    cobra.MaximumNArgs(1),
		RunE:    func(cmd *cobra.Command, args []string) error { return explain(cmd, strings.Join(args, ","), lang) },
	}
	addLang(cmd.Flags(), &lang)
	completeFlags(cmd)
	return cmd
}

func explain(cmd *cobra.Command, stepList, asked string) error {
	lab := checks.Lab()
	steps, err := parseSteps(lab, stepList)
	if err != nil {
		return err
	}
	lang, err := language(asked)
	if err != nil {
		return err
	}
	texts, err := catalogue.New(lab)
	if err != nil {
		return err
	}
	for _, check := range lab.Checks {
		if len(steps) > 0 && check.Step != steps[0] {
			continue
		}
		localized, task := texts.Explain(check, lang)
		if err := render.Explain(cmd.OutOrStdout(), localized, task, render.Labels(texts.Labels(lang))); err != nil {
			return err
		}
	}
	return nil
}
