package sandbox

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

const (
	stopGrace  = 1500 * time.Millisecond // for a guard that was told to stop
	drainGrace = 250 * time.Millisecond  // for output when every writer should be dead
)

// session is the parent's side of a running guard. Its thread must stay the one that started it: in tier A
// the guard dies with that thread.
type session struct {
	tier      Tier
	cmd       *exec.Cmd
	control   *net.UnixConn
	orders    *os.File
	stdout    stream
	stderr    stream
	diagnosis bytes.Buffer // what the guard has to say before it crashes
	stopOnce  sync.Once
	waitOnce  sync.Once
	exited    chan struct{}
}

// stream is a pipe that a program writes to.
type stream struct {
	read   *os.File
	output chan Output
}

// startSession starts a guard. The trees go to it as descriptors from fdTrees on.
func startSession(tier Tier, uid int, limit int64, trees []*os.File) (*session, error) {
	s := &session{tier: tier, exited: make(chan struct{})}
	var theirs []*os.File // closed here once the guard has them
	defer func() {
		for _, f := range theirs {
			f.Close()
		}
	}()
	ordersRead, ordersWrite, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	s.orders = ordersWrite
	theirs = append(theirs, ordersRead)
	control, err := s.openControl()
	if err != nil {
		s.closeFiles()
		return nil, err
	}
	theirs = append(theirs, control)
	for _, st := range []*stream{&s.stdout, &s.stderr} {
		write, err := st.open(uid)
		if err != nil {
			s.closeFiles()
			return nil, err
		}
		theirs = append(theirs, write)
	}
	s.cmd = exec.Command("/proc/self/exe")
	s.cmd.Args = []string{guardName}
	s.cmd.Env = []string{}
	s.cmd.Stderr = &s.diagnosis
	s.cmd.ExtraFiles = append(append([]*os.File{}, theirs...), trees...)
	s.cmd.WaitDelay = time.Second
	s.cmd.SysProcAttr = attributes(tier, uid)
	if err := s.cmd.Start(); err != nil {
		s.closeFiles()
		if tier == TierA {
			return nil, needs("user namespaces", err)
		}
		return nil, err
	}
	s.stdout.drain(limit)
	s.stderr.drain(limit)
	return s, nil
}

// attributes are those of the guard's process. In tier A it is user 0 of its namespace, and on the host
// either the unprivileged user, with no other group, or this process's.
func attributes(tier Tier, uid int) *syscall.SysProcAttr {
	if tier != TierA {
		return &syscall.SysProcAttr{Setsid: true}
	}
	isRoot := uid >= 0
	hostUID, hostGID := uid, uid
	if !isRoot {
		hostUID, hostGID = os.Geteuid(), os.Getegid()
	}
	return &syscall.SysProcAttr{
		Cloneflags: unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWNET |
			unix.CLONE_NEWIPC | unix.CLONE_NEWUTS,
		UidMappings:                []syscall.SysProcIDMap{{ContainerID: 0, HostID: hostUID, Size: 1}},
		GidMappings:                []syscall.SysProcIDMap{{ContainerID: 0, HostID: hostGID, Size: 1}},
		GidMappingsEnableSetgroups: isRoot,
		Credential:                 &syscall.Credential{Uid: 0, Gid: 0, NoSetGroups: !isRoot},
		Setsid:                     true,
		Pdeathsig:                  syscall.SIGKILL,
	}
}

// openControl makes the socket pair of the reports and returns the guard's end. Packets, not datagrams: a
// dead guard is then an end of file.
func (s *session) openControl() (*os.File, error) {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	ours := os.NewFile(uintptr(pair[0]), "control")
	theirs := os.NewFile(uintptr(pair[1]), "control")
	defer ours.Close()
	conn, err := net.FileConn(ours)
	if err != nil {
		theirs.Close()
		return nil, err
	}
	s.control = conn.(*net.UnixConn)
	return theirs, nil
}

