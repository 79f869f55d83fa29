package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// entryMain gives up every right and becomes the program. All of it happens on one thread: Landlock,
// seccomp and capabilities belong to threads, and execve(2) keeps those of the thread that calls it.
func entryMain() {
	runtime.LockOSThread()
	closing := closeOnExec()
	reports := json.NewEncoder(os.NewFile(fdReports, "reports"))
	var p program
	if err := json.NewDecoder(os.NewFile(fdOrders, "orders")).Decode(&p); err != nil {
		_ = reports.Encode(failureReport(fmt.Errorf("reading the entry's orders: %w", err)))
		return
	}
	if err := errors.Join(closing, p.surrender()); err != nil {
		_ = reports.Encode(failureReport(err))
		return
	}
	_ = reports.Encode(report{Kind: ready})
	if p.Probe {
		return
	}
	err := p.become()
	r := failureReport(fmt.Errorf("executing %s: %w", p.Argv[0], err))
	r.Kind = unstartable
	_ = reports.Encode(r)
}

// surrender leaves this thread with the rights and limits of the program.
func (p program) surrender() error {
	// When memory runs out, the kernel should choose the program; it may refuse, no harm.
	_ = os.WriteFile("/proc/self/oom_score_adj", []byte("1000"), 0)
	unix.Umask(0o022)
	if err := unix.Chdir(p.Dir); err != nil {
		return fmt.Errorf("entering the working directory %s: %w", p.Dir, err)
	}
	threads := countThreads(os.Getuid(), os.Getpid())
	if p.DropCaps {
		if err := dropCapabilities(); err != nil {
			return needs("capabilities", err)
		}
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return needs("no_new_privs", err)
	}
	if p.Confine {
		if err := restrictFiles(p); err != nil {
			return err
		}
		if err := forbidSystemCalls(p.SameUser); err != nil {
			return err
		}
	}
	return p.Limits.apply(threads)
}

// closeOnExec keeps all descriptors but the standard ones from the program, also those that the grader
// itself was started with.
func closeOnExec() error {
	if unix.CloseRange(fdOrders, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC) == nil {
		return nil
	}
	// Before Linux 5.11.
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return fmt.Errorf("listing open files: %w", err)
	}
	for _, entry := range list {
		if fd, err := strconv.Atoi(entry.Name()); err == nil && fd >= fdOrders {
			unix.CloseOnExec(fd)
		}
	}
	return nil
}

func dropCapabilities() error {
	// So that execve(2) by user 0 of the namespace gives nothing back.
	const locked = 1<<0 | 1<<1 | 1<<2 | 1<<3 | 1<<5 // NOROOT, NO_SETUID_FIXUP and their locks, KEEP_CAPS_LOCKED
	if err := unix.Prctl(unix.PR_SET_SECUREBITS, locked, 0, 0, 0); err != nil {
		return err
	}
	for c := uintptr(0); ; c++ {
		if err := unix.Prctl(unix.PR_CAPBSET_DROP, c, 0, 0, 0); errors.Is(err, unix.EINVAL) {
			break // past the kernel's last capability
		} else if err != nil {
			return err
		}
	}
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil {
		return err
	}
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var none [2]unix.CapUserData
	return unix.Capset(&header, &none[0])
}

// apply sets the rlimits. The limit of processes counts all threads of the user, so those that are there
// already are added to it.
func (l Limits) apply(threads int) error {
	cpu := uint64((l.CPU + time.Second - 1) / time.Second)
	for _, r := range []struct {
		resource  int
		soft, max uint64
	}{
		{unix.RLIMIT_CORE, 0, 0},
		{unix.RLIMIT_CPU, cpu, cpu + 1},
		{unix.RLIMIT_FSIZE, uint64(l.FileBytes), uint64(l.FileBytes)},
		{unix.RLIMIT_NOFILE, uint64(l.OpenFiles), uint64(l.OpenFiles)},
		{unix.RLIMIT_MEMLOCK, 0, 0},
		{unix.RLIMIT_MSGQUEUE, 0, 0},
		{unix.RLIMIT_NPROC, uint64(l.Processes + threads), uint64(l.Processes + threads)},
		{unix.RLIMIT_AS, uint64(4 * l.MemoryBytes), uint64(4 * l.MemoryBytes)},
		{unix.RLIMIT_DATA, uint64(l.MemoryBytes), uint64(l.MemoryBytes)},
	} {
		if err := lowerLimit(r.resource, r.soft, r.max); err != nil {
			return fmt.Errorf("limiting resource %d: %w", r.resource, err)
		}
	}
	return nil
}

// lowerLimit sets a limit, or keeps the inherited one where that is stricter.
func lowerLimit(resource int, soft, hard uint64) error {
	var now syscall.Rlimit
	if err := syscall.Getrlimit(resource, &now); err != nil {
		return err
	}
	hard = min(hard, now.Max)
	return syscall.Setrlimit(resource, &syscall.Rlimit{Cur: min(soft, hard), Max: hard})
}

// become executes the program, looked up as execvp(3) does it. It returns only an error.
func (p program) become() error {
	name := p.Argv[0]
	if strings.Contains(name, "/") {
		return syscall.Exec(name, p.Argv, p.Env)
	}
	err := error(unix.ENOENT)
	for _, dir := range filepath.SplitList(p.Path) {
		e := syscall.Exec(filepath.Join(dir, name), p.Argv, p.Env)
		switch {
		case errors.Is(e, unix.ENOENT), errors.Is(e, unix.ENOTDIR):
		case errors.Is(e, unix.EACCES):
			err = e
		default:
			return e
		}
	}
	return err
}
