// Package solve plays a learner: it runs solution scripts on a control plane, with a directory of their own in the place of
// the lab's.
//
// Its one rule: a script sees the lab's real paths, and nothing that it does reaches the machine's real ones.
package solve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"example.com/labgrader/grader"
	"example.com/labgrader/grader/bundle"
	"example.com/labgrader/grader/cluster"
	"example.com/labgrader/grader/collect"
	"example.com/labgrader/grader/controlplane"
	"example.com/labgrader/grader/sandbox"
)

// LabDir is where the lab's text puts the learner's files.
const LabDir = "/root/op-leader"

// Session is one learner at work. Its program must have called sandbox.Main first.
type Session struct {
	plane *controlplane.ControlPlane
	temp  string
}

// New starts a session on a running control plane, with an empty directory.
func New(plane *controlplane.ControlPlane) (*Session, error) {
	temp, err := os.MkdirTemp("", "grader-solve-")
	if err != nil {
		return nil, fmt.Errorf("starting a session: %w", err)
	}
	s := &Session{plane: plane, temp: temp}
	err = errors.Join(os.Mkdir(s.Dir(), 0o755), os.Mkdir(s.home(), 0o755), os.WriteFile(s.Kubeconfig(), plane.Kubeconfig(), 0o600))
	if err != nil {
		return nil, fmt.Errorf("starting a session: %w", errors.Join(err, s.Close()))
	}
	return s, nil
}

// Close removes what the session left.
func (s *Session) Close() error { return os.RemoveAll(s.temp) }

// Dir is the directory that scripts see as LabDir.
func (s *Session) Dir() string { return filepath.Join(s.temp, "op-leader") }

// Kubeconfig is the path of the administrator's kubeconfig.
func (s *Session) Kubeconfig() string { return filepath.Join(s.temp, "kubeconfig") }

func (s *Session) home() string { return filepath.Join(s.temp, "home") }

// Run runs a bash script with arguments. Its output goes to out.
func (s *Session) Run(ctx context.Context, out io.Writer, script string, args ...string) error {
	script, err := filepath.Abs(script)
	if err != nil {
		return fmt.Errorf("running the solution: %w", err)
	}
	tools := filepath.Dir(s.plane.Kubectl())
	err = sandbox.RunMapped(ctx, sandbox.Mapped{
		Argv:   append([]string{"bash", script}, args...),
		Env:    []string{"PATH=" + tools + ":/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME=" + s.home(), "KUBECONFIG=" + s.Kubeconfig(), "LANG=C.UTF-8", "TERM=dumb"},
		Source: s.Dir(), Target: LabDir,
		Keep:   []string{tools, filepath.Dir(script)},
		Stdout: out, Stderr: out,
	})
	if err != nil {
		return fmt.Errorf("running the solution: %w", err)
	}
	return nil
}

// Collect gathers the evidence of what has been done so far.
func (s *Session) Collect(ctx context.Context, lab grader.Lab, steps ...int) (*bundle.Bundle, error) {
	source := collect.Source{Dir: s.Dir(), Access: cluster.Access{Kubeconfig: s.Kubeconfig()}, Kubectl: s.plane.Kubectl()}
	return collect.Run(ctx, lab, steps, source, func(int, int) {})
}
