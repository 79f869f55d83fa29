// Package collect gathers evidence from a submission and a cluster.
//
// Its one rule: it gathers what the criteria to be graded declare, and nothing else. It never fails because of what it
// finds: what could not be had is recorded in the evidence.
package collect

import (
	"context"
	"fmt"
	"sync/atomic"

	"example.com/labgrader/grader"
	"example.com/labgrader/grader/bundle"
	"example.com/labgrader/grader/cluster"
	"example.com/labgrader/grader/submission"
)

// Source is where a submission is found.
type Source struct {
	Dir    string // the learner's directory
	Access cluster.Access
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
	if config, err := source.Access.Config(); err != nil {
		state = cluster.Unreachable(needs, err)
	} else {
		state = cluster.Collect(ctx, config, needs, answered)
	}
	content.CapturedAt, content.ServerVersion = state.Time, state.Version
	content.Captures, content.Answers = state.Snapshot.Captures(), state.Answers
	content.Troubles = append(content.Troubles, state.Troubles()...)
	return bundle.Pack(content)
}

// files reads the declared files, each once.
func files(path string, needs []grader.Need, answered func()) (files []grader.File, troubles []string) {
	dir, err := submission.Open(path)
	if err != nil {
		troubles = append(troubles, err.Error())
	} else {
		defer dir.Close() //nolint:errcheck // it was only read
	}
	for _, need := range needs {
		if need.File == "" {
			continue
		}
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
	return files, troubles
}
