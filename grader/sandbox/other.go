//go:build !linux

package sandbox

import (
	"context"
	"errors"
)

// Main does nothing: there is no sandbox on this operating system.
func Main() {}

// Run always fails: there is no sandbox on this operating system.
func Run(context.Context, Tier, Spec) (Transcript, error) {
	return Transcript{}, errors.New("starting the sandbox: it needs Linux")
}

// RunMapped always fails: there are no mount namespaces on this operating system.
func RunMapped(context.Context, Mapped) error {
	return errors.New("mapping a directory: it needs Linux")
}

const openUnfollowed = 0

func landlockMissing(Tier) string { return "landlock: needs Linux" }
