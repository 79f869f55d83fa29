package sandbox

import (
	"errors"
	"runtime"
	"slices"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Offsets in struct seccomp_data, on little-endian machines.
const (
	offNumber = 0
	offArch   = 4
	offArgs   = 16
)

const (
	sendFastOpen = 0x20000000 // MSG_FASTOPEN: connects without connect(2)
	x32Bit       = 0x40000000 // in the numbers of system calls of the x32 ABI
	typeMask     = 0xf        // SOCK_STREAM and its like, without SOCK_CLOEXEC and SOCK_NONBLOCK
)

// forbidSystemCalls applies the filter to this thread, which must have no_new_privs set.
func forbidSystemCalls(sameUser bool) error {
	if auditArch == 0 {
		return needs("seccomp", errors.New("not written for "+runtime.GOARCH))
	}
	filter := systemCallFilter(sameUser)
	prog := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	err := unix.Prctl(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(unsafe.Pointer(&prog)), 0, 0)
	runtime.KeepAlive(filter)
	return needs("seccomp", err)
}

// systemCallFilter forbids what the other means leave open; the package documentation says why.
func systemCallFilter(sameUser bool) []unix.SockFilter {
	f := filter{}
	f.load(offArch)
	f.unless(auditArch, unix.ENOSYS)
	f.load(offNumber)
	if runtime.GOARCH == "amd64" {
		f.add(unix.BPF_JMP|unix.BPF_JGE|unix.BPF_K, x32Bit, 0, 1)
		f.fail(unix.ENOSYS)
	}
	for _, nr := range []uint32{
		unix.SYS_IO_URING_SETUP, unix.SYS_UNSHARE, unix.SYS_SETNS, unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN,
		unix.SYS_USERFAULTFD, unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY, unix.SYS_KEYCTL,
		unix.SYS_SHMGET, unix.SYS_SEMGET, unix.SYS_MSGGET, unix.SYS_MQ_OPEN, // these would outlive the run
	} {
		f.call(nr, fail(unix.EPERM))
	}
	// Its flags are out of sight; programs fall back to clone(2).
	f.call(unix.SYS_CLONE3, fail(unix.ENOSYS))
	f.call(unix.SYS_CLONE, arg(0), hasBits(unix.CLONE_NEWUSER, fail(unix.EPERM)))
	f.call(unix.SYS_SOCKET,
		arg(0), in([]uint32{unix.AF_INET, unix.AF_INET6}, unix.EAFNOSUPPORT),
		arg(1), masked(typeMask), in([]uint32{unix.SOCK_STREAM}, unix.EACCES),
		arg(2), in([]uint32{0, unix.IPPROTO_TCP}, unix.EPROTONOSUPPORT))
	// A pair of datagram sockets can be pointed at another socket later.
	f.call(unix.SYS_SOCKETPAIR,
		arg(1), masked(typeMask), in([]uint32{unix.SOCK_STREAM, unix.SOCK_SEQPACKET}, unix.EPROTONOSUPPORT))
	for _, c := range []argOf{{unix.SYS_SENDTO, 3}, {unix.SYS_SENDMSG, 2}, {unix.SYS_SENDMMSG, 3}} {
		f.call(c.nr, arg(c.n), hasBits(sendFastOpen, fail(unix.EOPNOTSUPP)))
	}
	// On itself only: the grader may be the same user's.
	for _, c := range []argOf{
		{unix.SYS_PRLIMIT64, 0}, {unix.SYS_SCHED_SETAFFINITY, 0}, {unix.SYS_SCHED_SETSCHEDULER, 0},
		{unix.SYS_SCHED_SETPARAM, 0}, {unix.SYS_SCHED_SETATTR, 0}, {unix.SYS_SETPRIORITY, 1}, {unix.SYS_IOPRIO_SET, 1},
	} {
		f.call(c.nr, arg(c.n), in([]uint32{0}, unix.EPERM))
	}
	if sameUser {
		for _, nr := range slices.Concat(legacyMetadataCalls(), []uint32{
			unix.SYS_FCHMODAT, unix.SYS_FCHMODAT2, unix.SYS_FCHOWNAT, unix.SYS_SETXATTR, unix.SYS_LSETXATTR,
			unix.SYS_REMOVEXATTR, unix.SYS_LREMOVEXATTR, unix.SYS_SETXATTRAT, unix.SYS_REMOVEXATTRAT,
		}) {
			f.call(nr, fail(0))
		}
		// Without a path it is the program's own open file.
		f.call(unix.SYS_UTIMENSAT, arg(1), hasBits(^uint32(0), fail(0)), argHigh(1), hasBits(^uint32(0), fail(0)))
	}
	f.allow()
	return f
}

// argOf is the nth argument of a system call.
type argOf struct {
	nr uint32
	n  int
}

// filter is a program under construction. Its accumulator holds the number of the system call between the
// blocks that call appends.
type filter []unix.SockFilter

func (f *filter) add(code uint16, k uint32, jt, jf uint8) {
	*f = append(*f, unix.SockFilter{Code: code, Jt: jt, Jf: jf, K: k})
}

func (f *filter) load(offset uint32) { f.add(unix.BPF_LD|unix.BPF_W|unix.BPF_ABS, offset, 0, 0) }

func (f *filter) fail(errno unix.Errno) {
	f.add(unix.BPF_RET|unix.BPF_K, unix.SECCOMP_RET_ERRNO|uint32(errno), 0, 0)
}

func (f *filter) allow() { f.add(unix.BPF_RET|unix.BPF_K, unix.SECCOMP_RET_ALLOW, 0, 0) }

func (f *filter) unless(value uint32, errno unix.Errno) {
	f.add(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, value, 1, 0)
	f.fail(errno)
}

// call appends a block for one system call: it allows what none of the parts refuses.
func (f *filter) call(nr uint32, parts ...func(*filter)) {
	block := filter{}
	for _, part := range parts {
		part(&block)
	}
	block.allow()
	f.add(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, nr, 0, uint8(len(block)))
	*f = append(*f, block...)
}

func fail(errno unix.Errno) func(*filter) { return func(f *filter) { f.fail(errno) } }

func arg(n int) func(*filter) { return func(f *filter) { f.load(uint32(offArgs + 8*n)) } }

func argHigh(n int) func(*filter) { return func(f *filter) { f.load(uint32(offArgs + 8*n + 4)) } }

func masked(mask uint32) func(*filter) {
	return func(f *filter) { f.add(unix.BPF_ALU|unix.BPF_AND|unix.BPF_K, mask, 0, 0) }
}

// hasBits does what then does when the accumulator has one of the bits.
func hasBits(bits uint32, then func(*filter)) func(*filter) {
	return func(f *filter) {
		f.add(unix.BPF_JMP|unix.BPF_JSET|unix.BPF_K, bits, 0, 1)
		then(f)
	}
}

// in fails unless the accumulator has one of the values.
func in(values []uint32, errno unix.Errno) func(*filter) {
	return func(f *filter) {
		for i, value := range values {
			f.add(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, value, uint8(len(values)-i), 0)
		}
		f.fail(errno)
	}
}
