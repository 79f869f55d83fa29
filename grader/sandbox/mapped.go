package sandbox

import "io"

// Mapped is a trusted command that sees a directory at another path.
type Mapped struct {
	// Argv is the command and its arguments; a name without a slash is looked up in the PATH of Env.
	Argv []string
	// Env is the whole environment, as in exec.Cmd; nil means this process's.
	Env []string
	// Dir is the working directory as seen. Default: Target.
	Dir string
	// Source is the existing directory to show; Target the absolute path to show it at. Target need not
	// exist: then an empty directory covers its nearest existing ancestor.
	Source, Target string
	// Keep are existing files and directories that stay visible where such a covering would hide them.
	Keep []string
	// The standard streams, as in exec.Cmd.
	Stdin          io.Reader
	Stdout, Stderr io.Writer
}
