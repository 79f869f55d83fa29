package audit

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// Locales differ in whether punctuation counts; either order will do.
func TestSorted(t *testing.T) {
	for name, test := range map[string]struct {
		names []string
		want  bool
	}{
		"in bytes and in a locale": {[]string{"a", "b"}, true},
		"in bytes only":            {[]string{"a-z", "ab"}, true},
		"in a locale only":         {[]string{"ab", "a-z"}, true},
		"dots, in a locale only":   {[]string{"ab", "a.z"}, true},
		"in neither":               {[]string{"b", "a"}, false},
		"none":                     {nil, true},
	} {
		t.Run(name, func(t *testing.T) { assert.Equal(t, test.want, sorted(test.names)) })
	}
}

// What tools print for a field that is not there.
func TestMeansNothing(t *testing.T) {
	for s, want := range map[string]bool{"": true, "<none>": true, "<no value>": true, "null": true, "0": true, "1": false, "none": false, " ": false} {
		assert.Equal(t, want, meansNothing(s), "%q", s)
	}
}

// A flag is named with two hyphens, and by its whole name.
func TestHasFlag(t *testing.T) {
	const flag = "leader-elect-retry-period"
	for body, want := range map[string]bool{
		"--" + flag: true, "--" + flag + "=2s": true, "the `--" + flag + "`.": true,
		flag: false, "--" + flag + "s": false, "--" + flag + "-x": false, "x--" + flag: false, "–" + flag: false,
	} {
		assert.Equal(t, want, hasFlag(body, flag), "%q", body)
	}
}
