package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

const (
	accessRead = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR
	// accessWrite leaves out the making of devices and ioctl(2) on them.
	accessWrite = accessRead | unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE |
		unix.LANDLOCK_ACCESS_FS_REMOVE_DIR | unix.LANDLOCK_ACCESS_FS_REMOVE_FILE | unix.LANDLOCK_ACCESS_FS_REFER |
		unix.LANDLOCK_ACCESS_FS_MAKE_DIR | unix.LANDLOCK_ACCESS_FS_MAKE_REG | unix.LANDLOCK_ACCESS_FS_MAKE_SYM |
		unix.LANDLOCK_ACCESS_FS_MAKE_FIFO | unix.LANDLOCK_ACCESS_FS_MAKE_SOCK
	// accessFile are the rights that a rule for something other than a directory may name.
	accessFile = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE |
		unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE

	ruleNetPort = 2
)

type netPortAttr struct{ access, port uint64 }

// handledAccess is all that an ABI version of Landlock can restrict: every right is then denied but for
// the rules. The steps are those of the kernel's documentation.
func handledAccess(abi int) unix.LandlockRulesetAttr {
	a := unix.LandlockRulesetAttr{Handled_access_fs: unix.LANDLOCK_ACCESS_FS_REFER - 1}
	if abi >= 2 {
		a.Handled_access_fs |= unix.LANDLOCK_ACCESS_FS_REFER
	}
	if abi >= 3 {
		a.Handled_access_fs |= unix.LANDLOCK_ACCESS_FS_TRUNCATE
	}
	if abi >= 4 {
		a.Handled_access_net = unix.LANDLOCK_ACCESS_NET_BIND_TCP | unix.LANDLOCK_ACCESS_NET_CONNECT_TCP
	}
	if abi >= 5 {
		a.Handled_access_fs |= unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	}
	if abi >= 6 {
		a.Scoped = unix.LANDLOCK_SCOPE_SIGNAL | unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET
	}
	if abi >= 9 {
		a.Handled_access_fs |= unix.LANDLOCK_ACCESS_FS_RESOLVE_UNIX
	}
	if abi >= 10 {
		a.Handled_access_net |= unix.LANDLOCK_ACCESS_NET_BIND_UDP | unix.LANDLOCK_ACCESS_NET_CONNECT_SEND_UDP
	}
	return a
}

// landlockMissing asks the kernel for its ABI version and says, as a phrase, what a tier lacks; "" when
// nothing. Tier A has namespaces for what the early versions cannot do; tier B needs TCP rules (4) and,
// unless another user runs the program, the scope of signals (6).
func landlockMissing(tier Tier) string {
	_, err := landlockABI(tier, programUID(tier) < 0)
	if err == nil || tier == TierC {
		return ""
	}
	return err.Error()
}

func landlockABI(tier Tier, sameUser bool) (int, error) {
	r, _, errno := syscall.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	abi := int(r)
	switch {
	case errno == unix.ENOSYS:
		return 0, needs("landlock", errors.New("not supported by this kernel"))
	case errno == unix.EOPNOTSUPP:
		return 0, needs("landlock", errors.New("disabled at boot"))
	case errno != 0:
		return 0, needs("landlock", errno)
	}
	want := 1
	if tier == TierB && sameUser {
		want = 6
	} else if tier == TierB {
		want = 4
	}
	if abi < want {
		return 0, needs("landlock", fmt.Errorf("this kernel has ABI %d, %d is needed", abi, want))
	}
	return abi, nil
}

// restrictFiles applies Landlock to this thread, which must have no_new_privs set.
func restrictFiles(p program) error {
	abi, err := landlockABI(p.Tier, p.SameUser)
	if err != nil {
		return err
	}
	handled := handledAccess(abi)
	r, _, errno := syscall.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET,
		uintptr(unsafe.Pointer(&handled)), unsafe.Sizeof(handled), 0)
	if errno != 0 {
		return needs("landlock", errno)
	}
	ruleset := int(r)
	defer unix.Close(ruleset)
	for _, rule := range []struct {
		paths  []string
		access uint64
	}{
		{p.ReadOnly, accessRead},
		{p.Writable, accessWrite},
		{p.Devices, unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_WRITE_FILE},
	} {
		for _, path := range rule.paths {
			if err := allowPath(ruleset, path, rule.access&handled.Handled_access_fs); err != nil {
				return fmt.Errorf("opening %s to the program: %w", path, err)
			}
		}
	}
	if p.Port != 0 && abi >= 4 {
		rule := netPortAttr{unix.LANDLOCK_ACCESS_NET_CONNECT_TCP, uint64(p.Port)}
		if err := addRule(ruleset, ruleNetPort, unsafe.Pointer(&rule)); err != nil {
			return needs("landlock", err)
		}
	}
	if _, _, errno := syscall.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, uintptr(ruleset), 0, 0); errno != 0 {
		return needs("landlock", errno)
	}
	return nil
}

// allowPath adds a rule for a path, or nothing when it does not exist.
func allowPath(ruleset int, path string, access uint64) error {
	fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return err
	}
	if st.Mode&unix.S_IFMT != unix.S_IFDIR {
		access &= accessFile
	}
	rule := unix.LandlockPathBeneathAttr{Allowed_access: access, Parent_fd: int32(fd)}
	return addRule(ruleset, unix.LANDLOCK_RULE_PATH_BENEATH, unsafe.Pointer(&rule))
}

func addRule(ruleset int, kind uintptr, rule unsafe.Pointer) error {
	_, _, errno := syscall.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(ruleset), kind, uintptr(rule), 0, 0, 0)
	if errno != 0 {
		return errno
	}
	return nil
}
