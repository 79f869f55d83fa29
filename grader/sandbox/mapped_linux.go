package sandbox

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// mapping is the mapper's instruction.
type mapping struct {
	Argv           []string
	Dir            string
	Source, Target string
	Keep           []string
}

// RunMapped runs a trusted command on the host's network, as this user, with Source to be seen at Target;
// the real Target is not touched. It needs user and mount namespaces only. When ctx ends, the command's
// process group is killed. The error is the context's cause then, an *exec.ExitError (wrapped) for a
// command that failed, or says what this machine does not allow.
func RunMapped(ctx context.Context, m Mapped) error {
	if stage() != "" {
		return errors.New("mapping a directory: this process is a stage of a sandbox: call Main first in main")
	}
	if len(m.Argv) == 0 {
		return errors.New("mapping a directory: no command is given")
	}
	if !filepath.IsAbs(m.Source) || checkTarget(m.Target) != nil {
		return fmt.Errorf("mapping %s to %s: not two usable absolute paths", m.Source, m.Target)
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := runMapped(ctx, m); err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return fmt.Errorf("running %s with %s at %s: %w", m.Argv[0], m.Source, m.Target, err)
	}
	return nil
}

func runMapped(ctx context.Context, m Mapped) error {
	ordersRead, ordersWrite, err := os.Pipe()
	if err != nil {
		return err
	}
	defer ordersWrite.Close()
	reportsRead, reportsWrite, err := os.Pipe()
	if err != nil {
		ordersRead.Close()
		return err
	}
	defer reportsRead.Close()
	cmd := exec.CommandContext(ctx, "/proc/self/exe")
	cmd.Args = []string{mapperName}
	cmd.Env = m.Env
	cmd.Stdin, cmd.Stdout, cmd.Stderr = m.Stdin, m.Stdout, m.Stderr
	cmd.ExtraFiles = []*os.File{ordersRead, reportsWrite}
	cmd.Cancel = func() error { return unix.Kill(-cmd.Process.Pid, unix.SIGKILL) }
	cmd.WaitDelay = time.Second
	cmd.SysProcAttr, err = mapperAttributes()
	if err == nil {
		err = needs("user namespaces", cmd.Start())
	}
	ordersRead.Close()
	reportsWrite.Close()
	if err != nil {
		return err
	}
	order := mapping{m.Argv, m.Dir, filepath.Clean(m.Source), m.Target, m.Keep}
	instructed := json.NewEncoder(ordersWrite).Encode(order)
	var r report
	reported := json.NewDecoder(reportsRead).Decode(&r) // an end of file when the command has begun
	err = cmd.Wait()
	switch {
	case instructed != nil:
		return instructed
	case reported == nil && r.Unsupported:
		return errors.New(phrase(r.Step, r.Errno))
	case reported == nil:
		return errors.New(r.Detail)
	}
	return err
}

// mapperAttributes keep all ids as they are. The capability lets a user other than root mount things.
func mapperAttributes() (*syscall.SysProcAttr, error) {
	attr := &syscall.SysProcAttr{
		Cloneflags:  unix.CLONE_NEWUSER | unix.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: os.Geteuid(), HostID: os.Geteuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: os.Getegid(), HostID: os.Getegid(), Size: 1}},
		AmbientCaps: []uintptr{unix.CAP_SYS_ADMIN},
		Setpgid:     true,
		Pdeathsig:   syscall.SIGKILL,
	}
	if os.Geteuid() != 0 {
		return attr, nil
	}
	var err error
	if attr.UidMappings, err = identity("/proc/self/uid_map"); err != nil {
		return nil, err
	}
	attr.GidMappings, err = identity("/proc/self/gid_map")
	attr.GidMappingsEnableSetgroups = true
	return attr, err
}

// identity maps every id that exists in this user namespace to itself.
func identity(file string) ([]syscall.SysProcIDMap, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var list []syscall.SysProcIDMap
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var first, outside, size int
		if _, err := fmt.Sscan(lines.Text(), &first, &outside, &size); err != nil {
			return nil, fmt.Errorf("reading %s: %w", file, err)
		}
		list = append(list, syscall.SysProcIDMap{ContainerID: first, HostID: first, Size: size})
	}
	return list, nil
}

// mapperMain mounts and becomes the command.
func mapperMain() {
	runtime.LockOSThread()
	unix.CloseOnExec(fdOrders)
	unix.CloseOnExec(fdReports)
	reports := json.NewEncoder(os.NewFile(fdReports, "reports"))
	var m mapping
	err := json.NewDecoder(os.NewFile(fdOrders, "orders")).Decode(&m)
	if err == nil {
		err = m.become()
	}
	_ = reports.Encode(failureReport(err))
}

func (m mapping) become() error {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return needs("mount namespace", err)
	}
	if err := m.mount(); err != nil {
		return err
	}
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil {
		return needs("capabilities", err)
	}
	if m.Dir == "" {
		m.Dir = m.Target
	}
	if err := unix.Chdir(m.Dir); err != nil {
		return fmt.Errorf("entering %s: %w", m.Dir, err)
	}
	p := program{Argv: m.Argv, Env: os.Environ(), Path: os.Getenv("PATH")}
	return fmt.Errorf("executing %s: %w", m.Argv[0], p.become())
}

// mount shows the source at the target, over an empty directory where the target cannot be mounted on.
func (m mapping) mount() error {
	source, err := openTree(m.Source)
	if err != nil {
		return treeError(m.Source, err)
	}
	cover, err := coverOf(m.Target)
	if err != nil {
		return err
	}
	if cover == m.Target {
		return moveTo(source, m.Target)
	}
	kept := map[string]int{}
	for _, name := range m.Keep {
		if rel, ok := below(filepath.Clean(name), cover); ok && rel != "" {
			if kept[filepath.Clean(name)], err = openTree(name); err != nil {
				return treeError(name, err)
			}
		}
	}
	if err := unix.Mount("tmpfs", cover, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "mode=755,size=1m"); err != nil {
		return needs("mount namespace", err)
	}
	if err := os.MkdirAll(m.Target, 0o755); err != nil {
		return err
	}
	for name, fd := range kept {
		if err := makePlace(name, fd); err != nil {
			return fmt.Errorf("keeping %s visible: %w", name, err)
		}
		if err := moveTo(fd, name); err != nil {
			return fmt.Errorf("keeping %s visible: %w", name, err)
		}
	}
	return moveTo(source, m.Target)
}

// coverOf returns the target if it is a directory that can be reached, else its nearest ancestor that is.
func coverOf(target string) (string, error) {
	for dir := target; dir != "/"; dir = filepath.Dir(dir) {
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			return dir, nil
		}
	}
	return "", fmt.Errorf("no directory above %s exists but the root, which cannot be covered", target)
}

func treeError(name string, err error) error {
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) && !canStat(name) {
		return fmt.Errorf("opening %s: %w", name, err)
	}
	return needs("mount namespace", err)
}

func canStat(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

func makePlace(name string, fd int) error {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return err
	}
	if st.Mode&unix.S_IFMT == unix.S_IFDIR {
		return os.MkdirAll(name, 0o755)
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	f, err := os.OpenFile(name, os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	return f.Close()
}

func moveTo(fd int, target string) error {
	defer unix.Close(fd)
	err := unix.MoveMount(fd, "", unix.AT_FDCWD, target, unix.MOVE_MOUNT_F_EMPTY_PATH)
	return needs("mount namespace", err)
}
