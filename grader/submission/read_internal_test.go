package submission

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/labgrader/grader"
)

// Between the look at a name and its opening somebody may have put something else there.
func TestReadLooksAgainAtWhatItOpened(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "f")
	require.NoError(t, os.WriteFile(name, []byte("a: 1\n"), 0o644))
	open := func(path string, flag int) *os.File {
		f, err := os.OpenFile(path, flag, 0)
		require.NoError(t, err)
		return f
	}
	closed := open(name, os.O_RDONLY)
	require.NoError(t, closed.Close())
	for what, c := range map[string]struct {
		opened *os.File
		want   grader.File
	}{
		"a file":              {open(name, os.O_RDONLY), grader.File{Name: "f", State: grader.FilePresent, Data: []byte("a: 1\n")}},
		"a directory":         {open(dir, os.O_RDONLY), grader.File{Name: "f", State: grader.FileNotRegular, Detail: "a directory"}},
		"a device":            {open(os.DevNull, os.O_RDONLY), grader.File{Name: "f", State: grader.FileNotRegular, Detail: "a device"}},
		"what cannot be read": {open(name, os.O_WRONLY), grader.File{Name: "f", State: grader.FileUnreadable, Detail: "read " + name + ": bad file descriptor"}},
		"nothing any more":    {closed, grader.File{Name: "f", State: grader.FileUnreadable, Detail: "bad file descriptor"}},
	} {
		t.Run(what, func(t *testing.T) { assert.Equal(t, c.want, read(grader.File{Name: "f"}, c.opened)) })
	}
}
