package oplab

import (
	"bytes"
	"context"
	"fmt"
	"regexp"
	"strings"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/labgrader/grader"
	"example.com/labgrader/grader/submission"
)

// Tried is what a script did in one trial, and the world that it did it in.
type Tried struct {
	grader.Transcript
	World grader.World
}

// ListLeases returns the captured Leases of the lab's namespace; the criterion must need them.
func ListLeases(ctx context.Context, view *grader.View) ([]coordinationv1.Lease, error) {
	leases := &coordinationv1.LeaseList{}
	err := view.Cluster().List(ctx, leases, client.InNamespace(Namespace))
	return leases.Items, err
}

// Tries returns what a script did in trials, in their order. A script that is not there is a Finding.
func Tries(ctx context.Context, view *grader.View, script string, trials []string) ([]Tried, error) {
	source, err := submission.Bytes(view, script)
	if err != nil {
		return nil, err
	}
	if len(bytes.TrimSpace(source)) == 0 {
		return nil, grader.Misses(submission.CodeEmpty).At(script, 0).With("file", script)
	}
	leases, err := ListLeases(ctx, view)
	if err != nil {
		return nil, err
	}
	var tries []Tried
	for _, name := range trials {
		transcript, world, err := view.Trial(name, leases)
		if err != nil {
			return nil, err
		}
		tries = append(tries, Tried{Transcript: transcript, World: world})
	}
	return tries, nil
}

var (
	// unreachable matches what programs say that look for the API server, or for a way to it, where a trial has none: another
	// address, another kubeconfig or context, another user, a kubectl by its path.
	unreachable = regexp.MustCompile(`(?i)connection to the server|unable to connect|connection refused|could ?n[o']t (connect|resolve)|` +
		`context ("[^"]*" does not exist|was not found)|` +
		`(kube|k3s|rke2|admin\.conf|\.conf|microk8s)[^\n]*(no such file|permission denied|not found|not exist)|(no such file|permission denied)[^\n]*kube|` +
		`\b(sudo|su|doas)(:|\])|no tty present|setuid root|no new privileges`)
	syntaxError = regexp.MustCompile(`(?i)syntax ?error|unexpected EOF|unexpected token|unterminated`)
)

// Broken says why a script that did not do what it should could not: a finding, or an error where the grader cannot offer
// what the script needs. It returns neither for a script that ran and is merely wrong.
func Broken(view *grader.View, script string, tried Tried) (*grader.Finding, error) {
	source, err := submission.Bytes(view, script)
	if err != nil {
		return nil, err
	}
	code := ""
	switch {
	case tried.TimedOut:
		code = "script.hangs"
	case bytes.Contains(source, []byte("\r\n")):
		code = "script.crlf"
	case tried.MissingTool != "":
		return nil, fmt.Errorf("trying %s: it needs %s, which is not installed where the grader runs", script, tried.MissingTool)
	case tried.StartError != "" || strings.Contains(tried.Stderr, "bad interpreter"):
		code = "script.interpreter"
	case tried.ExitCode != 0 && syntaxError.MatchString(tried.Stderr):
		code = "script.syntax"
	case tried.LeaseReads == 0 && unreachable.MatchString(tried.Stderr):
		return nil, fmt.Errorf("trying %s: it reaches the API server in a way that a trial cannot offer: %s", script, FirstLines(tried.Stderr, 1))
	default:
		return nil, nil
	}
	f := grader.Misses(code).With("script", script).At(script, 0).Compare("", FirstLines(tried.StartError+tried.Stderr, 3))
	return &f, nil
}

// FirstLines returns the first lines of an output.
func FirstLines(output string, n int) string {
	lines := strings.SplitN(strings.TrimRight(submission.Clean(output), "\n"), "\n", n+1)
	if len(lines) > n {
		lines = append(lines[:n], "...")
	}
	return strings.Join(lines, "\n")
}

// Output shows what a script printed and how it ended.
func (t Tried) Output() string {
	return FirstLines(t.Stdout, 6) + fmt.Sprintf("\nrc=%d", t.ExitCode)
}

// Ago is a shorthand for the ages of a WorldLease.
func Ago(d time.Duration) *time.Duration { return &d }
