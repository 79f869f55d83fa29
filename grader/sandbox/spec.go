package sandbox

import (
	"errors"
	"fmt"
	"net"
	"path"
	"strings"
	"time"
)

// UnprivilegedID is the user and group id, as the host sees it, of a program that root runs in tier A or B.
const UnprivilegedID = 65533

// DefaultPath is the PATH of a program whose Setting names none.
const DefaultPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

// Spec says what to run and what it may see. Paths "as seen" are absolute paths from the program's point
// of view; in tiers B and C Scene.Path turns them into real ones.
type Spec struct {
	// Argv is the program and its arguments. A name without a slash is looked up in the PATH of the
	// Setting. It is not changed: an argument that holds a path as seen is right in tier A only, unless
	// it is relative to Dir.
	Argv []string
	// Dir is the working directory as seen. Default: Home.
	Dir string
	// Home is the home directory as seen, private and writable unless a mount covers it. Default: /root.
	Home string
	// Mounts are the directories and files of this machine that the program sees.
	Mounts []Mount
	// Limits bound the run. Zero fields mean their defaults.
	Limits Limits
	// Serve, if set, gets the listener that is the only endpoint the program can reach. Run calls it in a
	// goroutine of its own before Prepare, closes the listener when the program has ended, and waits for
	// Serve to return. In tiers B and C other users of this machine can reach the listener too.
	Serve func(net.Listener)
	// Prepare, if set, gives the environment and the files, once the listener's address is known.
	Prepare func(Scene) (Setting, error)

	probe bool // end in the entry, without a program: only whether the tier can be had
}

// Mount shows a directory or regular file of this machine to the program.
type Mount struct {
	// Source is its absolute path on this machine. Symbolic links in it are followed.
	Source string
	// Target is the path as seen. It may lie below another mount's target or the home directory; not in
	// /usr, /bin, /lib, /proc or another system directory.
	Target string
	// Writable lets the program change it, and makes Run report what it changed. See "Owners".
	Writable bool
}

// Scene is what is known about a run before its program starts.
type Scene struct {
	// Addr is the listener's address as the program dials it; nil without Serve.
	Addr net.Addr

	path func(string) string
}

// Path returns where the program finds what it should see at the given path: the same path in tier A,
// the place on this machine in tiers B and C.
func (s Scene) Path(seen string) string {
	if s.path == nil {
		return seen
	}
	return s.path(seen)
}

// Setting is what a run's program is given besides its mounts.
type Setting struct {
	// Env holds the variables of the program. Nothing is inherited; PATH, HOME, LANG=C.UTF-8, TZ=UTC,
	// KUBERC=off and TMPDIR (tiers B and C) are there unless given here.
	Env map[string]string
	// Files maps paths as seen to contents, readable by the program's user only. A file below a mount is
	// put into the mount's source, which must be writable and must not hold it yet, and is removed after
	// the run; it never counts as changed by the program unless the program changes it.
	Files map[string][]byte
}

// Limits bound a run. A zero field means its default.
type Limits struct {
	Wall        time.Duration // from the call of Run to the end of the program; 10 s
	CPU         time.Duration // CPU time of one process, in whole seconds; 10 s
	MemoryBytes int64         // private memory of one process, its address space being four times that; 1 GiB
	Processes   int           // processes and threads at one time, see "What stays open" for tier B; 256
	FileBytes   int64         // size of one file; 16 MiB
	OpenFiles   int           // open files of one process; 256
	OutputBytes int64         // kept of each of stdout and stderr, the rest being read and dropped; 1 MiB
	TmpBytes    int64         // private /tmp, home and /dev/shm together, in tier A; 64 MiB
}

func (l Limits) withDefaults() Limits {
	def := func(v *int64, d int64) {
		if *v == 0 {
			*v = d
		}
	}
	def((*int64)(&l.Wall), int64(10*time.Second))
	def((*int64)(&l.CPU), int64(10*time.Second))
	def(&l.MemoryBytes, 1<<30)
	def(&l.FileBytes, 16<<20)
	def(&l.OutputBytes, 1<<20)
	def(&l.TmpBytes, 64<<20)
	if l.Processes == 0 {
		l.Processes = 256
	}
	if l.OpenFiles == 0 {
		l.OpenFiles = 256
	}
	return l
}

func (l Limits) negative() bool {
	return l.Wall < 0 || l.CPU < 0 || l.MemoryBytes < 0 || l.Processes < 0 || l.FileBytes < 0 ||
		l.OpenFiles < 0 || l.OutputBytes < 0 || l.TmpBytes < 0
}

// complete returns the spec with its defaults filled in, or an error for one that cannot be run.
func (s Spec) complete() (Spec, error) {
	s.Limits = s.Limits.withDefaults()
	if s.Home == "" {
		s.Home = "/root"
	}
	if s.Dir == "" {
		s.Dir = s.Home
	}
	if s.Limits.negative() {
		return s, errors.New("a limit is negative")
	}
	if !s.probe && (len(s.Argv) == 0 || s.Argv[0] == "") {
		return s, errors.New("no program is given")
	}
	targets := map[string]bool{}
	for _, m := range s.Mounts {
		if !path.IsAbs(m.Source) {
			return s, fmt.Errorf("mount source %q is not absolute", m.Source)
		}
		if err := checkTarget(m.Target); err != nil {
			return s, err
		}
		if targets[m.Target] {
			return s, fmt.Errorf("two mounts have the target %s", m.Target)
		}
		targets[m.Target] = true
	}
	if err := checkTarget(s.Home); err != nil {
		return s, err
	}
	if err := checkSeen(s.Dir); err != nil {
		return s, err
	}
	return s, nil
}

func (s Setting) check() error {
	for name, value := range s.Env {
		if name == "" || strings.ContainsAny(name, "=\x00") || strings.Contains(value, "\x00") {
			return fmt.Errorf("variable %q cannot be put into an environment", name)
		}
	}
	for name := range s.Files {
		if err := checkTarget(name); err != nil {
			return err
		}
	}
	return nil
}

func checkSeen(p string) error {
	if !path.IsAbs(p) || path.Clean(p) != p || strings.Contains(p, "\x00") {
		return fmt.Errorf("%q is not a clean absolute path", p)
	}
	return nil
}

func checkTarget(p string) error {
	if err := checkSeen(p); err != nil {
		return err
	}
	if p == "/" || p == "/etc" || p == "/tmp" {
		return fmt.Errorf("%s cannot be replaced", p)
	}
	for _, dir := range append([]string{"/proc", "/sys", "/dev"}, systemDirs()...) {
		if _, ok := below(p, dir); ok {
			return fmt.Errorf("%s is in the system directory %s", p, dir)
		}
	}
	return nil
}

// systemDirs are the directories of programs that every run sees, read-only.
func systemDirs() []string {
	return []string{"/usr", "/bin", "/sbin", "/lib", "/lib64", "/lib32", "/libx32"}
}

// systemConfig are the parts of /etc that programs in systemDirs need and every run sees, read-only.
func systemConfig() []string {
	return []string{
		"/etc/alternatives", "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/ssl", "/etc/pki",
		"/etc/ca-certificates", "/etc/crypto-policies", "/etc/locale.alias", "/etc/mime.types",
	}
}

// below says whether p is dir or lies in it, and its path relative to dir ("" for dir itself).
func below(p, dir string) (rel string, ok bool) {
	if p == dir {
		return "", true
	}
	return strings.CutPrefix(p, strings.TrimSuffix(dir, "/")+"/")
}
