// Package lease checks step 1: the namespace, and the Lease widget-operator as it was created.
//
// Its rule: step 1 answers for how the Lease began. What later steps made of it is theirs to answer for.
package lease

import (
	"context"
	"embed"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	"example.com/labgrader/checks/internal/oplab"
	"example.com/labgrader/grader"
)

//go:embed messages.*.yaml
var messages embed.FS

const (
	manifestFile = "lease-widget.yaml"
	initialFile  = "lease-initial.yaml"
)

// Check returns the check of step 1.
func Check() grader.Check {
	return grader.Check{
		Step: 1, Name: "lease", Title: "One lease decides the leader", Messages: messages,
		Criteria: []grader.Criterion{
			{
				Name: "namespace", Points: 1.5,
				Doc:   "The namespace exists\n\nThe cluster has the namespace op-leader.",
				Needs: []grader.Need{oplab.NamespaceObject()},
				Run:   namespace,
			},
			{
				Name: "manifest", Points: 4,
				Doc: "The manifest describes the Lease as asked\n\nlease-widget.yaml holds a Lease widget-operator of coordination.k8s.io/v1 with the holder, " +
					"duration and transition count of the step. acquireTime and renewTime are MicroTimes of about the time at which the Lease was written. " +
					"It is not compared with what later steps make of the live Lease.",
				Needs: []grader.Need{oplab.File(manifestFile), oplab.File(initialFile), oplab.Lease(oplab.Widget)},
				Run:   manifest,
			},
			{
				Name: "initial", Points: 4,
				Doc: "The Lease was saved as the server returned it\n\nlease-initial.yaml is what kubectl get lease widget-operator -o yaml printed after the manifest was applied " +
					"and before the takeover of step 4. A Lease that was created anew since then is a note.",
				Needs: []grader.Need{oplab.File(initialFile), oplab.File(manifestFile), oplab.Lease(oplab.Widget)},
				Run:   initial,
			},
			{
				Name: "live", Points: 3,
				Doc:   "The Lease exists in the cluster\n\nThe Lease widget-operator is in op-leader, with the duration of the step, held either as in step 1 or as after the takeover of step 4.",
				Needs: []grader.Need{oplab.Lease(oplab.Widget), oplab.File("renew-log.txt"), oplab.File("takeover.txt")},
				// A saved Lease that was right says that later steps answer for what is different now.
				Consults: []string{"lease.initial"},
				Run:      live,
			},
		},
	}
}

func namespace(ctx context.Context, view *grader.View) ([]grader.Finding, error) {
	found, err := oplab.GetNamespaceless(ctx, view, oplab.Namespace, &corev1.Namespace{})
	if err != nil {
		return nil, err
	}
	if !found {
		return nil, grader.Misses("lease.namespace-missing")
	}
	return grader.MeetsUnless(), nil
}

func manifest(ctx context.Context, view *grader.View) ([]grader.Finding, error) {
	live, err := oplab.GetLease(ctx, view, oplab.Widget)
	if err != nil {
		return nil, err
	}
	created, err := initialCreation(view)
	if err != nil {
		return nil, err
	}
	written := func(field string) oplab.Moments {
		moments := oplab.WrittenAt(live, field)
		if !created.IsZero() {
			moments = append(moments, created)
		}
		return moments
	}
	findings, err := oplab.CheckManifest(view, oplab.WantedLease{
		File: manifestFile, Name: oplab.Widget, Holder: oplab.FirstHolder, Seconds: oplab.WidgetSeconds, Transitions: ptr.To[int64](0),
		Times: map[string]oplab.Window{"acquireTime": oplab.Now(), "renewTime": oplab.Now()},
	}, written)
	if err != nil {
		return nil, err
	}
	return grader.MeetsUnless(findings...), nil
}

// initialCreation returns the creationTimestamp in lease-initial.yaml, zero if that file does not tell.
func initialCreation(view *grader.View) (time.Time, error) {
	saved, err := oplab.FindLease(view, initialFile, oplab.Widget)
	if err != nil {
		return time.Time{}, oplab.Trouble(err)
	}
	return saved.GetCreationTimestamp().Time, nil
}

func live(ctx context.Context, view *grader.View) ([]grader.Finding, error) {
	lease, err := oplab.GetLease(ctx, view, oplab.Widget)
	if err != nil {
		return nil, err
	}
	if lease == nil {
		return nil, grader.Misses("lease.live-missing")
	}
	state := oplab.StateOf(lease)
	if state == oplab.BeforeTakeover() || state == oplab.AfterTakeover() {
		return grader.MeetsUnless(), nil
	}
	later, err := laterStep(view)
	if err != nil {
		return nil, err
	}
	if later {
		return grader.MeetsUnless(), nil
	}
	return nil, grader.Misses("lease.live-state").Compare(oplab.BeforeTakeover().String(), state.String())
}

// laterStep reports whether a later step answers for the Lease's state: it was saved rightly, and one has begun.
func laterStep(view *grader.View) (bool, error) {
	began, err := view.Passed("lease.initial")
	if err != nil || !began {
		return false, err
	}
	for _, name := range []string{"renew-log.txt", "takeover.txt"} {
		file, err := view.File(name)
		if err != nil {
			return false, err
		}
		if file.State != grader.FileMissing {
			return true, nil
		}
	}
	return false, nil
}
