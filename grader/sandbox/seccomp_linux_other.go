//go:build linux && !amd64 && !arm64

package sandbox

const auditArch = 0

func legacyMetadataCalls() []uint32 { return nil }
