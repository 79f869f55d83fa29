package render

import (
	"unicode"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

// segments splits text wherever UAX 14 lets a line be broken, and before some names where it does not. What they join to is
// the text.
func segments(s string) []string {
	var parts []string
	state := -1
	for s != "" {
		var part string
		part, s, _, state = uniseg.FirstLineSegmentInString(s, state)
		parts = append(parts, splitNames(part)...)
	}
	return parts
}

// splitNames splits before a path or a flag that follows a blank, or wide text that opens no bracket, and after the dot of a
// list: UAX 14 takes slash, hyphen and dot for parts of the word before.
func splitNames(s string) []string {
	var parts []string
	start, before := 0, rune(0)
	for i, r := range s {
		name := (r == '/' || r == '-') && (before == ' ' || blankless(before)) && !unicode.In(before, unicode.Ps, unicode.Pi)
		if name || before == listDot && unicode.IsLetter(r) {
			parts = append(parts, s[start:i])
			start = i
		}
		before = r
	}
	return append(parts, s[start:])
}

// words joins those segments again that should not be parted without need: the parts of paths, flags and other names, which
// are there to be copied, and the syllables of Korean words, which have blanks between them.
func words(s string) []string {
	var joined []string
	for _, segment := range segments(s) {
		if len(joined) > 0 {
			last := joined[len(joined)-1]
			before, _ := utf8.DecodeLastRuneInString(last)
			after, _ := utf8.DecodeRuneInString(segment)
			if before != ' ' && !blankless(before) && !blankless(after) {
				joined[len(joined)-1] = last + segment
				continue
			}
		}
		joined = append(joined, segment)
	}
	return joined
}

// listDot stands between the items of a Korean list.
const listDot = '·'

// blankless reports whether a letter is of a script that has no blanks between its words, or is the dot of a list.
func blankless(r rune) bool {
	return r == listDot || cells().RuneWidth(r) == 2 && !unicode.Is(unicode.Hangul, r)
}
