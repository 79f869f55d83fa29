package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"runtime"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// guardMain builds a run's surroundings, starts its entry, and ends only when nothing of the run is left.
// In tier A it is the first process of the pid namespace, so that the kernel ends all others with it.
func guardMain() {
	runtime.LockOSThread() // the entry and its program die with the thread that started them
	for fd := fdOrders; fd < fdTrees; fd++ {
		unix.CloseOnExec(fd)
	}
	orders := json.NewDecoder(os.NewFile(fdOrders, "orders"))
	var s setup
	if err := orders.Decode(&s); err != nil {
		return // the parent has died
	}
	if err := s.guard(orders); err != nil {
		sendReport(failureReport(err), nil)
	}
}

func (s setup) guard(orders *json.Decoder) error {
	var root *newRoot
	if s.Tier == TierA {
		var err error
		if root, err = s.buildNamespaces(); err != nil {
			return err
		}
	} else if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return needs("subreaper", err)
	}
	var l launch
	if err := orders.Decode(&l); err != nil {
		return fmt.Errorf("reading the guard's orders: %w", err)
	}
	if root != nil {
		if err := root.enter(s.Home, l.Files); err != nil {
			return err
		}
	}
	stop := make(chan struct{})
	go func() {
		defer close(stop)
		_, _ = unix.Read(fdReports, make([]byte, 1)) // ends when the parent closes its side, or dies
	}()
	entry, err := s.startEntry(l.Program)
	if err != nil {
		return err
	}
	sendReport(report{Kind: started}, nil)
	return s.await(entry, stop)
}

// leftBehind is how long processes may go on that outlive their program.
const leftBehind = time.Second

// await reports the end of the program, when nothing of it is left.
func (s setup) await(entry int, stop <-chan struct{}) error {
	c := watchChildren(entry)
	r := report{Kind: ended}
	select {
	case r.Status = <-c.ended:
		select { // what the program left behind may still be writing, as tee in a process substitution
		case <-c.allEnded:
		case <-stop:
		case <-time.After(leftBehind):
		}
		if s.Tier != TierA { // there the kernel does it, faster, when this process ends
			c.killAll()
		}
	case <-stop:
		r.Stopped = true
		c.killAll()
		r.Status = <-c.ended
	}
	sendReport(r, nil)
	if r.Stopped && s.Scratch != "" {
		removeHostile(s.Scratch)
	}
	return nil
}

// startEntry returns the process id of the program once the entry has become it.
func (s setup) startEntry(p program) (int, error) {
	ordersRead, ordersWrite, err := os.Pipe()
	if err != nil {
		return 0, err
	}
	defer ordersWrite.Close()
	reportsRead, reportsWrite, err := os.Pipe()
	if err != nil {
		return 0, err
	}
	defer reportsRead.Close()
	null, err := os.Open(os.DevNull)
	if err != nil {
		return 0, err
	}
	sys := &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
	if s.UID >= 0 && s.Tier != TierA {
		sys.Credential = &syscall.Credential{Uid: uint32(s.UID), Gid: uint32(s.UID)}
	}
	pid, err := syscall.ForkExec("/proc/self/exe", []string{entryName}, &syscall.ProcAttr{
		Env:   []string{},
		Files: []uintptr{null.Fd(), fdStdout, fdStderr, ordersRead.Fd(), reportsWrite.Fd()},
		Sys:   sys,
	})
	for _, f := range []io.Closer{null, ordersRead, reportsWrite} {
		f.Close()
	}
	unix.Close(fdStdout)
	unix.Close(fdStderr)
	if err != nil {
		return 0, fmt.Errorf("starting the entry: %w", err)
	}
	// Before the program runs: in tier C it may kill this process.
	sendReport(report{Kind: entered, PID: pid}, nil)
	if err := json.NewEncoder(ordersWrite).Encode(p); err != nil {
		return 0, fmt.Errorf("instructing the entry: %w", err)
	}
	return pid, awaitExec(reportsRead)
}

// awaitExec reads the entry's reports. Their end without a failure means that it has become the program:
// the pipe closes on exec.
func awaitExec(reports io.Reader) error {
	decoder := json.NewDecoder(reports)
	isReady := false
	for {
		var r report
		err := decoder.Decode(&r)
		switch {
		case errors.Is(err, io.EOF) && isReady:
			return nil
		case err != nil:
			return fmt.Errorf("awaiting the entry: %w", err)
		case r.Kind == ready:
			isReady = true
		default:
			return &entryError{r}
		}
	}
}

// entryError is a report of the entry, to be passed on as it is.
type entryError struct{ report report }

func (e *entryError) Error() string { return e.report.Detail }

// listen opens the listener in the network namespace of this process and hands it to the parent.
func listen() error {
	if err := raiseLoopback(); err != nil {
		return needs("network namespace", err)
	}
	l, err := listenLoopback(context.Background())
	if err != nil {
		return needs("network namespace", err)
	}
	defer l.Close()
	f, err := l.File()
	if err != nil {
		return fmt.Errorf("handing the listener over: %w", err)
	}
	defer f.Close()
	sendReport(report{Kind: listening}, unix.UnixRights(int(f.Fd())))
	return nil
}

func raiseLoopback() error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	lo, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	lo.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
	return unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, lo)
}

// listenLoopback listens on a free port. Not with Multipath TCP, which gains nothing on loopback.
func listenLoopback(ctx context.Context) (*net.TCPListener, error) {
	var config net.ListenConfig
	config.SetMultipathTCP(false)
	l, err := config.Listen(ctx, "tcp4", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	return l.(*net.TCPListener), nil
}

// sendReport sends one packet. A parent that has died cannot be told anything.
func sendReport(r report, rights []byte) {
	data, err := json.Marshal(r)
	if err == nil {
		_ = unix.Sendmsg(fdReports, data, rights, nil, unix.MSG_NOSIGNAL)
	}
}
