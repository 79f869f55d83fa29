package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// etcFiles are the small parts of /etc that describe a machine: the same everywhere, the host's users being
// nobody's business. The program's user is 0 in its namespace.
func etcFiles(home string) map[string][]byte {
	return map[string][]byte{
		"/etc/passwd":        []byte("root:x:0:0:root:" + home + ":/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/false\n"),
		"/etc/group":         []byte("root:x:0:\nnogroup:x:65534:\n"),
		"/etc/hosts":         []byte("127.0.0.1 localhost\n"),
		"/etc/nsswitch.conf": []byte("passwd: files\ngroup: files\nhosts: files\n"),
	}
}

// base is where the new root is built; whatever lies there on the host is out of sight, not touched.
const base = "/tmp"

// newRoot is a root directory under construction.
type newRoot struct{ fd int }

// buildNamespaces fills the fresh namespaces of tier A: network, host name, and a root directory without
// its files yet.
func (s setup) buildNamespaces() (*newRoot, error) {
	if s.Listen {
		if err := listen(); err != nil {
			return nil, err
		}
	}
	if err := unix.Sethostname([]byte("sandbox")); err != nil {
		return nil, needs("host name", err)
	}
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return nil, needs("mount namespace", err)
	}
	// Before the new root hides what lies at base.
	trees, err := s.collectTrees()
	if err != nil {
		return nil, err
	}
	if err := unix.Mount("tmpfs", base, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "mode=755,size=16m,nr_inodes=4096"); err != nil {
		return nil, needs("mount namespace", err)
	}
	fd, err := unix.Open(base, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("opening the new root: %w", err)
	}
	root := &newRoot{fd}
	return root, root.fill(s, trees)
}

// fill puts the mounts into the new root, upper ones first.
func (r *newRoot) fill(s setup, trees []tree) error {
	if err := r.addScratch(s); err != nil {
		return err
	}
	for _, t := range trees {
		if err := r.attach(t); err != nil {
			return fmt.Errorf("mounting at %s: %w", t.target, err)
		}
	}
	if err := r.makeDir("/proc"); err != nil {
		return err
	}
	if err := unix.Mount("proc", base+"/proc", "proc", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, ""); err != nil {
		return needs("proc", err)
	}
	links := map[string]string{
		"fd": "/proc/self/fd", "stdin": "/proc/self/fd/0", "stdout": "/proc/self/fd/1", "stderr": "/proc/self/fd/2",
	}
	for name, target := range links {
		if err := os.Symlink(target, base+"/dev/"+name); err != nil {
			return err
		}
	}
	return nil
}

// addScratch makes the private /tmp, /dev/shm and home directory: one tmpfs, so that one size bounds them.
func (r *newRoot) addScratch(s setup) error {
	options := fmt.Sprintf("mode=755,size=%d,nr_inodes=%d", s.TmpBytes, 1024+s.TmpBytes/4096)
	if err := r.makeDir("/.scratch"); err != nil {
		return err
	}
	if err := unix.Mount("tmpfs", base+"/.scratch", "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, options); err != nil {
		return needs("mount namespace", err)
	}
	for name, target := range map[string]string{"tmp": "/tmp", "shm": "/dev/shm", "home": s.Home} {
		dir := base + "/.scratch/" + name
		if err := os.Mkdir(dir, 0o700); err != nil {
			return err
		}
		if name != "home" {
			if err := os.Chmod(dir, 0o777|fs.ModeSticky); err != nil {
				return err
			}
		}
		fd, err := unix.OpenTree(unix.AT_FDCWD, dir, unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC)
		if err != nil {
			return needs("mount namespace", err)
		}
		if err := r.attach(tree{target: target, fd: fd, writable: true}); err != nil {
			return err
		}
	}
	if err := unix.Unmount(base+"/.scratch", unix.MNT_DETACH); err != nil {
		return err
	}
	return os.Remove(base + "/.scratch")
}

// enter adds the files, makes the new root this process's only one, and lets nobody write to it.
func (r *newRoot) enter(home string, files map[string][]byte) error {
	defer unix.Close(r.fd)
	all := etcFiles(home)
	maps.Copy(all, files)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if err := r.addFile(name, all[name]); err != nil {
			return fmt.Errorf("placing %s: %w", name, err)
		}
	}
	readOnly := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}
	if err := unix.MountSetattr(r.fd, "", unix.AT_EMPTY_PATH, &readOnly); err != nil {
		return needs("mount namespace", err)
	}
	if err := unix.Fchdir(r.fd); err != nil {
		return fmt.Errorf("entering the new root: %w", err)
	}
	if err := unix.PivotRoot(".", "."); err != nil {
		return needs("mount namespace", err)
	}
	// The old root lies on top of the new one now.
	if err := unix.Unmount(".", unix.MNT_DETACH); err != nil {
		return needs("mount namespace", err)
	}
	return unix.Chdir("/")
}

func (r *newRoot) addFile(name string, content []byte) error {
	dir, err := r.open(path.Dir(name), true)
	if err != nil {
		return err
	}
	defer unix.Close(dir)
	flags := unix.O_WRONLY | unix.O_CREAT | unix.O_EXCL | unix.O_NOFOLLOW | unix.O_CLOEXEC
	fd, err := unix.Openat(dir, path.Base(name), flags, 0o644)
	if err != nil {
		return err
	}
	f := os.NewFile(uintptr(fd), name)
	_, err = f.Write(content)
	return errors.Join(err, f.Close())
}

func (r *newRoot) makeDir(name string) error {
	fd, err := r.open(name, true)
	if err != nil {
		return fmt.Errorf("making %s: %w", name, err)
	}
	return unix.Close(fd)
}

// open returns a descriptor of the path in the new root, made if it is missing: as a directory or an empty
// file. It follows no link: below a mount, links are the program's.
func (r *newRoot) open(name string, isDir bool) (int, error) {
	fd, err := unix.Dup(r.fd)
	if err != nil {
		return -1, err
	}
	parts := strings.FieldsFunc(name, func(c rune) bool { return c == '/' })
	for i, part := range parts {
		next, err := openOrMake(fd, part, isDir || i < len(parts)-1)
		unix.Close(fd)
		if err != nil {
			return -1, err
		}
		fd = next
	}
	return fd, nil
}

func openOrMake(dir int, name string, isDir bool) (int, error) {
	flags := unix.O_PATH | unix.O_NOFOLLOW | unix.O_CLOEXEC
	if isDir {
		flags |= unix.O_DIRECTORY
	}
	fd, err := unix.Openat(dir, name, flags, 0)
	if !errors.Is(err, fs.ErrNotExist) {
		return fd, err
	}
	if isDir {
		err = unix.Mkdirat(dir, name, 0o755)
	} else {
		err = unix.Mknodat(dir, name, unix.S_IFREG|0o644, 0)
	}
	if err != nil {
		return -1, err
	}
	return unix.Openat(dir, name, flags, 0)
}
