package trial

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"

	"example.com/labgrader/grader"
	"example.com/labgrader/grader/sandbox"
)

// deadline is the time that one trial may take; the reference solution's scripts take half a second.
const deadline = 10 * time.Second

// Runner runs trials.
type Runner struct {
	// Tier that scripts are contained by, from Choose.
	Tier sandbox.Tier
	// Kubectl is the path of the kubectl that scripts find; empty: the one in this process's PATH.
	Kubectl string
	// Namespace is that of the learner's kubeconfig context; empty: default.
	Namespace string
	// Base is the digest of the evidence that is there already.
	Base string
	// ServerVersion is what the API server said that it is.
	ServerVersion string
	Files         map[string]grader.File
	Leases        []coordinationv1.Lease // of the lab's namespace, as captured
}

// Choose returns the strongest tier that this machine allows and what it lacks for a stronger one; with a demanded tier it
// is an error if the machine does not allow that.
func Choose(ctx context.Context, demanded string) (grader.Sandbox, error) {
	support := sandbox.Detect(ctx)
	chosen := grader.Sandbox{Tier: string(support.Tier), Missing: append([]string{}, support.Missing...)}
	if demanded != "" && string(support.Tier) > demanded {
		return chosen, fmt.Errorf("containing scripts: --require-sandbox=%s, but this machine lacks %q", demanded, support.Missing)
	}
	return chosen, nil
}

// Run runs the trials, as many side by side as there are processors, and returns their transcripts in order; done is called
// after each. A script's first trial comes before its others: if that was ended at its deadline they are not run, and get its
// transcript too.
func (r Runner) Run(ctx context.Context, trials []grader.Trial, done func()) []grader.Transcript {
	transcripts := make([]grader.Transcript, len(trials))
	kubectl, err := r.kubectl()
	if err != nil {
		for i := range transcripts {
			transcripts[i] = grader.Transcript{Trouble: err.Error()}
			done()
		}
		return transcripts
	}
	r.Kubectl = kubectl
	places := make(chan struct{}, 2*runtime.NumCPU())
	run := func(i int) {
		places <- struct{}{}
		defer func() { <-places }()
		transcripts[i] = r.one(ctx, trials[i])
		done()
	}
	var group sync.WaitGroup
	for _, indices := range byScript(trials) {
		group.Go(func() {
			first, rest := indices[0], indices[1:]
			run(first)
			for _, i := range rest {
				if transcripts[first].TimedOut {
					transcripts[i] = transcripts[first]
					done()
					continue
				}
				group.Go(func() { run(i) })
			}
		})
	}
	group.Wait()
	return transcripts
}

// byScript returns the indices of each script's trials, in order.
func byScript(trials []grader.Trial) [][]int {
	var scripts [][]int
	place := map[string]int{}
	for i, t := range trials {
		if _, seen := place[t.Script]; !seen {
			place[t.Script] = len(scripts)
			scripts = append(scripts, nil)
		}
		scripts[place[t.Script]] = append(scripts[place[t.Script]], i)
	}
	return scripts
}

// kubectl returns the real path of the kubectl for scripts.
func (r Runner) kubectl() (string, error) {
	path := r.Kubectl
	if path == "" {
		found, err := exec.LookPath("kubectl")
		if err != nil {
			return "", fmt.Errorf("finding kubectl for the scripts: %w", err)
		}
		path = found
	}
	path, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", fmt.Errorf("finding kubectl for the scripts: %w", err)
	}
	return filepath.Abs(path)
}

// copyFiles writes the submission's files, with those of the world in their place, into a new directory. Only tier A can show
// it at the lab's real path; in the others the copy's own path stands in its files where they name that.
func (r Runner) copyFiles(world grader.World) (dir string, err error) {
	dir, err = os.MkdirTemp("", "grader-trial-")
	if err != nil {
		return "", fmt.Errorf("copying the submission: %w", err)
	}
	for name, file := range r.Files {
		if file.State != grader.FilePresent {
			continue
		}
		data, mode := file.Data, os.FileMode(0o644)
		if replaced, ok := world.Files[name]; ok {
			data = []byte(replaced)
		}
		if r.Tier != sandbox.TierA {
			data = bytes.ReplaceAll(data, []byte(labDir), []byte(dir))
		}
		if file.Executable {
			mode = 0o755
		}
		if err := os.WriteFile(filepath.Join(dir, filepath.Base(name)), data, mode); err != nil {
			return dir, fmt.Errorf("copying the submission: %w", err)
		}
	}
	return dir, os.Chmod(dir, 0o755)
}
