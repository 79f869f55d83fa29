package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/pflag"

	"example.com/labgrader/grader/catalogue"
)

// addLang adds --lang.
func addLang(flags *pflag.FlagSet, lang *string) {
	flags.StringVar(lang, "lang", "", "language of titles, messages and hints: "+strings.Join(catalogue.Languages(), ", ")+" (default: that of LC_ALL, LC_MESSAGES or LANG, else en)")
}

// language returns the language to speak.
func language(asked string) (string, error) {
	lang, err := catalogue.Negotiate(catalogue.Languages(), asked, os.Getenv)
	if err != nil {
		return "", usageError{fmt.Errorf("--lang: %w", err)}
	}
	return lang, nil
}
