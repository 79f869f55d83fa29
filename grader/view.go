package grader

import (
	"context"
	"errors"
	"fmt"
	"slices"

	coordinationv1 "k8s.io/api/coordination/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	clientscheme "k8s.io/client-go/kubernetes/scheme"
)

// View is what one criterion sees of the evidence: what it declared. A read of anything else returns an error and
// makes the criterion's verdict an error, whatever it does with that error.
type View struct {
	criterion Criterion
	evidence  *Evidence
	result    func(id string) result
	misuse    error
}

func (v *View) refuse(format string, args ...any) error {
	err := fmt.Errorf("reading undeclared evidence: "+format, args...)
	v.misuse = errors.Join(v.misuse, err)
	return err
}

// File returns a declared file of the submission in whatever state it was found, but for a file that the grader could
// not read or did not collect, which is an error.
func (v *View) File(name string) (File, error) {
	if !slices.ContainsFunc(v.criterion.Needs, func(n Need) bool { return n.File == name }) {
		return File{}, v.refuse("file %s", name)
	}
	file, ok := v.evidence.Files[name]
	if !ok {
		return File{}, fmt.Errorf("reading %s: it was not collected", name)
	}
	if file.State == FileUnreadable {
		return File{}, fmt.Errorf("reading %s: %s", name, file.Detail)
	}
	return file, nil
}

// Answer returns the API server's answer to a declared probe; a probe that could not be carried out is an error.
func (v *View) Answer(probe string) (Answer, error) {
	if !slices.ContainsFunc(v.criterion.Needs, func(n Need) bool { return n.Probe != nil && n.Probe.Name == probe }) {
		return Answer{}, v.refuse("probe %s", probe)
	}
	answer, ok := v.evidence.Answers[probe]
	if !ok {
		return Answer{}, fmt.Errorf("reading the answer to %s: it was not collected", probe)
	}
	if answer.Trouble != "" {
		return Answer{}, fmt.Errorf("asking the API server (%s): %s", probe, answer.Trouble)
	}
	return answer, nil
}

// Trial returns what a script did in a declared trial, and the world that it did it in. A trial that could not be carried
// out is an error. The leases of the lab's namespace must be declared too.
func (v *View) Trial(name string, leases []coordinationv1.Lease) (Transcript, World, error) {
	i := slices.IndexFunc(v.criterion.Needs, func(n Need) bool { return n.Trial != nil && n.Trial.Name == name })
	if i < 0 {
		return Transcript{}, World{}, v.refuse("trial %s", name)
	}
	transcript, ok := v.evidence.Transcripts[name]
	if !ok {
		return Transcript{}, World{}, fmt.Errorf("reading the trial %s: it was not run", name)
	}
	if transcript.Trouble != "" {
		return Transcript{}, World{}, fmt.Errorf("trying %s: %s", v.criterion.Needs[i].Trial.Script, transcript.Trouble)
	}
	return transcript, v.criterion.Needs[i].Trial.World(leases, v.evidence.Files, TrialSeed(v.evidence.Base, name)), nil
}

// Seed returns the seed of a trial's world.
func (v *View) Seed(trial string) uint64 { return TrialSeed(v.evidence.Base, trial) }

// Passed reports whether a consulted criterion, STEP-NAME.CRITERION, passed. If that one could not be judged, or is blocked by
// one that could not, the one that asks cannot be judged either, whatever it does with the error.
func (v *View) Passed(id string) (bool, error) {
	if !slices.Contains(v.criterion.Consults, id) {
		return false, v.refuse("criterion %s", id)
	}
	res := v.result(id)
	if res.trouble != "" {
		err := fmt.Errorf("consulting %s: %s", id, res.trouble)
		v.misuse = errors.Join(v.misuse, err)
		return false, err
	}
	return res.verdict == Pass, nil
}

// Cluster returns a reader of the declared objects.
func (v *View) Cluster() client.Reader { return declaredReader{v} }

// declaredReader lets through what the criterion declared.
type declaredReader struct{ view *View }

func (r declaredReader) Get(ctx context.Context, key client.ObjectKey, obj client.Object, opts ...client.GetOption) error {
	if !r.declared(obj, key.Namespace, key.Name) {
		return r.view.refuse("%T %s", obj, key)
	}
	return r.reader().Get(ctx, key, obj, opts...)
}

func (r declaredReader) List(ctx context.Context, list client.ObjectList, opts ...client.ListOption) error {
	options := (&client.ListOptions{}).ApplyOptions(opts)
	if !r.declared(list, options.Namespace, "") {
		return r.view.refuse("%T in %s", list, options.Namespace)
	}
	return r.reader().List(ctx, list, opts...)
}

func (r declaredReader) reader() client.Reader {
	if r.view.evidence.Cluster == nil {
		return noCluster{}
	}
	return r.view.evidence.Cluster
}

// declared reports whether the needs cover an object, or with an empty name a list, of the type of obj.
func (r declaredReader) declared(obj runtime.Object, namespace, name string) bool {
	gvk, err := apiutil.GVKForObject(obj, clientscheme.Scheme)
	if err != nil {
		return false
	}
	return slices.ContainsFunc(r.view.criterion.Needs, func(n Need) bool {
		o := n.Objects
		if o == nil || o.Namespace != namespace || o.Kind.Group != gvk.Group || o.Kind.Version != gvk.Version {
			return false
		}
		if name == "" {
			return o.Name == "" && o.Kind.Kind+"List" == gvk.Kind
		}
		return o.Kind.Kind == gvk.Kind && (o.Name == "" || o.Name == name)
	})
}

// noCluster stands for a cluster that was never captured.
type noCluster struct{}

var errNoCluster = errors.New("reading the cluster: it was not captured")

func (noCluster) Get(context.Context, client.ObjectKey, client.Object, ...client.GetOption) error {
	return errNoCluster
}
func (noCluster) List(context.Context, client.ObjectList, ...client.ListOption) error {
	return errNoCluster
}
