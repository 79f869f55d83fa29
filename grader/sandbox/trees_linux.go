package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// tree is a mount that is not attached anywhere yet, or a symbolic link to make in its stead.
type tree struct {
	target   string
	fd       int
	link     string
	writable bool
	device   bool
}

// collectTrees opens everything of the host that the program will see, ordered so that a mount comes
// before those below it.
func (s setup) collectTrees() ([]tree, error) {
	var list []tree
	for _, name := range slices.Concat(systemDirs(), systemConfig(), devices(), randomDevices()) {
		info, err := os.Lstat(name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			return nil, fmt.Errorf("looking at %s: %w", name, err)
		case info.Mode()&fs.ModeSymlink != 0:
			link, err := os.Readlink(name)
			if err != nil {
				return nil, fmt.Errorf("looking at %s: %w", name, err)
			}
			list = append(list, tree{target: name, link: link})
			continue
		}
		fd, err := openTree(name)
		if err != nil {
			return nil, needs("mount namespace", err)
		}
		list = append(list, tree{target: name, fd: fd, device: path.Dir(name) == "/dev"})
	}
	mounts := slices.Clone(s.Mounts)
	slices.SortStableFunc(mounts, func(a, b mountOrder) int { return strings.Compare(a.Target, b.Target) })
	for _, m := range mounts {
		fd := m.Tree
		if fd == 0 {
			var err error
			if fd, err = openTree(m.Source); err != nil {
				return nil, fmt.Errorf("opening the mount source %s: %w", m.Source, err)
			}
		}
		list = append(list, tree{target: m.Target, fd: fd, writable: m.Writable})
	}
	return list, nil
}

// openTree clones the mounts at a path, links followed. It needs CAP_SYS_ADMIN in the mount namespace.
func openTree(name string) (int, error) {
	return unix.OpenTree(unix.AT_FDCWD, name, unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_RECURSIVE)
}

// attach puts a tree into the new root and closes its descriptor.
func (r *newRoot) attach(t tree) error {
	if t.link != "" {
		dir, err := r.open(path.Dir(t.target), true)
		if err != nil {
			return err
		}
		defer unix.Close(dir)
		return unix.Symlinkat(t.link, dir, path.Base(t.target))
	}
	defer unix.Close(t.fd)
	attr := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NODEV}
	switch {
	case t.device:
		attr.Attr_set = unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NOEXEC
	case !t.writable:
		attr.Attr_set |= unix.MOUNT_ATTR_RDONLY
	}
	if err := unix.MountSetattr(t.fd, "", unix.AT_EMPTY_PATH|unix.AT_RECURSIVE, &attr); err != nil {
		return needs("mount namespace", err)
	}
	var st unix.Stat_t
	if err := unix.Fstat(t.fd, &st); err != nil {
		return err
	}
	at, err := r.open(t.target, st.Mode&unix.S_IFMT == unix.S_IFDIR)
	if err != nil {
		return err
	}
	defer unix.Close(at)
	err = unix.MoveMount(t.fd, "", at, "", unix.MOVE_MOUNT_F_EMPTY_PATH|unix.MOVE_MOUNT_T_EMPTY_PATH)
	return needs("mount namespace", err)
}

// devices can be read and written by every program; they do nothing.
func devices() []string { return []string{"/dev/null", "/dev/zero", "/dev/full"} }

// randomDevices can be read only.
func randomDevices() []string { return []string{"/dev/random", "/dev/urandom"} }
