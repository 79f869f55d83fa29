package submission_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"example.com/labgrader/grader"
	"example.com/labgrader/grader/submission"
)

func TestNamesAreSorted(t *testing.T) {
	path := t.TempDir()
	assert.Empty(t, open(t, path).Names())
	var want []string
	for i := range 20 { // so many that no file system gives them in order by chance
		want = append(want, fmt.Sprintf("file-%02d", (i*7)%20))
		write(t, filepath.Join(path, want[i]), "")
	}
	require.NoError(t, os.Mkdir(filepath.Join(path, "z"), 0o755))
	require.NoError(t, os.Symlink("nowhere", filepath.Join(path, ".hidden")))
	want = append(want, "z", ".hidden")
	slices.Sort(want)
	assert.Equal(t, want, open(t, path).Names(), "whatever has a name is there")
}

func TestNamesAreAtMost200(t *testing.T) {
	path := t.TempDir()
	for i := range 201 {
		write(t, filepath.Join(path, fmt.Sprint(i)), "")
	}
	assert.Len(t, open(t, path).Names(), 200)
}

func TestADirectoryThatCannotBeListedHasNoNames(t *testing.T) {
	assert.Nil(t, open(t, filepath.Join(t.TempDir(), "nothing")).Names())
	dir, err := submission.Open(t.TempDir())
	require.NoError(t, err)
	require.NoError(t, dir.Close())
	assert.Nil(t, dir.Names())
}

func TestListingChangesNoTimes(t *testing.T) {
	path := t.TempDir()
	write(t, filepath.Join(path, fileName), "a: 1\n")
	// An access time this old would be renewed by any listing, also where the file system is lazy about it.
	past := time.Date(2001, 2, 3, 4, 5, 6, 789, time.UTC)
	require.NoError(t, os.Chtimes(path, past, past))
	var before, after unix.Stat_t
	require.NoError(t, unix.Stat(path, &before))
	require.Equal(t, []string{fileName}, open(t, path).Names())
	require.NoError(t, unix.Stat(path, &after))
	assert.Equal(t, before, after)
}

func TestADirectoryOfAnotherUserIsListedAllTheSame(t *testing.T) {
	// Only its owner may leave its access time alone.
	path := t.TempDir()
	require.NoError(t, os.Chmod(filepath.Dir(path), 0o755)) // t.TempDir is closed to others above it
	write(t, filepath.Join(path, fileName), "a: 1\n")
	asNobody(t, func() {
		dir, err := submission.Open(path)
		require.NoError(t, err)
		assert.Equal(t, []string{fileName}, dir.Names())
		assert.NoError(t, dir.Close())
	})
}

func TestExecutableIsWhatItsOwnerMayExecute(t *testing.T) {
	for mode, want := range map[os.FileMode]bool{0o644: false, 0o755: true, 0o744: true, 0o655: false, 0o700: true} {
		path := t.TempDir()
		write(t, filepath.Join(path, fileName), "#!/bin/sh\n")
		require.NoError(t, os.Chmod(filepath.Join(path, fileName), mode)) // whatever the umask is
		file := open(t, path).Read(fileName)
		require.Equal(t, grader.FilePresent, file.State)
		assert.Equal(t, want, file.Executable, "%o", mode)
	}
}
