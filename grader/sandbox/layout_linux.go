package sandbox

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"
)

// layout says where on this machine everything lies that a run's program sees, and undoes what was put
// there for the run.
type layout struct {
	tier    Tier
	uid     int     // of the program, where it is not this process's; else -1
	home    string  // as seen
	mounts  []Mount // sources without links, and reachable; those of longer targets first
	scratch string  // private directories on this machine; "" if there are none, as mostly in tier A
	undo    []func()
}

func newLayout(tier Tier, spec Spec) (*layout, error) {
	l := &layout{tier: tier, uid: programUID(tier), home: spec.Home}
	if err := l.prepare(spec.Mounts); err != nil {
		l.remove()
		return nil, err
	}
	return l, nil
}

func (l *layout) prepare(mounts []Mount) error {
	if l.tier != TierA {
		if err := l.makeScratch(); err != nil {
			return err
		}
	}
	for i, m := range mounts {
		source, err := filepath.EvalSymlinks(m.Source)
		if err != nil {
			return fmt.Errorf("resolving a mount source: %w", err)
		}
		m.Source = source
		if l.closed(source) {
			if m.Writable {
				return fmt.Errorf("a directory above the writable mount source %s is closed to user %d", source, l.uid)
			}
			if err := l.makeScratch(); err != nil {
				return err
			}
			if m.Source, err = stageCopy(source, filepath.Join(l.scratch, "stage", fmt.Sprint(i))); err != nil {
				return fmt.Errorf("staging the mount source %s: %w", source, err)
			}
		}
		if m.Writable && l.uid >= 0 {
			if err := giveAway(source, l.uid); err != nil {
				return fmt.Errorf("giving the mount source %s to user %d: %w", source, l.uid, err)
			}
		}
		l.mounts = append(l.mounts, m)
	}
	slices.SortStableFunc(l.mounts, func(a, b Mount) int { return len(b.Target) - len(a.Target) })
	if l.tier == TierA {
		return l.makeMountPoints()
	}
	return nil
}

// closed says whether the program's user cannot get at a source, and in tier A the guard cannot be handed
// it either, which takes CAP_SYS_ADMIN.
func (l *layout) closed(source string) bool {
	if l.uid < 0 || reachable(source, l.uid) {
		return false
	}
	if l.tier == TierA {
		if fd, err := openTree(source); err == nil {
			unix.Close(fd)
			return false
		}
	}
	return true
}

// makeScratch makes the private directories of tiers B and C, and in tier A a place for staged sources.
func (l *layout) makeScratch() error {
	if l.scratch != "" {
		return nil
	}
	var err error
	if l.scratch, err = os.MkdirTemp("", "sandbox-"); err != nil {
		return fmt.Errorf("making the private directories: %w", err)
	}
	l.undo = append(l.undo, func() { removeHostile(l.scratch) })
	if err := os.Chmod(l.scratch, 0o711); err != nil {
		return fmt.Errorf("making the private directories: %w", err)
	}
	for _, name := range []string{"home", "tmp", "files"} {
		dir := filepath.Join(l.scratch, name)
		if err := os.Mkdir(dir, 0o700); err != nil {
			return fmt.Errorf("making the private directories: %w", err)
		}
		if l.uid >= 0 {
			if err := os.Chown(dir, l.uid, l.uid); err != nil {
				return fmt.Errorf("making the private directories: %w", err)
			}
		}
	}
	if l.uid >= 0 && !reachable(l.scratch, l.uid) {
		return fmt.Errorf("the directory for temporary files %s is closed to user %d", os.TempDir(), l.uid)
	}
	return nil
}

// makeMountPoints makes the places of mounts that lie below other mounts.
func (l *layout) makeMountPoints() error {
	for _, m := range l.mounts {
		over, rel, ok := l.covering(m.Target, false)
		if !ok {
			continue
		}
		info, err := os.Stat(m.Source)
		if err != nil {
			return fmt.Errorf("looking at a mount source: %w", err)
		}
		root, err := os.OpenRoot(over.Source)
		if err != nil {
			return fmt.Errorf("making the mount point %s: %w", m.Target, err)
		}
		defer root.Close()
		if _, err := root.Lstat(rel); err == nil {
			continue
		}
		if !over.Writable {
			return fmt.Errorf("the mount point %s does not exist in the read-only mount %s", m.Target, over.Target)
		}
		if err := l.placeBelow(over, rel, info.IsDir(), nil); err != nil {
			return fmt.Errorf("making the mount point %s: %w", m.Target, err)
		}
	}
	return nil
}

