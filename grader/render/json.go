package render

import (
	"encoding/json"
	"fmt"
	"io"

	"example.com/labgrader/grader"
)

// JSON writes the report as one indented JSON object and a line feed. Its schema is grader.Schema.
func JSON(w io.Writer, report grader.Report) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false) // for people who read it; it is served as JSON, never pasted into a page
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(report); err != nil {
		return fmt.Errorf("rendering the report: %w", err)
	}
	return nil
}
