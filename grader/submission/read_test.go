package submission_test

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"example.com/labgrader/grader"
	"example.com/labgrader/grader/submission"
)

func open(t *testing.T, path string) *submission.Dir {
	t.Helper()
	dir, err := submission.Open(path)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, dir.Close()) })
	return dir
}

func write(t *testing.T, path, content string) {
	t.Helper()
	require.NoError(t, os.WriteFile(path, []byte(content), 0o644))
}

// odd makes something under the name that a learner, or somebody with worse in mind, may leave there.
type odd struct {
	what   string
	make   func(t *testing.T, dir, path string)
	state  grader.FileState
	detail string
}

var oddities = []odd{
	{"a symbolic link to a file beside it", func(t *testing.T, dir, path string) {
		write(t, filepath.Join(dir, "other"), "secret")
		require.NoError(t, os.Symlink("other", path))
	}, grader.FileNotRegular, "a symbolic link"},
	{"a symbolic link that leads out", func(t *testing.T, _, path string) {
		require.NoError(t, os.Symlink("/etc/passwd", path))
	}, grader.FileNotRegular, "a symbolic link"},
	{"a symbolic link that leads nowhere", func(t *testing.T, _, path string) {
		require.NoError(t, os.Symlink("nowhere", path))
	}, grader.FileNotRegular, "a symbolic link"},
	{"a symbolic link to itself", func(t *testing.T, _, path string) {
		require.NoError(t, os.Symlink(fileName, path))
	}, grader.FileNotRegular, "a symbolic link"},
	{"a directory", func(t *testing.T, _, path string) {
		require.NoError(t, os.Mkdir(path, 0o755))
	}, grader.FileNotRegular, "a directory"},
	{"a named pipe that nobody writes to", func(t *testing.T, _, path string) {
		require.NoError(t, unix.Mkfifo(path, 0o644))
	}, grader.FileNotRegular, "a named pipe"},
	{"a socket", func(t *testing.T, _, path string) {
		listener, err := net.Listen("unix", path)
		require.NoError(t, err)
		t.Cleanup(func() { assert.NoError(t, listener.Close()) })
	}, grader.FileNotRegular, "a socket"},
	{"a file with a second name", func(t *testing.T, dir, path string) {
		write(t, path, "a: 1\n")
		require.NoError(t, os.Link(path, filepath.Join(dir, "second")))
	}, grader.FileNotRegular, "a file with several hard links"},
	{"a file of 2 MiB", func(t *testing.T, _, path string) {
		write(t, path, strings.Repeat("x", 2<<20))
	}, grader.FileTooLarge, "more than 1048576 bytes"},
	{"a file of one byte too much", func(t *testing.T, _, path string) {
		write(t, path, strings.Repeat("x", submission.MaxFile+1))
	}, grader.FileTooLarge, "more than 1048576 bytes"},
	{"a sparse file of 1 TiB", func(t *testing.T, _, path string) {
		write(t, path, "a: 1\n")
		require.NoError(t, os.Truncate(path, 1<<40))
	}, grader.FileTooLarge, "more than 1048576 bytes"},
	{"nothing", func(*testing.T, string, string) {}, grader.FileMissing, ""},
}

func TestReadSaysWhatIsThereInsteadOfAFile(t *testing.T) {
	for _, c := range oddities {
		t.Run(c.what, func(t *testing.T) {
			path := t.TempDir()
			c.make(t, path, filepath.Join(path, fileName))
			dir := open(t, path)
			var file grader.File
			within(t, 10*time.Second, func() { file = dir.Read(fileName) })
			assert.Equal(t, grader.File{Name: fileName, State: c.state, Detail: c.detail}, file)
		})
	}
}

func TestReadDoesNotOpenADevice(t *testing.T) {
	// /dev is used in place of a submission, since only some users may make a device.
	dir := open(t, "/dev")
	for _, name := range []string{"zero", "null", "tty"} {
		within(t, 10*time.Second, func() {
			assert.Equal(t, grader.File{Name: name, State: grader.FileNotRegular, Detail: "a device"}, dir.Read(name))
		})
	}
}

func TestReadReturnsTheBytesUnchanged(t *testing.T) {
	for name, content := range map[string]string{
		"text":                "a: 1\n",
		"empty":               "",
		"any bytes":           "\xef\xbb\xbf\x00\xff\r\n \t",
		"as much as is read":  strings.Repeat("x", submission.MaxFile),
		"sparse but not huge": strings.Repeat("\x00", 4096),
	} {
		t.Run(name, func(t *testing.T) {
			path := t.TempDir()
			write(t, filepath.Join(path, fileName), content)
			file := open(t, path).Read(fileName)
			assert.Equal(t, grader.FilePresent, file.State)
			assert.Empty(t, file.Detail)
			assert.True(t, content == string(file.Data))
		})
	}
}

