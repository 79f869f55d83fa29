// Command grader scores submissions of the lab op-leader.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"example.com/labgrader/grader/sandbox"
)

// Exit codes, as documented for lab platforms and CI.
const (
	exitPass  = 0  // every graded step passed
	exitFail  = 1  // some step failed
	exitError = 2  // something could not be graded
	exitUsage = 64 // bad usage, EX_USAGE of sysexits.h
)

func main() {
	sandbox.Main() // returns at once unless this process is to run a script
	os.Exit(run())
}

func run() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	err := newRoot().ExecuteContext(ctx)
	var exit exitStatus
	switch {
	case err == nil:
		return exitPass
	case errors.As(err, &exit):
		return int(exit)
	}
	fmt.Fprintln(os.Stderr, "grader:", err)
	var usage usageError
	if errors.As(err, &usage) {
		return exitUsage
	}
	return exitError
}

// exitStatus is returned by a command whose result is already written.
type exitStatus int

func (e exitStatus) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

// usageError marks an error in how the program was called.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }
