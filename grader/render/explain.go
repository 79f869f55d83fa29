package render

import (
	"fmt"
	"io"
	"strings"

	"example.com/labgrader/grader"
)

// Explain writes what a step asks for and what it is judged by. The check's texts are in the language of the labels.
func Explain(w io.Writer, check grader.Check, task string, labels Labels) error {
	t := &text{labels: labels}
	t.wrap("", number(check.Step), fmt.Sprintf("%s (%s)", check.Title, check.Name))
	t.line("")
	if task != "" {
		t.wrap("    ", "", task)
		t.line("")
	}
	for _, criterion := range check.Criteria {
		t.criterion(criterion)
	}
	t.line("")
	if _, err := w.Write(t.out.Bytes()); err != nil {
		return fmt.Errorf("rendering the explanation: %w", err)
	}
	return nil
}

func (t *text) criterion(c grader.Criterion) {
	const indent = "      "
	t.wrap("    ", "- ", fmt.Sprintf("%s (%s, %s: %s)", c.Title(), c.Name, t.labels.Points, points(c.Points)))
	if _, doc, _ := strings.Cut(c.Doc, "\n"); strings.TrimSpace(doc) != "" {
		t.wrap(indent, "", strings.TrimSpace(doc))
	}
	if len(c.Requires) > 0 {
		t.wrap(indent, "", t.labels.Requires+": "+strings.Join(c.Requires, ", "))
	}
}
