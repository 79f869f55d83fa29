package submission

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"example.com/labgrader/grader"
)

// MaxFile is the size in bytes up to which a file is read.
const MaxFile = 1 << 20

// Dir is a learner's directory, opened once.
type Dir struct{ root *os.File }

// Open opens the directory at path. A directory that does not exist is one without files, since a learner who did
// nothing has none; anything else that is wrong with it is an error.
func Open(path string) (*Dir, error) {
	flags := unix.O_DIRECTORY | unix.O_NONBLOCK
	root, err := os.OpenFile(path, flags|unix.O_NOATIME, 0) // listing it must not set its access time
	if errors.Is(err, unix.EPERM) {
		root, err = os.OpenFile(path, flags, 0)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return &Dir{}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("opening the submission: %w", err)
	}
	return &Dir{root: root}, nil
}

// Exists reports whether there is a directory at all.
func (d *Dir) Exists() bool { return d.root != nil }

// maxNames is how many names of a directory are looked at.
const maxNames = 200

// Names returns the names in the directory, at most 200 of them, sorted.
func (d *Dir) Names() []string {
	if d.root == nil {
		return nil
	}
	names, err := d.root.Readdirnames(maxNames)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil // then the declared files, which are read by name, have to do
	}
	slices.Sort(names)
	return names
}

// Close releases the directory.
func (d *Dir) Close() error {
	if d.root == nil {
		return nil
	}
	return d.root.Close()
}

// Read reads the file with that base name. What is wrong with it is in the result's state.
func (d *Dir) Read(name string) grader.File {
	file := grader.File{Name: name}
	if name == "." || !fs.ValidPath(name) || strings.Contains(name, "/") {
		return unreadable(file, fmt.Errorf("%q is not the name of a file", name))
	}
	if d.root == nil {
		file.State = grader.FileMissing
		return file
	}
	dir := int(d.root.Fd())
	var stat unix.Stat_t
	err := unix.Fstatat(dir, name, &stat, unix.AT_SYMLINK_NOFOLLOW)
	if errors.Is(err, unix.ENOENT) {
		file.State = grader.FileMissing
		return file
	}
	if err != nil {
		return unreadable(file, err)
	}
	if odd := oddity(&stat); odd != "" {
		file.State, file.Detail = grader.FileNotRegular, odd
		return file
	}
	fd, err := openat(dir, name)
	if err != nil {
		return unreadable(file, err)
	}
	return read(file, os.NewFile(uintptr(fd), name))
}

// openat opens without changing the access time where the kernel lets this user do so.
func openat(dir int, name string) (int, error) {
	flags := unix.O_RDONLY | unix.O_NONBLOCK | unix.O_NOFOLLOW | unix.O_NOCTTY | unix.O_CLOEXEC
	fd, err := unix.Openat(dir, name, flags|unix.O_NOATIME, 0)
	if errors.Is(err, unix.EPERM) {
		fd, err = unix.Openat(dir, name, flags, 0)
	}
	return fd, err
}

// read reads an opened file, looking again at what was opened: the name may have been given to something else since.
func read(file grader.File, f *os.File) grader.File {
	defer f.Close()
	var stat unix.Stat_t
	if err := unix.Fstat(int(f.Fd()), &stat); err != nil {
		return unreadable(file, err)
	}
	if odd := oddity(&stat); odd != "" {
		file.State, file.Detail = grader.FileNotRegular, odd
		return file
	}
	data, err := io.ReadAll(io.LimitReader(f, MaxFile+1))
	if err != nil {
		return unreadable(file, err)
	}
	if len(data) > MaxFile || stat.Size > MaxFile {
		file.State = grader.FileTooLarge
		file.Detail = fmt.Sprintf("more than %d bytes", MaxFile)
		return file
	}
	file.State, file.Data = grader.FilePresent, data
	file.Executable = stat.Mode&unix.S_IXUSR != 0
	return file
}

func unreadable(file grader.File, err error) grader.File {
	file.State, file.Detail = grader.FileUnreadable, err.Error()
	return file
}
