package trial

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"path"
	"path/filepath"
	"time"

	"example.com/labgrader/grader"
	"example.com/labgrader/grader/replay"
	"example.com/labgrader/grader/sandbox"
)

// Paths as a script sees them.
const (
	labDir   = "/root/op-leader"
	homeDir  = "/root"
	toolsDir = "/opt/grader/bin"
	// maxOutput is how much of a stream is kept, in bytes: the scripts print a few lines.
	maxOutput = 64 << 10
	// maxRequests and maxChanges are how many are written down.
	maxRequests = 60
	maxChanges  = 50
)

// kubeconfigs are where scripts look for a kubeconfig, or name one themselves.
func kubeconfigs() []string { return []string{homeDir + "/.kube/config", "/etc/kubernetes/admin.conf"} }

// one runs one trial.
func (r Runner) one(ctx context.Context, t grader.Trial) grader.Transcript {
	transcript, err := r.try(ctx, t)
	if err != nil {
		return grader.Transcript{Trouble: err.Error()}
	}
	return transcript
}

func (r Runner) try(ctx context.Context, t grader.Trial) (grader.Transcript, error) {
	script, ok := r.Files[t.Script]
	if !ok || script.State != grader.FilePresent {
		return grader.Transcript{}, nil // the criterion reads the file first, and says that it is missing
	}
	world := t.World(r.Leases, r.Files, grader.TrialSeed(r.Base, t.Name))
	dir, err := r.copyFiles(world)
	defer os.RemoveAll(dir) //nolint:errcheck // a temporary directory
	if err != nil {
		return grader.Transcript{}, err
	}
	api, err := server(r.ServerVersion, world, time.Now())
	if err != nil {
		return grader.Transcript{}, err
	}
	defer api.Close()
	run, err := sandbox.Run(ctx, r.Tier, r.spec(script, dir, api))
	if err != nil {
		return grader.Transcript{}, err
	}
	transcript := r.transcript(run, api.Requests())
	if transcript.StartError != "" {
		transcript.MissingTool = missingInterpreter(script.Data)
	}
	return transcript, nil
}

// spec says how the script is run: by itself if it has the exec bit and a first line that names an interpreter, else by bash.
func (r Runner) spec(script grader.File, dir string, api *replay.Server) sandbox.Spec {
	argv := []string{"bash", script.Name}
	if script.Executable && bytes.HasPrefix(script.Data, []byte("#!")) {
		argv = []string{"./" + script.Name}
	}
	return sandbox.Spec{
		Argv: argv, Dir: labDir, Home: homeDir,
		Mounts: []sandbox.Mount{
			{Source: dir, Target: labDir, Writable: true},
			{Source: r.Kubectl, Target: path.Join(toolsDir, "kubectl")},
		},
		Limits: sandbox.Limits{Wall: deadline, OutputBytes: maxOutput},
		Serve:  func(l net.Listener) { _ = api.Serve(l) }, // it returns when the run is over
		Prepare: func(scene sandbox.Scene) (sandbox.Setting, error) {
			kubeconfig, err := api.Kubeconfig(scene.Addr.String(), r.Namespace)
			if err != nil {
				return sandbox.Setting{}, err
			}
			files := map[string][]byte{}
			for _, name := range kubeconfigs() {
				files[name] = kubeconfig
			}
			return sandbox.Setting{Files: files, Env: map[string]string{
				"PATH":       filepath.Dir(scene.Path(path.Join(toolsDir, "kubectl"))) + ":" + sandbox.DefaultPath,
				"KUBECONFIG": scene.Path(kubeconfigs()[0]),
			}}, nil
		},
	}
}

// transcript keeps of a run what criteria read, capped.
func (r Runner) transcript(run sandbox.Transcript, requests []replay.Request) grader.Transcript {
	t := grader.Transcript{
		ExitCode: run.ExitCode, Signal: run.Signal, TimedOut: run.TimedOut, StartError: run.StartError,
		Stdout: string(run.Stdout.Data), Stderr: string(run.Stderr.Data), Cut: run.Stdout.Cut || run.Stderr.Cut,
		Milliseconds: run.Duration.Milliseconds(),
	}
	for _, change := range run.Changes {
		if change.Mount == labDir && len(t.Changed) < maxChanges {
			t.Changed = append(t.Changed, change.Path)
		}
	}
	for _, request := range requests {
		if request.Resource == "leases" && request.Code == 200 {
			t.LeaseReads++
		}
		if len(t.Requests) < maxRequests {
			t.Requests = append(t.Requests, fmt.Sprintf("%s %s %d", request.Verb, request.Path, request.Code))
		}
	}
	t.MissingTool = missingTool(t.Stderr)
	return t
}
