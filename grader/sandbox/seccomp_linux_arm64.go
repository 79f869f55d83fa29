package sandbox

import "golang.org/x/sys/unix"

const auditArch = unix.AUDIT_ARCH_AARCH64

func legacyMetadataCalls() []uint32 { return nil }
