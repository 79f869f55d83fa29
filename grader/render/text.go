package render

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/mattn/go-runewidth"

	"example.com/labgrader/grader"
)

// columns is the width that the text keeps to.
const columns = 80

// Text writes the report as a table of the steps, and below it what the steps that did not simply pass have to say.
func Text(w io.Writer, report grader.Report, options Options) error {
	t := &text{colour: options.Colour}
	t.row("", report.Lab, report.Score, report.Verdict)
	t.line(strings.Repeat("─", columns))
	for _, step := range report.Steps {
		t.row(number(step), step.Title, step.Score, step.Verdict)
	}
	for _, step := range report.Steps {
		t.step(step)
	}
	for i, trouble := range report.Errors {
		if i == 0 {
			t.line("")
		}
		t.wrap("", "error: ", trouble)
	}
	if _, err := w.Write(t.out.Bytes()); err != nil {
		return fmt.Errorf("rendering the report: %w", err)
	}
	return nil
}

func number(step grader.StepReport) string { return fmt.Sprintf("%2d  ", step.Number) }

type text struct {
	out    bytes.Buffer
	colour bool
}

func (t *text) line(s string) { t.out.WriteString(s + "\n") }

// row writes a title on the left, and points and verdict on the right.
func (t *text) row(prefix, title string, score grader.Score, verdict grader.Verdict) {
	const right = 24
	left := columns - right
	title = runewidth.Truncate(prefix+title, left-1, "…")
	of := points(score.Earned) + " / " + points(score.Possible)
	t.line(runewidth.FillRight(title, left) + fmt.Sprintf("%15s  ", of) + t.paint(verdict))
}

// step writes the findings and notes of a step, under its title, if there are any.
func (t *text) step(step grader.StepReport) {
	before := t.out.Len()
	t.line("")
	t.wrap("", number(step), step.Title)
	head := t.out.Len()
	for _, criterion := range step.Criteria {
		if criterion.Verdict == grader.Pass && len(criterion.Findings) == 0 {
			continue
		}
		t.wrap("    ", "", fmt.Sprintf("%s (%s): %s", criterion.Name, criterion.Verdict, criterion.Title))
		for _, f := range criterion.Findings {
			t.finding("", f)
		}
	}
	for _, note := range step.Notes {
		t.finding("note: ", note)
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
	if f.Want != "" {
		t.wrap(indent+"  ", "want: ", f.Want)
	}
	if f.Got != "" {
		t.wrap(indent+"  ", "got:  ", f.Got)
	}
	if f.Hint != "" {
		t.wrap(indent+"  ", "→ ", f.Hint)
	}
}

// wrap writes a paragraph; later lines stand below the first one's text.
func (t *text) wrap(indent, mark, paragraph string) {
	room := columns - runewidth.StringWidth(indent+mark)
	lead := indent + mark
	for _, line := range wrapLines(paragraph, room) {
		t.line(strings.TrimRight(lead+line, " "))
		lead = indent + strings.Repeat(" ", runewidth.StringWidth(mark))
	}
}

// wrapLines breaks at blanks, and inside a word that is wider than the room: East Asian text has few blanks.
func wrapLines(s string, room int) []string {
	var lines []string
	for _, paragraph := range strings.Split(s, "\n") {
		line := ""
		for _, word := range strings.Fields(paragraph) {
			candidate := strings.TrimPrefix(line+" "+word, " ")
			if runewidth.StringWidth(candidate) <= room {
				line = candidate
				continue
			}
			if line != "" && runewidth.StringWidth(word) <= room {
				lines = append(lines, line)
				line = word
				continue
			}
			line = candidate
			for runewidth.StringWidth(line) > room {
				head := runewidth.Truncate(line, room, "")
				lines = append(lines, head)
				line = line[len(head):]
			}
		}
		lines = append(lines, line)
	}
	return lines
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
