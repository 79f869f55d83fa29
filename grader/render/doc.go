// Package render writes reports for people and for programs.
//
// Its one rule: a renderer decides nothing and hides nothing; it shows what the report says.
package render

import (
	"fmt"
	"io"
	"slices"

	"example.com/labgrader/grader"
)

// Options that some formats heed.
type Options struct {
	Colour bool // use terminal colours
	Labels Labels
}

// Labels are the words that the text for people has beside what it shows, in the language of the report.
type Labels struct {
	Want, Got, Note, Error string
	Points, Requires       string
}

// Formats are the names that Report knows.
func Formats() []string { return []string{"json", "text"} }

// Report writes the report in a format.
func Report(w io.Writer, format string, report grader.Report, options Options) error {
	switch format {
	case "json":
		return JSON(w, report)
	case "text":
		return Text(w, report, options)
	}
	return fmt.Errorf("rendering the report: there is no format %q, only %q", format, Formats())
}

// Known reports whether Report knows the format.
func Known(format string) bool { return slices.Contains(Formats(), format) }
