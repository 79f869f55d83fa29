package sandbox

import (
	"path/filepath"
	"slices"
)

// open lists in p what Landlock leaves open to the program.
func (l *layout) open(p *program) {
	p.Devices = devices()
	if l.tier == TierA {
		l.openNewRoot(p)
		return
	}
	p.ReadOnly = slices.Concat(systemDirs(), systemConfig(), randomDevices(), harmlessFiles())
	p.ReadOnly = append(p.ReadOnly, filepath.Join(l.scratch, "files"))
	p.Writable = []string{filepath.Join(l.scratch, "home"), filepath.Join(l.scratch, "tmp")}
	for _, m := range l.mounts {
		if m.Writable {
			p.Writable = append(p.Writable, m.Source)
		} else {
			p.ReadOnly = append(p.ReadOnly, m.Source)
		}
	}
}

// openNewRoot relies on the new root to hold nothing that may not be read, and on read-only mounts inside
// of writable ones to be just that.
func (l *layout) openNewRoot(p *program) {
	p.ReadOnly = []string{"/"}
	p.Writable = []string{"/tmp", "/dev/shm"}
	if over, _, ok := l.covering(l.home, true); !ok || over.Writable {
		p.Writable = append(p.Writable, l.home)
	}
	for _, m := range l.mounts {
		if m.Writable {
			p.Writable = append(p.Writable, m.Target)
		}
	}
}

// harmlessFiles are files of the host that programs read in tier B and that tell of no process or user
// secret.
func harmlessFiles() []string {
	return []string{
		"/etc/passwd", "/etc/group", "/etc/hosts", "/etc/nsswitch.conf", "/etc/localtime",
		"/proc/cpuinfo", "/proc/meminfo", "/proc/stat", "/proc/uptime", "/proc/loadavg", "/proc/version",
		"/proc/filesystems", "/proc/sys/vm/overcommit_memory", "/proc/sys/kernel/osrelease",
	}
}