func TestReadStaysInTheDirectory(t *testing.T) {
	parent := t.TempDir()
	path := filepath.Join(parent, "submission")
	require.NoError(t, os.MkdirAll(filepath.Join(path, "sub"), 0o755))
	write(t, filepath.Join(parent, "outside"), "secret")
	write(t, filepath.Join(path, "sub", "inside"), "secret")
	dir := open(t, path)
	for _, name := range []string{"", ".", "..", "/", "../outside", "sub/inside", "./sub", "sub/", filepath.Join(parent, "outside")} {
		file := dir.Read(name)
		assert.Equal(t, grader.FileUnreadable, file.State, "%q", name)
		assert.Contains(t, file.Detail, "is not the name of a file", "%q", name)
		assert.Nil(t, file.Data, "%q", name)
	}
	// What the kernel refuses is trouble, too.
	for _, name := range []string{"a\x00b", strings.Repeat("x", 300)} {
		assert.Equal(t, grader.FileUnreadable, dir.Read(name).State, "%q", name)
	}
}

func TestAFileThatMayNotBeReadIsTroubleOfTheGrader(t *testing.T) {
	path := t.TempDir()
	write(t, filepath.Join(path, fileName), "a: 1\n")
	require.NoError(t, os.Chmod(filepath.Join(path, fileName), 0))
	dir := open(t, path)
	asNobody(t, func() {
		file := dir.Read(fileName)
		assert.Equal(t, grader.File{Name: fileName, State: grader.FileUnreadable, Detail: "permission denied"}, file)
	})
}

func TestAFileOfAnotherUserIsReadAllTheSame(t *testing.T) {
	// Only the owner of a file may leave its access time alone.
	path := t.TempDir()
	write(t, filepath.Join(path, fileName), "a: 1\n")
	dir := open(t, path)
	asNobody(t, func() {
		file := dir.Read(fileName)
		assert.Equal(t, grader.FilePresent, file.State, file.Detail)
		assert.Equal(t, "a: 1\n", string(file.Data))
	})
}

func TestADirectoryThatDoesNotExistHasNoFiles(t *testing.T) {
	dir := open(t, filepath.Join(t.TempDir(), "nothing"))
	assert.False(t, dir.Exists())
	assert.Equal(t, grader.File{Name: fileName, State: grader.FileMissing}, dir.Read(fileName))
	assert.Equal(t, grader.FileUnreadable, dir.Read("../x").State)
	assert.True(t, open(t, t.TempDir()).Exists())
}

func TestOpenRefusesWhatIsNotADirectory(t *testing.T) {
	path := t.TempDir()
	write(t, filepath.Join(path, "file"), "")
	require.NoError(t, unix.Mkfifo(filepath.Join(path, "pipe"), 0o644))
	for _, name := range []string{"file", "pipe", "file/below"} {
		within(t, 10*time.Second, func() {
			_, err := submission.Open(filepath.Join(path, name))
			assert.ErrorContains(t, err, "opening the submission: ", name)
			assert.ErrorContains(t, err, "not a directory", name)
		})
	}
	closed := filepath.Join(path, "closed")
	require.NoError(t, os.Mkdir(closed, 0))
	require.NoError(t, os.Chmod(filepath.Dir(path), 0o755)) // t.TempDir is closed to others above it
	asNobody(t, func() {
		_, err := submission.Open(closed)
		assert.ErrorContains(t, err, "permission denied")
	})
}

func TestReadingChangesNoTimes(t *testing.T) {
	path := t.TempDir()
	name := filepath.Join(path, fileName)
	write(t, name, "a: 1\n")
	// An access time this old would be renewed by any read, also where the file system is lazy about it.
	past := time.Date(2001, 2, 3, 4, 5, 6, 789, time.UTC)
	require.NoError(t, os.Chtimes(name, past, past))
	var before, after unix.Stat_t
	require.NoError(t, unix.Stat(name, &before))
	require.Equal(t, grader.FilePresent, open(t, path).Read(fileName).State)
	require.NoError(t, unix.Stat(name, &after))
	assert.Equal(t, before, after)
}

func TestReadingLeavesNothingOpen(t *testing.T) {
	count := func() int {
		entries, err := os.ReadDir("/proc/self/fd")
		require.NoError(t, err)
		return len(entries)
	}
	// A first round lets the runtime open what it keeps for itself.
	for round, before := 0, 0; round < 2; round++ {
		before = count()
		for _, c := range oddities {
			if c.what == "a socket" {
				continue // its listener stays open until the test ends
			}
			path := t.TempDir()
			c.make(t, path, filepath.Join(path, fileName))
			write(t, filepath.Join(path, "present"), "a: 1\n")
			dir, err := submission.Open(path)
			require.NoError(t, err)
			for range 20 {
				dir.Read(fileName)
				dir.Read("present")
				dir.Read("../x")
			}
			require.NoError(t, dir.Close())
			_, err = submission.Open(filepath.Join(path, "present"))
			require.Error(t, err)
		}
		if round > 0 {
			assert.Equal(t, before, count())
		}
	}
}
