package grader

import (
	"crypto/sha256"
	"encoding/binary"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
)

// Trial runs a script of the submission, in a sandbox and on a private copy, against an API that serves a world. Trials are
// told apart by Name.
type Trial struct {
	Name   string
	Script string // name of the file
	// World makes the world of the leases that were captured. It must depend on its arguments only: the criterion calls
	// it again to know what the script should have said.
	World func(leases []coordinationv1.Lease, files map[string]File, seed uint64) World
}

// World is what a script sees in a trial.
type World struct {
	Leases []WorldLease
	// Files replace files of the private copy, by name.
	Files map[string]string
}

// WorldLease is a Lease whose times are given as ages, since a script compares them with its clock at the time of the trial.
type WorldLease struct {
	coordinationv1.Lease
	Renewed  *time.Duration // nil: renewTime as it is
	Acquired *time.Duration // nil: acquireTime as it is
}

// Transcript is what a script did in a trial.
type Transcript struct {
	ExitCode int    `json:"exitCode"`
	Signal   string `json:"signal,omitempty"`
	// TimedOut: the script was ended at its deadline.
	TimedOut bool `json:"timedOut,omitempty"`
	// StartError says why the script could not be started, as for a bad interpreter.
	StartError string `json:"startError,omitempty"`
	Stdout     string `json:"stdout"`
	Stderr     string `json:"stderr,omitempty"`
	// Cut: the script printed more than is kept.
	Cut bool `json:"cut,omitempty"`
	// Changed names the files of the private copy that the script created, changed or removed.
	Changed []string `json:"changed,omitempty"`
	// Requests to the API, each as METHOD-like verb, path and status, at most a few dozen.
	Requests []string `json:"requests,omitempty"`
	// LeaseReads counts the requests that read leases.
	LeaseReads int `json:"leaseReads"`
	// MissingTool names a well-known program that the script called and that is not installed where the trial ran.
	MissingTool string `json:"missingTool,omitempty"`
	// Milliseconds that the trial took. No verdict depends on it.
	Milliseconds int64 `json:"milliseconds"`
	// Trouble: the trial could not be carried out; says why. The other fields mean nothing then.
	Trouble string `json:"trouble,omitempty"`
}

// Sandbox says how scripts were contained: the tier, and what the machine lacks for a stronger one.
type Sandbox struct {
	Tier    string   `json:"tier"`
	Missing []string `json:"missing"`
}

// TrialSeed derives a trial's seed from the digest of the evidence that was there before it: a learner cannot foresee it,
// and the same evidence gives the same worlds.
func TrialSeed(base, trial string) uint64 {
	sum := sha256.Sum256([]byte(base + "\n" + trial))
	return binary.BigEndian.Uint64(sum[:8])
}
