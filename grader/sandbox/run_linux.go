package sandbox

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"os"
	"runtime"
	"slices"
)

// Run runs the program of spec in the tier and returns what it did, when nothing of it is left. It returns
// within Limits.Wall and 2 s, apart from the time that Serve and Prepare take.
//
// Whatever the program does is a Transcript, not an error: failing, hanging, not being found. An error
// means that it could not be run as asked: an *UnsupportedError if this machine does not allow the tier,
// the context's cause if ctx ended first.
func Run(ctx context.Context, tier Tier, spec Spec) (Transcript, error) {
	if stage() != "" {
		return Transcript{}, errors.New("starting the sandbox: this process is a stage of one: call Main first in main")
	}
	if tier != TierA && tier != TierB && tier != TierC {
		return Transcript{}, fmt.Errorf("starting the sandbox: there is no tier %q", tier)
	}
	spec, err := spec.complete()
	if err != nil {
		return Transcript{}, fmt.Errorf("starting the sandbox: %w", err)
	}
	// The guard dies with the thread that starts it.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	wall, cancel := context.WithTimeout(ctx, spec.Limits.Wall)
	defer cancel()
	r := run{tier: tier, spec: spec}
	defer r.close()
	t, err := r.do(wall)
	if ctx.Err() != nil {
		return Transcript{}, fmt.Errorf("running in the sandbox: %w", context.Cause(ctx))
	}
	if errors.Is(err, errGuardGone) {
		return Transcript{}, fmt.Errorf("running in the sandbox: %w", err)
	}
	if err != nil {
		return Transcript{}, fmt.Errorf("starting the sandbox: %w", r.explain(wall, err))
	}
	return t, nil
}

// run is one call of Run.
type run struct {
	tier     Tier
	spec     Spec
	layout   *layout
	session  *session
	listener net.Listener
	served   chan struct{}
	setting  Setting
	before   map[string]snapshot // by the targets of writable mounts
}

func (r *run) do(wall context.Context) (Transcript, error) {
	var err error
	if r.layout, err = newLayout(r.tier, r.spec); err != nil {
		return Transcript{}, err
	}
	if err := r.start(); err != nil {
		return Transcript{}, err
	}
	defer context.AfterFunc(wall, r.session.stop)()
	if err := r.serve(wall); err != nil {
		return Transcript{}, err
	}
	if err := r.launch(); err != nil {
		return Transcript{}, err
	}
	return r.await(wall)
}

// start starts the guard and tells it what to build.
func (r *run) start() error {
	order := setup{
		Tier: r.tier, UID: r.layout.uid, Listen: r.spec.Serve != nil, Home: r.spec.Home,
		Scratch: r.layout.scratch, TmpBytes: r.spec.Limits.TmpBytes,
	}
	var trees []*os.File
	defer func() {
		for _, f := range trees {
			f.Close()
		}
	}()
	for _, m := range r.layout.mounts {
		mount := mountOrder{Mount: m}
		// Only root can, and has to: the guard's user may not reach the source.
		if r.tier == TierA && r.layout.uid >= 0 {
			if fd, err := openTree(m.Source); err == nil {
				mount.Tree = fdTrees + len(trees)
				trees = append(trees, os.NewFile(uintptr(fd), m.Source))
			}
		}
		order.Mounts = append(order.Mounts, mount)
	}
	var err error
	if r.session, err = startSession(r.tier, r.layout.uid, r.spec.Limits.OutputBytes, trees); err != nil {
		return err
	}
	return r.session.instruct(order)
}

// serve gets the listener, from the guard in tier A, and hands it to the spec's Serve.
func (r *run) serve(wall context.Context) error {
	if r.spec.Serve == nil {
		return nil
	}
	var err error
	if r.tier == TierA {
		r.listener, err = r.receiveListener()
	} else {
		r.listener, err = listenLoopback(wall)
	}
	if err != nil {
		return err
	}
	r.served = make(chan struct{})
	go func() {
		defer close(r.served)
		r.spec.Serve(r.listener)
	}()
	return nil
}

func (r *run) receiveListener() (net.Listener, error) {
	report, file, err := r.session.next()
	if file != nil {
		defer file.Close()
	}
	switch {
	case err != nil:
		return nil, err
	case report.Kind != listening || file == nil:
		return nil, report.asError(r.tier)
	}
	return net.FileListener(file)
}

// launch settles what depends on the listener's address and lets the guard start the program.
func (r *run) launch() error {
	scene := Scene{path: r.layout.path}
	port := 0
	if r.listener != nil {
		scene.Addr = r.listener.Addr()
		port = scene.Addr.(*net.TCPAddr).Port
	}
	if r.spec.Prepare != nil {
		var err error
		if r.setting, err = r.spec.Prepare(scene); err != nil {
			return fmt.Errorf("preparing the run: %w", err)
		}
	}
	if err := r.setting.check(); err != nil {
		return err
	}
	files, err := r.layout.placeFiles(r.setting.Files)
	if err != nil {
		return err
	}
	r.before = r.snapshots()
	return r.session.instruct(launch{Files: files, Program: r.program(port)})
}

func (r *run) program(port int) program {
	env := map[string]string{
		"PATH": DefaultPath, "HOME": r.layout.path(r.spec.Home), "LANG": "C.UTF-8", "TZ": "UTC", "KUBERC": "off",
	}
	if r.tier != TierA {
		env["TMPDIR"] = r.layout.path("/tmp")
	}
	maps.Copy(env, r.setting.Env)
	p := program{
		Tier: r.tier, Probe: r.spec.probe, Argv: r.spec.Argv, Path: env["PATH"], Dir: r.layout.path(r.spec.Dir),
		Limits: r.spec.Limits, Confine: r.tier != TierC, Port: port,
		SameUser: r.tier == TierB && r.layout.uid < 0,
		DropCaps: r.tier == TierA || r.tier == TierB && r.layout.uid < 0 && os.Geteuid() == 0,
	}
	for _, name := range slices.Sorted(maps.Keys(env)) {
		p.Env = append(p.Env, name+"="+env[name])
	}
	r.layout.open(&p)
	return p
}

// close ends and removes whatever is left of the run.
func (r *run) close() {
	if r.session != nil {
		r.session.close()
	}
	if r.listener != nil {
		r.listener.Close()
		<-r.served
	}
	if r.layout != nil {
		r.layout.remove()
	}
}
