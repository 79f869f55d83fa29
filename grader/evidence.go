package grader

import (
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// FileState says what was found under a file's name.
type FileState string

const (
	// FilePresent: a regular file, read whole.
	FilePresent FileState = "present"
	// FileMissing: nothing has that name.
	FileMissing FileState = "missing"
	// FileNotRegular: a symbolic link, directory, pipe, socket, device, or a file with more than one hard link. It was not read.
	FileNotRegular FileState = "not-regular"
	// FileTooLarge: more than the cap. It was not read.
	FileTooLarge FileState = "too-large"
	// FileUnreadable: the grader could not read it; Detail says why. That is trouble of the grader.
	FileUnreadable FileState = "unreadable"
)

// File is one file of the submission, read once. Data is set when State is FilePresent only.
type File struct {
	Name   string
	State  FileState
	Detail string // what is there instead, in English, for states other than present and missing
	Data   []byte
	// Executable: the owner may execute it.
	Executable bool
}

// Answer is what the API server said to a probe.
type Answer struct {
	// Absent: the object that the probe is about does not exist, so nothing was asked.
	Absent bool `json:"absent,omitempty"`
	// Allowed: the dry run was accepted, or the access review said yes.
	Allowed bool `json:"allowed,omitempty"`
	// Code is the HTTP status of a refused dry run.
	Code int32 `json:"code,omitempty"`
	// Message is the server's sentence for a refused dry run.
	Message string `json:"message,omitempty"`
	// Trouble: the probe could not be carried out; says why. The other fields mean nothing then.
	Trouble string `json:"trouble,omitempty"`
}

// Evidence is all that grading may look at. It does not change once collected.
type Evidence struct {
	// Digest identifies the content, "sha256:" and hexadecimal.
	Digest string
	// CapturedAt is the API server's time, UTC, in seconds; zero when no server was reached.
	CapturedAt time.Time
	// ServerVersion is the API server's version, such as v1.37.2; empty when no server was reached.
	ServerVersion string
	// Files by name. A name that is not in the map was not collected.
	Files map[string]File
	// Cluster answers from the captured objects only. NotFound means that the object was looked for and is not there;
	// every other error is trouble of the grader.
	Cluster client.Reader
	// Answers to probes, by the probe's name.
	Answers map[string]Answer
	// Base is the digest of the evidence without the trials; their seeds derive from it.
	Base string
	// Transcripts of trials, by the trial's name, and how the scripts were contained; nil when there were none.
	Transcripts map[string]Transcript
	Sandbox     *Sandbox
	// Troubles says in a sentence each what could not be collected.
	Troubles []string
}