// open makes the pipe and returns the end to write to, owned by the program's user: programs open
// /dev/stderr again by name.
func (st *stream) open(uid int) (*os.File, error) {
	var fds [2]int
	if err := unix.Pipe2(fds[:], unix.O_CLOEXEC); err != nil {
		return nil, err
	}
	write := os.NewFile(uintptr(fds[1]), "output")
	err := unix.SetNonblock(fds[0], true) // ours alone, so that reading can be given up
	if err == nil && uid >= 0 {
		err = unix.Fchown(fds[1], uid, uid)
	}
	st.read = os.NewFile(uintptr(fds[0]), "output")
	if err != nil {
		write.Close()
		return nil, err
	}
	return write, nil
}

func (st *stream) drain(limit int64) {
	st.output = make(chan Output, 1)
	go func() { st.output <- readCapped(st.read, limit) }()
}

// instruct sends the guard its next instruction. If it cannot, the guard has failed: it said why or is gone.
func (s *session) instruct(order any) error {
	err := json.NewEncoder(s.orders).Encode(order)
	if err == nil {
		return nil
	}
	if r, _, nextErr := s.next(); nextErr == nil && r.Kind == failed {
		return r.asError(s.tier)
	}
	return fmt.Errorf("instructing the guard: %w: %w", io.EOF, err)
}

// next returns the guard's next report and the file that came with it, or io.EOF when the guard is gone.
func (s *session) next() (report, *os.File, error) {
	data, rights := make([]byte, 64<<10), make([]byte, unix.CmsgSpace(4))
	n, rn, _, _, err := s.control.ReadMsgUnix(data, rights)
	if err != nil || n == 0 {
		return report{}, nil, io.EOF
	}
	file, err := receivedFile(rights[:rn])
	if err != nil {
		return report{}, nil, err
	}
	var r report
	if err := json.Unmarshal(data[:n], &r); err != nil {
		return report{}, file, fmt.Errorf("reading the guard's report: %w", err)
	}
	return r, file, nil
}

func receivedFile(rights []byte) (*os.File, error) {
	if len(rights) == 0 {
		return nil, nil
	}
	messages, err := unix.ParseSocketControlMessage(rights)
	if err != nil || len(messages) == 0 {
		return nil, errors.Join(errors.New("receiving a descriptor"), err)
	}
	fds, err := unix.ParseUnixRights(&messages[0])
	if err != nil || len(fds) != 1 {
		return nil, errors.Join(errors.New("receiving a descriptor"), err)
	}
	return os.NewFile(uintptr(fds[0]), "received"), nil
}

// stop ends the run without waiting for it. In tier A the kernel ends the whole namespace with its first
// process; else the guard does it and is itself ended if it takes too long.
func (s *session) stop() {
	s.stopOnce.Do(func() {
		if s.tier == TierA {
			_ = s.cmd.Process.Kill()
			return
		}
		_ = s.control.CloseWrite()
		_ = s.orders.Close() // a guard that still waits for them
		go func() {
			select {
			case <-s.exited:
			case <-time.After(stopGrace):
				_ = s.cmd.Process.Kill()
			}
		}()
	})
}

// wait returns when the guard is gone.
func (s *session) wait() {
	s.waitOnce.Do(func() {
		_ = s.cmd.Wait()
		close(s.exited)
		soon := time.Now().Add(drainGrace)
		_ = s.stdout.read.SetReadDeadline(soon)
		_ = s.stderr.read.SetReadDeadline(soon)
	})
}

// close ends the run if it has not ended, and frees everything.
func (s *session) close() {
	s.stop()
	s.wait()
	s.closeFiles()
}

func (s *session) closeFiles() {
	for _, f := range []*os.File{s.orders, s.stdout.read, s.stderr.read} {
		if f != nil {
			f.Close()
		}
	}
	if s.control != nil {
		_ = s.control.Close() // the run is over
	}
}
