package oplab

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// Just one pair of quotes is taken off, and only a pair.
func TestUnquote(t *testing.T) {
	for s, want := range map[string]string{
		`"a"`: "a", `'a'`: "a", `a`: "a", `"a`: `"a`, `a"`: `a"`, `"a'`: `"a'`, `"`: `"`, `""`: "", `''`: "", ``: "", `""a""`: `"a"`,
	} {
		assert.Equal(t, want, unquote(s), "%q", s)
	}
}

func TestLineFault(t *testing.T) {
	const seconds = "2026-01-01T12:00:00Z"
	for line, want := range map[string]string{
		"":                      "renew.blank-line",
		" \t":                   "renew.blank-line",
		seconds:                 "renew.seconds-only",
		seconds + " ":           "renew.seconds-only",
		seconds + " " + seconds: "renew.one-line",
		seconds + seconds:       "renew.one-line",
		"2026-01-01T12:00:00.000000Z 2026-01-01T12:00:01.000000Z 2026-01-01T12:00:02.000000Z": "renew.one-line",
		seconds + " and " + seconds: "renew.line", // more than times
		"renewed " + seconds:        "renew.line",
		"renewed:" + seconds:        "renew.line", // one word that does not begin with the time
		seconds + " renewed":        "renew.line",
		"renewed":                   "renew.line",
	} {
		assert.Equal(t, want, lineFault(line), "%q", line)
	}
}
