package grader

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestEscapeKeepsTextAndShowsTheRest(t *testing.T) {
	for name, test := range map[string]struct{ text, want string }{
		"plain":                 {"leases: 3", "leases: 3"},
		"other scripts":         {"리스 租约", "리스 租约"},
		"line feed and tab":     {"a\n\tb\n", "a\n\tb\n"},
		"carriage return":       {"a\r\n", "a\\u000d\n"},
		"escape":                {"\x1b[31m", `\u001b[31m`},
		"C1":                    {"\u009b", `\u009b`},
		"line separator":        {"a\u2028b", `a\u2028b`},
		"paragraph separator":   {"a\u2029b", `a\u2029b`},
		"writing direction":     {"a\u202eb", `a\u202eb`},
		"zero width":            {"a\u200bb", `a\u200bb`},
		"invalid UTF-8":         {"a\xc3", `a\xc3`},
		"invalid, several":      {"\xff\xfe", `\xff\xfe`},
		"replacement character": {"a\ufffdb", "a\ufffdb"}, // three bytes that somebody wrote, not a mistake in the encoding
		"nothing":               {"", ""},
	} {
		t.Run(name, func(t *testing.T) { assert.Equal(t, test.want, Escape(test.text)) })
	}
}

func TestEscapeCutsByCharacters(t *testing.T) {
	most := strings.Repeat("리", shownMax)
	assert.Equal(t, most, Escape(most), "what just fits is shown whole")
	assert.Equal(t, most+"... (3 more bytes)", Escape(most+"리"))
}
