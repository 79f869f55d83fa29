package sandbox

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// What a snapshot looks at, at most. A run's writable mounts are small; a hostile program's are not.
const (
	snapshotEntries = 20_000
	snapshotDepth   = 64
	snapshotBytes   = 256 << 20
)

// snapshot maps the entries below a directory to a signature of their contents. It follows no link and
// opens regular files only.
type snapshot struct {
	entries map[string]string
	cut     bool
	bytes   int64
}

func takeSnapshot(source string) snapshot {
	s := snapshot{entries: map[string]string{}}
	info, err := os.Lstat(source)
	switch {
	case err != nil:
		s.cut = true
	case info.IsDir():
		s.walk(source, "", 1)
	default:
		s.entries["."] = s.signature(source, info)
	}
	return s
}

func (s *snapshot) walk(dir, rel string, depth int) {
	list, err := readDir(dir, snapshotEntries-len(s.entries)+1)
	if err != nil || depth > snapshotDepth {
		s.cut = true
		return
	}
	for _, entry := range list {
		if len(s.entries) >= snapshotEntries {
			s.cut = true
			return
		}
		full, name := filepath.Join(dir, entry.Name()), filepath.Join(rel, entry.Name())
		info, err := entry.Info()
		if err != nil {
			s.cut = true
			continue
		}
		s.entries[name] = s.signature(full, info)
		if info.IsDir() {
			s.walk(full, name, depth+1)
		}
	}
}

// readDir reads up to n entries: a hostile directory may hold a million.
func readDir(dir string, n int) ([]fs.DirEntry, error) {
	f, err := os.OpenFile(dir, os.O_RDONLY|openUnfollowed, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	list, err := f.ReadDir(n)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return list, err
}

func (s *snapshot) signature(file string, info fs.FileInfo) string {
	kind := info.Mode().Type().String()
	switch {
	case info.Mode().IsRegular():
		if s.bytes+info.Size() > snapshotBytes {
			s.cut = true
			return fmt.Sprintf("%s %d %d", kind, info.Size(), info.ModTime().UnixNano())
		}
		s.bytes += info.Size()
		return kind + " " + s.digest(file, info.Size())
	case info.Mode()&fs.ModeSymlink != 0:
		target, err := os.Readlink(file)
		s.cut = s.cut || err != nil
		return kind + " " + target
	}
	return kind
}

func (s *snapshot) digest(file string, size int64) string {
	f, err := os.OpenFile(file, os.O_RDONLY|openUnfollowed, 0)
	if err != nil {
		s.cut = true
		return "unreadable"
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, io.LimitReader(f, size)); err != nil {
		s.cut = true
	}
	return fmt.Sprintf("%x", h.Sum(nil))
}

// changesSince lists what differs from before, as changes of the mount with the given target.
func (s snapshot) changesSince(before snapshot, target string) []Change {
	var list []Change
	for name, signature := range s.entries {
		switch old, ok := before.entries[name]; {
		case !ok:
			list = append(list, Change{target, name, Created})
		case old != signature:
			list = append(list, Change{target, name, Changed})
		}
	}
	for name := range before.entries {
		if _, ok := s.entries[name]; !ok {
			list = append(list, Change{target, name, Removed})
		}
	}
	slices.SortFunc(list, func(a, b Change) int { return cmp.Compare(a.Path, b.Path) })
	return list
}
