package submission

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"example.com/labgrader/grader"
)

// Codes of findings about a file itself. Each has the file as its source.
const (
	CodeMissing    = "file.missing"
	CodeNotRegular = "file.not-regular" // argument: is, a phrase
	CodeTooLarge   = "file.too-large"   // argument: limit, in bytes
	CodeNotUTF8    = "file.not-utf8"
	CodeEmpty      = "file.empty"
)

// Line is a line of text without its end, trailing blanks and colour codes.
type Line struct {
	Number int // in the file, from 1
	Text   string
}

// Text is a text file. Blank lines at its end are left out.
type Text struct {
	Name  string
	Lines []Line
}

// String returns the lines joined by line feeds.
func (t Text) String() string {
	lines := make([]string, len(t.Lines))
	for i, line := range t.Lines {
		lines[i] = line.Text
	}
	return strings.Join(lines, "\n")
}

// Bytes returns the content of a declared file. A file that is missing, not regular or too large is a Finding.
func Bytes(view *grader.View, name string) ([]byte, error) {
	file, err := view.File(name)
	if err != nil {
		return nil, err
	}
	switch file.State {
	case grader.FilePresent:
		return file.Data, nil
	case grader.FileMissing:
		return nil, grader.Misses(CodeMissing).At(name, 0).With("file", name)
	case grader.FileNotRegular:
		return nil, grader.Misses(CodeNotRegular).At(name, 0).With("file", name).Phrase("is", phrase(file.Detail))
	case grader.FileTooLarge:
		return nil, grader.Misses(CodeTooLarge).At(name, 0).With("file", name).With("limit", strconv.Itoa(MaxFile))
	}
	return nil, fmt.Errorf("reading %s: its state %q is unknown", name, file.State)
}

// OpenText returns a declared file as text: UTF-8 with or without byte order mark, lines ended by LF or CRLF. A file that
// cannot be read as such, or has nothing but blanks, is a Finding.
func OpenText(view *grader.View, name string) (Text, error) {
	data, err := Bytes(view, name)
	if err != nil {
		return Text{}, err
	}
	if !utf8.Valid(data) {
		return Text{}, grader.Misses(CodeNotUTF8).At(name, 0).With("file", name)
	}
	text := Text{Name: name, Lines: splitLines(Clean(string(data)))}
	if len(text.Lines) == 0 {
		return Text{}, grader.Misses(CodeEmpty).At(name, 0).With("file", name)
	}
	return text, nil
}

// TextOf returns what a program printed as text.
func TextOf(name, printed string) Text {
	return Text{Name: name, Lines: splitLines(Clean(printed))}
}

func splitLines(s string) []Line {
	var lines []Line
	last := 0
	for i, raw := range strings.Split(s, "\n") {
		line := strings.TrimRight(raw, " \t\r")
		lines = append(lines, Line{Number: i + 1, Text: line})
		if line != "" {
			last = len(lines)
		}
	}
	return lines[:last]
}

// colour matches ANSI control sequences, which coloured output leaves in a saved file.
var colour = regexp.MustCompile(`\x1b\[[0-9;:?]*[A-Za-z]`)

// Clean removes a byte order mark and colour codes, and turns CRLF into LF.
func Clean(s string) string {
	s = strings.TrimPrefix(s, "\ufeff")
	s = strings.ReplaceAll(s, "\r\n", "\n")
	return colour.ReplaceAllString(s, "")
}

var byteOrderMark = []byte("\ufeff")

func cleanBytes(data []byte) []byte {
	data = bytes.TrimPrefix(data, byteOrderMark)
	data = bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))
	return colour.ReplaceAll(data, nil)
}
