package grader

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// shownMax is how many characters of a text from outside a report shows.
const shownMax = 2000

// Escape makes a text from a submission, a script or a server fit to be shown: control characters (C0, C1, and the ones
// that change the writing direction or cannot be seen) and invalid UTF-8 become visible escapes, so that no terminal or page
// takes them for commands; what is longer than 2000 characters is cut and says so. Line feeds and tabs stay.
// It is the one place where that is done: every text of a report passes through it.
func Escape(s string) string {
	var b strings.Builder
	shown := 0
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if shown == shownMax {
			fmt.Fprintf(&b, "... (%d more bytes)", len(s)-i)
			break
		}
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case r == '\n' || r == '\t':
			b.WriteRune(r)
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r), r == '\u2028', r == '\u2029':
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
		shown++
		i += size
	}
	return b.String()
}
