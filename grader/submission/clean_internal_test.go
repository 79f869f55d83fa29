package submission

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// The two must agree: a file that is read as text and as YAML is the same file.
func TestCleanTakesAwayWhatSavingAdded(t *testing.T) {
	for name, c := range map[string]struct{ saved, want string }{
		"nothing to do":            {"one\n two\n", "one\n two\n"},
		"CRLF":                     {"one\r\ntwo\r\n", "one\ntwo\n"},
		"CR alone":                 {"one\rtwo", "one\rtwo"},
		"a byte order mark":        {"\ufeffone", "one"},
		"a mark elsewhere":         {"one\ufeff", "one\ufeff"},
		"two marks":                {"\ufeff\ufeffone", "\ufeffone"},
		"colours":                  {"\x1b[1;31mone\x1b[0m", "one"},
		"a mark, colours and CRLF": {"\ufeff\x1b[1mone\x1b[0m\r\n", "one\n"},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, c.want, Clean(c.saved))
			assert.Equal(t, c.want, string(cleanBytes([]byte(c.saved))))
		})
	}
}
