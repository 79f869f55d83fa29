package sandbox

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
)

// programUID returns the user that a tier's program has on the host where that is not this process's, else
// -1. Root of a user namespace without such a user is no more than an ordinary user outside of it.
func programUID(tier Tier) int {
	if os.Geteuid() != 0 || tier == TierC {
		return -1
	}
	for _, file := range []string{"/proc/self/uid_map", "/proc/self/gid_map"} {
		ids, err := identity(file)
		if err != nil || !slices.ContainsFunc(ids, func(m syscall.SysProcIDMap) bool {
			return UnprivilegedID >= m.ContainerID && UnprivilegedID-m.ContainerID < m.Size
		}) {
			return -1
		}
	}
	return UnprivilegedID
}

// reachable says whether a user in no other group than its own can get to a path, as far as the
// directories above it decide.
func reachable(path string, uid int) bool {
	for dir := filepath.Dir(path); ; dir = filepath.Dir(dir) {
		info, err := os.Stat(dir)
		if err != nil {
			return false
		}
		st := info.Sys().(*syscall.Stat_t)
		bit := fs.FileMode(0o001)
		switch {
		case int(st.Uid) == uid:
			bit = 0o100
		case int(st.Gid) == uid:
			bit = 0o010
		}
		if info.Mode()&bit == 0 {
			return false
		}
		if dir == "/" {
			return true
		}
	}
}

// giveAway makes a user the owner of a tree. It follows no link, and refuses a file that has another name,
// since that may lie elsewhere.
func giveAway(source string, uid int) error {
	return filepath.WalkDir(source, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		st := info.Sys().(*syscall.Stat_t)
		if int(st.Uid) == uid && int(st.Gid) == uid {
			return nil
		}
		if !info.IsDir() && st.Nlink > 1 {
			return fmt.Errorf("%s has a second name", path)
		}
		return os.Lchown(path, uid, uid)
	})
}

// What stageCopy takes, at most.
const stageEntries = 10_000

// stageCopy makes a tree that lies in a closed directory available in dir, by hard links where the file
// system allows it, and returns its new place.
func stageCopy(source, dir string) (string, error) {
	for _, made := range []string{filepath.Dir(dir), dir} {
		if err := makeOpenDir(made); err != nil && !errors.Is(err, fs.ErrExist) {
			return "", err
		}
	}
	top := filepath.Join(dir, filepath.Base(source))
	left := stageEntries
	return top, filepath.WalkDir(source, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if left--; left < 0 {
			return fmt.Errorf("it holds more than %d entries", stageEntries)
		}
		rel, err := filepath.Rel(source, path)
		if err != nil {
			return err
		}
		return stageEntry(path, filepath.Join(top, rel), entry.Type())
	})
}

func stageEntry(from, to string, kind fs.FileMode) error {
	switch {
	case kind.IsDir():
		return makeOpenDir(to)
	case kind&fs.ModeSymlink != 0:
		target, err := os.Readlink(from)
		if err != nil {
			return err
		}
		return os.Symlink(target, to)
	case kind.IsRegular():
		if os.Link(from, to) == nil {
			return nil
		}
		return copyFile(from, to)
	}
	return nil // sockets and the like are of no use in a read-only mount
}

// makeOpenDir makes a directory that others can use, whatever the umask.
func makeOpenDir(dir string) error {
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	return os.Chmod(dir, 0o755)
}

func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return err
	}
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, info.Mode().Perm())
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Chmod(info.Mode().Perm()), out.Close())
}

// removeHostile removes a tree whose directories may have been closed by a program of the same user. What
// resists is left: it is no reason to lose a transcript.
func removeHostile(dir string) {
	if os.RemoveAll(dir) == nil {
		return
	}
	_ = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, _ error) error {
		if entry != nil && entry.IsDir() {
			_ = os.Chmod(path, 0o700)
		}
		return nil
	})
	_ = os.RemoveAll(dir)
}
