package sandbox

import (
	"bytes"
	"errors"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// children reaps every process that becomes this one's child: by birth, or because it is the subreaper or
// the first process of its namespace.
type children struct {
	main     int
	ended    chan syscall.WaitStatus // the main child's status
	allEnded chan struct{}           // closed when no child is left
}

func watchChildren(main int) children {
	c := children{main, make(chan syscall.WaitStatus, 1), make(chan struct{})}
	go c.reap()
	return c
}

func (c children) reap() {
	defer close(c.allEnded)
	for {
		var status syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &status, 0, nil)
		switch {
		case errors.Is(err, syscall.EINTR):
		case err != nil:
			return
		case pid == c.main:
			c.ended <- status
		}
	}
}

// killAll ends all descendants and returns when none is left. It stops them first: a stopped process does
// not fork, and keeps its place in the limit of processes, so that the stopping comes to an end.
func (c children) killAll() {
	stopped := map[int]bool{}
	for pass := 0; ; pass++ {
		news := false
		for _, pid := range descendants(os.Getpid()) {
			if !stopped[pid] {
				stopped[pid] = true
				news = unix.Kill(pid, unix.SIGSTOP) == nil || news
			}
		}
		if news && pass < 1000 {
			continue
		}
		for pid := range stopped {
			_ = unix.Kill(pid, unix.SIGKILL)
		}
		clear(stopped)
		select {
		case <-c.allEnded:
			return
		case <-time.After(time.Millisecond):
		}
	}
}

// descendants are the processes below one, as /proc has them at the moment.
func descendants(root int) []int {
	byParent := map[int][]int{}
	for _, pid := range processIDs() {
		if fields := statFields(pid); fields != nil {
			parent, _ := strconv.Atoi(fields[1])
			byParent[parent] = append(byParent[parent], pid)
		}
	}
	var list []int
	for next := byParent[root]; len(next) > 0; {
		pid := next[0]
		list = append(list, pid)
		next = append(next[1:], byParent[pid]...)
	}
	return list
}

// killSession ends the processes of a session, and its leader's process group: the best that is left when
// the guard of tier C was killed by its program.
func killSession(leader int) {
	if leader <= 1 {
		return
	}
	for range 100 {
		found := false
		for _, pid := range processIDs() {
			fields := statFields(pid)
			if fields != nil && fields[0] != "Z" && fields[3] == strconv.Itoa(leader) {
				found = unix.Kill(pid, unix.SIGKILL) == nil || found
			}
		}
		_ = unix.Kill(-leader, unix.SIGKILL)
		if !found {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

// countThreads counts the threads of all processes of a user that /proc shows, but for one process.
func countThreads(uid, except int) int {
	total := 0
	for _, pid := range processIDs() {
		if pid == except {
			continue
		}
		status, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
		if err != nil {
			continue
		}
		own, threads := false, 0
		for line := range strings.Lines(string(status)) {
			fields := strings.Fields(line)
			switch {
			case len(fields) > 1 && fields[0] == "Uid:":
				own = fields[1] == strconv.Itoa(uid)
			case len(fields) > 1 && fields[0] == "Threads:":
				threads, _ = strconv.Atoi(fields[1])
			}
		}
		if own {
			total += threads
		}
	}
	return total
}

func processIDs() []int {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1)
	var list []int
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil {
			list = append(list, pid)
		}
	}
	return list
}

// statFields are the fields of /proc/PID/stat after the command name: state, parent, group, session...
func statFields(pid int) []string {
	data, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return nil
	}
	// The name may hold anything, but the last parenthesis ends it.
	fields := strings.Fields(string(data[bytes.LastIndexByte(data, ')')+1:]))
	if len(fields) < 4 {
		return nil
	}
	return fields
}
