package sandbox

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// Arguments zero by which this executable knows that it has been started again, and as what.
const (
	guardName  = "labgrader-sandbox-guard"
	entryName  = "labgrader-sandbox-entry"
	mapperName = "labgrader-sandbox-mapper"
)

const openUnfollowed = unix.O_NOFOLLOW | unix.O_NONBLOCK

// Main must be the first call in main, and in TestMain of a package that runs sandboxes. In a process that
// Run or RunMapped started again it does that process's work and does not return; else it returns at once.
func Main() {
	switch stage() {
	case guardName:
		guardMain()
	case entryName:
		entryMain()
	case mapperName:
		mapperMain()
	default:
		return
	}
	// Not os.Exit: a stage has nothing to flush, and the race detector would make it linger for a second.
	syscall.Exit(0)
}

// enterEarly lets a process that was started again do its work already here, before the packages that the program links besides are
// initialized: for a Kubernetes client that takes longer than the whole set-up of a run. Main stays the documented way in,
// for it does not depend on the order of initialization.
func enterEarly() (outermost bool) {
	Main()
	return stage() == ""
}

var _ = enterEarly()

// stage returns the name of the stage that this process is, or "".
func stage() string {
	if len(os.Args) == 1 {
		switch os.Args[0] {
		case guardName, entryName, mapperName:
			return os.Args[0]
		}
	}
	return ""
}

// setup is the guard's first instruction: what to build before the listener's address is known.
type setup struct {
	Tier     Tier
	UID      int // of the program, on the host; -1: the guard's
	Listen   bool
	Home     string
	Scratch  string // tiers B and C: removed by the guard when the run is stopped, since the parent may be dead
	TmpBytes int64
	Mounts   []mountOrder
}

// mountOrder is a Mount for the guard of tier A. Tree is an inherited descriptor of the source as a
// detached mount; 0: open it by path.
type mountOrder struct {
	Mount
	Tree int
}

// launch is the guard's second instruction.
type launch struct {
	Files   map[string][]byte // tier A: to be placed outside of mounts
	Program program
}

// program is the entry's instruction: what to give up and what to become.
type program struct {
	Tier     Tier
	Probe    bool
	Argv     []string
	Env      []string
	Path     string // to look up Argv[0] in
	Dir      string
	Limits   Limits
	DropCaps bool // the process is user 0 of a user namespace
	Confine  bool // Landlock and seccomp
	SameUser bool // the program runs as the user of other processes that it can see the files of
	Port     int  // the TCP port that can be connected to; 0: none
	ReadOnly []string
	Writable []string
	Devices  []string
}

// report is what the entry tells the guard, and the guard the parent.
type report struct {
	Kind reportKind
	// Step and Errno say what failed, for failed and unstartable. Detail is for people.
	Step        string
	Errno       syscall.Errno
	Detail      string
	Unsupported bool
	PID         int                // for entered
	Status      syscall.WaitStatus // for ended
	Stopped     bool               // for ended: the guard was told to stop before the program ended
}

type reportKind string

const (
	listening   reportKind = "listening"   // the packet carries the listener
	ready       reportKind = "ready"       // entry: about to become the program
	entered     reportKind = "entered"     // guard: the entry runs
	started     reportKind = "started"     // guard: the entry has become the program
	failed      reportKind = "failed"      // the surroundings could not be made
	unstartable reportKind = "unstartable" // the program could not be executed
	ended       reportKind = "ended"       // the program ended and nothing of it is left
)

// Descriptors of a stage: the guard has all, the others the first two.
const (
	fdOrders  = 3 // pipe: instructions as JSON
	fdReports = 4 // guard: SOCK_SEQPACKET, one JSON report in a packet, its end meaning stop; entry: pipe
	fdStdout  = 5
	fdStderr  = 6
	fdTrees   = 7 // the first of the mount trees
)
