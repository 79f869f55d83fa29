package sandbox

import "time"

// Transcript is what a run did. Everything in it but the duration, the tier and the flags comes from an
// untrusted program. For a program that repeats itself it differs by Duration only.
type Transcript struct {
	Argv []string `json:"argv"`
	Tier Tier     `json:"tier"`
	// ExitCode is the program's exit code; -1 when a signal ended it. 127 and 126 with StartError mean
	// that it was not found or could not be executed, as a shell would say.
	ExitCode int `json:"exitCode"`
	// Signal is the name of the signal that ended the program, such as SIGKILL.
	Signal string `json:"signal,omitempty"`
	// StartError says why the program could not be started.
	StartError string `json:"startError,omitempty"`
	// TimedOut says that the run was ended by Limits.Wall.
	TimedOut bool   `json:"timedOut"`
	Stdout   Output `json:"stdout"`
	Stderr   Output `json:"stderr"`
	// Changes are the differences in writable mounts, ordered by mount and path.
	Changes []Change `json:"changes"`
	// ChangesCut says that a writable mount held more than was looked at, so Changes may not be all.
	ChangesCut bool `json:"changesCut,omitempty"`
	// Unmapped are the paths, sorted, at which the program did not see what the spec put there, because
	// the tier has no mount namespace. Empty in tier A.
	Unmapped []string      `json:"unmapped"`
	Duration time.Duration `json:"duration"` // in nanoseconds, from the start of the program
}

// Output is what a program wrote to one stream.
type Output struct {
	Data []byte `json:"data"`
	// Cut says that the program wrote more than Limits.OutputBytes; Data is the beginning.
	Cut bool `json:"cut"`
}

// ChangeKind says what happened to a file.
type ChangeKind string

// The kinds of Change.
const (
	Created ChangeKind = "created"
	Changed ChangeKind = "changed"
	Removed ChangeKind = "removed"
)

// Change is one file, directory, link or other entry that a run created, changed or removed. A change of
// mode, owner or times alone is none.
type Change struct {
	Mount string     `json:"mount"` // the mount's target
	Path  string     `json:"path"`  // relative to the mount; "." for a mounted file
	Kind  ChangeKind `json:"kind"`
}
