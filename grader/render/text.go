package render

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"

	"example.com/labgrader/grader"
)

// columns is the width that the text keeps to. The marks of the table are of ASCII, since terminals disagree on the width of
// others, such as of lines and arrows.
const columns = 80

// Text writes the report as a table of the steps, and below it what the steps that did not simply pass have to say.
func Text(w io.Writer, report grader.Report, options Options) error {
	t := &text{colour: options.Colour, labels: options.Labels}
	t.row("", report.Lab, report.Score, report.Verdict)
	t.line(strings.Repeat("-", columns))
	for _, step := range report.Steps {
		t.row(number(step.Number), step.Title, step.Score, step.Verdict)
	}
	for _, step := range report.Steps {
		t.step(step)
	}
	for i, trouble := range report.Errors {
		if i == 0 {
			t.line("")
		}
		t.wrap("", t.labels.Error+": ", trouble)
	}
	if _, err := w.Write(t.out.Bytes()); err != nil {
		return fmt.Errorf("rendering the report: %w", err)
	}
	return nil
}

func number(step int) string { return fmt.Sprintf("%2d  ", step) }

type text struct {
	out    bytes.Buffer
	colour bool
	labels Labels
}

func (t *text) line(s string) { t.out.WriteString(s + "\n") }

// row writes a title on the left, and points and verdict on the right.
func (t *text) row(prefix, title string, score grader.Score, verdict grader.Verdict) {
	const right = 24
	left := columns - right
	title = cells().Truncate(prefix+title, left-1, "...")
	of := points(score.Earned) + " / " + points(score.Possible)
	t.line(cells().FillRight(title, left) + fmt.Sprintf("%15s  ", of) + t.paint(verdict))
}

// step writes the findings and notes of a step, under its title, if there are any.
func (t *text) step(step grader.StepReport) {
	before := t.out.Len()
	t.line("")
	t.wrap("", number(step.Number), step.Title)
	head := t.out.Len()
	for _, criterion := range step.Criteria {
		if criterion.Verdict == grader.Pass { // its findings are what it rests on: for who asks
			continue
		}
		t.wrap("    ", "", fmt.Sprintf("%s (%s): %s", criterion.Name, criterion.Verdict, criterion.Title))
		for _, f := range criterion.Findings {
			t.finding("", f)
		}
	}
	for _, note := range step.Notes {
		t.finding(t.labels.Note+": ", note)
	}
	if t.out.Len() == head {
		t.out.Truncate(before)
	}
}

func (t *text) finding(label string, f grader.FindingReport) {
	const indent = "      "
	place := ""
	if f.Source != nil {
		place = f.Source.File
		if f.Source.Line > 0 {
			place += ":" + strconv.Itoa(f.Source.Line)
		}
		place += ": "
	}
	t.wrap(indent, "- ", label+place+f.Message)
	want, got := t.labels.Want+": ", t.labels.Got+": "
	wider := max(cells().StringWidth(want), cells().StringWidth(got))
	if f.Want != "" {
		t.wrap(indent+"  ", cells().FillRight(want, wider), f.Want)
	}
	if f.Got != "" {
		t.wrap(indent+"  ", cells().FillRight(got, wider), f.Got)
	}
	if f.Hint != "" {
		t.wrap(indent+"  ", "> ", f.Hint)
	}
}

// wrap writes a paragraph; later lines stand below the first one's text.
func (t *text) wrap(indent, mark, paragraph string) {
	room := columns - cells().StringWidth(indent+mark)
	lead := indent + mark
	for _, line := range wrapLines(paragraph, room) {
		t.line(strings.TrimRight(lead+line, " "))
		lead = indent + strings.Repeat(" ", cells().StringWidth(mark))
	}
}

func points(p float64) string { return strconv.FormatFloat(p, 'g', 6, 64) }

// paint colours a verdict where colours are wanted.
func (t *text) paint(v grader.Verdict) string {
	if !t.colour {
		return string(v)
	}
	colours := map[grader.Verdict]string{grader.Pass: "32", grader.Fail: "31", grader.Blocked: "33", grader.Error: "35"}
	return "\x1b[" + colours[v] + "m" + string(v) + "\x1b[0m"
}
