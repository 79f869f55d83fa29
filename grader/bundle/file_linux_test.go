package bundle_test

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"example.com/labgrader/grader/bundle"
)

// names lists a directory: nothing but the bundle may be left in it.
func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	all := []string{}
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all
}

func TestAFileIsWrittenWholeAndForItsOwnerOnly(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "bundle.tar.gz")
	b := pack(t, content())
	require.NoError(t, b.WriteFile(name))
	assert.Equal(t, []string{"bundle.tar.gz"}, names(t, dir))
	stat, err := os.Stat(name)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), stat.Mode())
	data, err := os.ReadFile(name)
	require.NoError(t, err)
	assert.Equal(t, written(t, b), data)
	read, err := bundle.ReadFile(name)
	require.NoError(t, err)
	assert.Equal(t, b.Members(), read.Members())
}

func TestWritingReplacesWhatWasThere(t *testing.T) {
	dir := t.TempDir()
	name, elsewhere := filepath.Join(dir, "bundle.tar.gz"), filepath.Join(t.TempDir(), "elsewhere")
	require.NoError(t, os.WriteFile(elsewhere, []byte("keep"), 0o644))
	for what, prepare := range map[string]func() error{
		"a file that others can read": func() error { return os.WriteFile(name, []byte("old"), 0o644) },
		"a link to another file":      func() error { return os.Symlink(elsewhere, name) },
	} {
		require.NoError(t, os.RemoveAll(name))
		require.NoError(t, prepare(), what)
		require.NoError(t, pack(t, content()).WriteFile(name), what)
		stat, err := os.Lstat(name)
		require.NoError(t, err)
		assert.Equal(t, os.FileMode(0o600), stat.Mode(), what)
	}
	kept, err := os.ReadFile(elsewhere)
	require.NoError(t, err)
	assert.Equal(t, "keep", string(kept))
}

func TestAFailedWriteLeavesNothingBehind(t *testing.T) {
	b := pack(t, content())
	t.Run("no such directory", func(t *testing.T) {
		dir := t.TempDir()
		err := b.WriteFile(filepath.Join(dir, "nothing", "bundle.tar.gz"))
		assert.ErrorContains(t, err, "writing the bundle: ")
		assert.Empty(t, names(t, dir))
	})
	t.Run("the name is a directory", func(t *testing.T) {
		dir := t.TempDir()
		require.NoError(t, os.MkdirAll(filepath.Join(dir, "taken", "full"), 0o755))
		err := b.WriteFile(filepath.Join(dir, "taken"))
		assert.ErrorContains(t, err, "writing the bundle: ")
		assert.Equal(t, []string{"taken"}, names(t, dir))
		assert.Equal(t, []string{"full"}, names(t, filepath.Join(dir, "taken")))
	})
	t.Run("a directory that may not be written", func(t *testing.T) {
		dir := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(dir, "bundle.tar.gz"), []byte("old"), 0o644))
		require.NoError(t, os.Chmod(filepath.Dir(dir), 0o755)) // t.TempDir is closed to others above it
		require.NoError(t, os.Chmod(dir, 0o555))
		asNobody(t, func() {
			err := b.WriteFile(filepath.Join(dir, "bundle.tar.gz"))
			assert.ErrorContains(t, err, "writing the bundle: ")
			assert.ErrorIs(t, err, os.ErrPermission)
		})
		assert.Equal(t, []string{"bundle.tar.gz"}, names(t, dir))
		old, err := os.ReadFile(filepath.Join(dir, "bundle.tar.gz"))
		require.NoError(t, err)
		assert.Equal(t, "old", string(old))
		require.NoError(t, os.Chmod(dir, 0o755)) // so that it can be removed
	})
}

func TestReadFileNamesTheFileAndWhatIsWrong(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "bundle.tar.gz")
	_, err := bundle.ReadFile(name)
	assert.ErrorIs(t, err, os.ErrNotExist)
	assert.ErrorContains(t, err, "reading the bundle: open "+name)
	_, err = bundle.ReadFile(dir)
	assert.ErrorContains(t, err, "reading the bundle "+dir+": ")
	require.NoError(t, os.WriteFile(name, []byte("hello, this is text"), 0o600))
	_, err = bundle.ReadFile(name)
	assert.EqualError(t, err, "reading the bundle "+name+": it is not a bundle: gzip: invalid header")
}

// asNobody calls f without the rights of root: permissions mean nothing to root, as which tests often run. The change
// holds for file accesses of this thread only.
func asNobody(t *testing.T, f func()) {
	t.Helper()
	if os.Geteuid() != 0 {
		f()
		return
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	const nobody = 65534
	_, err := unix.SetfsuidRetUid(nobody)
	require.NoError(t, err)
	defer func() { _, _ = unix.SetfsuidRetUid(0) }()
	f()
}
