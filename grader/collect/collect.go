// Package collect gathers evidence from a submission and a cluster.
//
// Its one rule: it gathers what the criteria to be graded declare, and nothing else. It never fails because of what it
// finds: what could not be had is recorded in the evidence.
package collect

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"k8s.io/client-go/rest"

	"example.com/labgrader/grader"
	"example.com/labgrader/grader/bundle"
	"example.com/labgrader/grader/cluster"
	"example.com/labgrader/grader/submission"
)

// Source is where a submission is found, and how its scripts are run.
type Source struct {
	Dir    string // the learner's directory
	Access cluster.Access
	// Timeout bounds the time that asking the cluster may take; 0: only each request is bounded. Scripts have deadlines of
	// their own.
	Timeout time.Duration
	// Kubectl is the kubectl that scripts find; empty: the one in the PATH.
	Kubectl string
	// RequireSandbox demands a sandbox tier, A or B; empty: the strongest that the machine allows.
	RequireSandbox string
}

// Progress is told how many of the needs have been met. It may be called from several goroutines.
type Progress func(done, total int)

// Run gathers what the given steps of the lab need; no steps means all. The error is about the grader itself only.
// When ctx ends early, the evidence says of the rest that it could not be had.
func Run(ctx context.Context, lab grader.Lab, steps []int, source Source, progress Progress) (*bundle.Bundle, error) {
	needs := lab.Needs(steps...)
	var done atomic.Int64
	answered := func() { progress(int(done.Add(1)), len(needs)) }
	content := bundle.Content{Lab: lab.Name}
	content.Files, content.Troubles = files(source.Dir, needs, answered)

	var state *cluster.State
	namespace := ""
	if config, err := source.Access.Config(); err != nil {
		state = cluster.Unreachable(needs, err)
	} else {
		state = ask(ctx, config, needs, source.Timeout, answered)
		namespace = source.Access.Namespace()
	}
	content.CapturedAt, content.ServerVersion, content.Namespace = state.Time, state.Version, namespace
	content.Captures, content.Answers = state.Snapshot.Captures(), state.Answers
	content.Troubles = append(content.Troubles, state.Troubles()...)
	b, err := bundle.Pack(content)
	if err != nil {
		return nil, err
	}
	return Try(ctx, needs, b, source, answered)
}

func ask(ctx context.Context, config *rest.Config, needs []grader.Need, timeout time.Duration, answered func()) *cluster.State {
	if timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, timeout)
		defer cancel()
	}
	return cluster.Collect(ctx, config, needs, answered)
}

// files reads the declared files, each once, and if scripts are to be tried, the others beside them.
func files(path string, needs []grader.Need, answered func()) (files []grader.File, troubles []string) {
	dir, err := submission.Open(path)
	if err != nil {
		troubles = append(troubles, err.Error())
	} else {
		defer dir.Close()
	}
	seen := map[string]bool{}
	for _, need := range needs {
		if need.File == "" {
			continue
		}
		seen[need.File] = true
		file := grader.File{Name: need.File, State: grader.FileUnreadable}
		if err != nil {
			file.Detail = err.Error()
		} else {
			file = dir.Read(need.File)
			if file.State == grader.FileUnreadable {
				troubles = append(troubles, fmt.Sprintf("reading %s: %s", file.Name, file.Detail))
			}
		}
		files = append(files, file)
		answered()
	}
	if err == nil && slices.ContainsFunc(needs, func(n grader.Need) bool { return n.Trial != nil }) {
		files = append(files, beside(dir, seen)...)
	}
	return files, troubles
}

// maxBeside is how many bytes of other files are kept.
const maxBeside = 4 << 20

// beside reads the other ordinary files of the directory, which a script may use.
func beside(dir *submission.Dir, seen map[string]bool) []grader.File {
	var files []grader.File
	left := maxBeside
	for _, name := range dir.Names() {
		if seen[name] {
			continue
		}
		file := dir.Read(name)
		if file.State == grader.FilePresent && len(file.Data) <= left {
			left -= len(file.Data)
			files = append(files, file)
		}
	}
	return files
}