// covering returns the mount that a path as seen lies in, and the path relative to it. With self, a path
// that is a mount's target lies in that mount.
func (l *layout) covering(seen string, self bool) (Mount, string, bool) {
	for _, m := range l.mounts {
		if rel, ok := below(seen, m.Target); ok && (self || rel != "") {
			return m, rel, true
		}
	}
	return Mount{}, "", false
}

// path returns where the program finds what it should see at a path.
func (l *layout) path(seen string) string {
	if l.tier == TierA {
		return seen
	}
	seen = filepath.Clean(seen)
	if m, rel, ok := l.covering(seen, true); ok {
		return filepath.Join(m.Source, rel)
	}
	for dir, own := range map[string]string{l.home: "home", "/tmp": "tmp"} {
		if rel, ok := below(seen, dir); ok {
			return filepath.Join(l.scratch, own, rel)
		}
	}
	if checkTarget(seen) != nil {
		return seen // the system's
	}
	return filepath.Join(l.scratch, "files", seen)
}

// unmapped lists what the program does not see in its place.
func (l *layout) unmapped(files map[string][]byte) []string {
	list := []string{}
	if l.tier == TierA {
		return list
	}
	list = append(list, "/tmp", l.home)
	for _, m := range l.mounts {
		list = append(list, m.Target)
	}
	list = slices.AppendSeq(list, maps.Keys(files))
	list = slices.DeleteFunc(list, func(p string) bool { return p != "/tmp" && l.path(p) == p })
	slices.Sort(list)
	return slices.Compact(list)
}

// placeFiles puts the files where they belong on this machine, and returns those that the guard has to
// place in the new root.
func (l *layout) placeFiles(files map[string][]byte) (map[string][]byte, error) {
	rest := map[string][]byte{}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		m, rel, ok := l.covering(name, true)
		switch {
		case ok && !m.Writable:
			return nil, fmt.Errorf("placing %s: the mount %s is read-only", name, m.Target)
		case !ok && l.tier == TierA:
			rest[name] = files[name]
			continue
		case !ok:
			m = Mount{Source: l.scratch}
			rel, _ = below(l.path(name), l.scratch)
		}
		if rel == "" {
			return nil, fmt.Errorf("placing %s: it is a mount", name)
		}
		if err := l.placeBelow(m, rel, false, files[name]); err != nil {
			return nil, fmt.Errorf("placing %s: %w", name, err)
		}
	}
	return rest, nil
}

// placeBelow makes a directory or a new file in a mount's source, with the directories above it, and has
// them removed after the run. It does not follow links out of the source.
func (l *layout) placeBelow(m Mount, rel string, isDir bool, content []byte) error {
	root, err := os.OpenRoot(m.Source)
	if err != nil {
		return err
	}
	l.undo = append(l.undo, func() { root.Close() })
	for i, c := range rel + "/" {
		if c != '/' {
			continue
		}
		part := rel[:i]
		if i == len(rel) && !isDir {
			err = createFile(root, part, content)
		} else if err = root.Mkdir(part, 0o700); errors.Is(err, os.ErrExist) {
			continue
		}
		if err != nil {
			return err
		}
		l.undo = append(l.undo, func() { _ = root.Remove(part) })
		if l.uid >= 0 {
			if err := root.Lchown(part, l.uid, l.uid); err != nil {
				return err
			}
		}
	}
	return nil
}

func createFile(root *os.Root, name string, content []byte) error {
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	return errors.Join(err, f.Close())
}

// remove undoes everything, last things first.
func (l *layout) remove() {
	for _, undo := range slices.Backward(l.undo) {
		undo()
	}
	l.undo = nil
}
