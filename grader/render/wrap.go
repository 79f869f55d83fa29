package render

import (
	"strings"

	"github.com/mattn/go-runewidth"
)

// cells measures text in columns of a terminal, the same whatever the environment says of its language.
func cells() *runewidth.Condition { return &runewidth.Condition{StrictEmojiNeutral: true} }

// wrapper breaks a paragraph into lines of at most so many columns.
type wrapper struct {
	room  int
	line  string
	lines []string
}

// wrapLines breaks between words, and in text of wide letters, which has few blanks, where UAX 14 allows it: closing
// punctuation begins no line and opening punctuation ends none. Names and Korean words stay whole if they fit on a line.
func wrapLines(s string, room int) []string {
	w := &wrapper{room: room}
	for _, paragraph := range strings.Split(s, "\n") {
		for _, word := range words(strings.Join(strings.Fields(paragraph), " ")) {
			if w.fits(word) {
				w.put(word)
				continue
			}
			for _, segment := range segments(word) {
				w.force(segment)
			}
		}
		w.end()
	}
	return w.lines
}

// fits reports whether the text has room on a line of its own.
func (w *wrapper) fits(s string) bool {
	return cells().StringWidth(strings.TrimRight(s, " ")) <= w.room
}

func (w *wrapper) end() {
	w.lines = append(w.lines, strings.TrimRight(w.line, " "))
	w.line = ""
}

func (w *wrapper) put(s string) {
	if w.line != "" && !w.fits(w.line+s) {
		w.end()
	}
	w.line += s
}

// force puts a segment that may be wider than a line, and then breaks it anywhere.
func (w *wrapper) force(segment string) {
	if w.fits(segment) {
		w.put(segment)
		return
	}
	w.line += segment
	for !w.fits(w.line) {
		head := cells().Truncate(w.line, w.room, "")
		rest := w.line[len(head):]
		w.line = head
		w.end()
		w.line = rest
	}
}
