package grader

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	coordinationv1 "k8s.io/api/coordination/v1"
	coordinationv1beta1 "k8s.io/api/coordination/v1beta1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// everything is a cluster that has whatever it is asked for, so that only the view can refuse.
type everything struct{}

func (everything) Get(_ context.Context, key client.ObjectKey, obj client.Object, _ ...client.GetOption) error {
	obj.SetName(key.Name)
	return nil
}

func (everything) List(_ context.Context, list client.ObjectList, _ ...client.ListOption) error {
	list.SetResourceVersion("7")
	return nil
}

// unregistered is of a type that the scheme does not know.
type unregistered struct{ coordinationv1.Lease }

func viewOf(evidence *Evidence, needs ...Need) *View {
	return &View{criterion: Criterion{Name: "c", Needs: needs}, evidence: evidence}
}

func leases(namespace, name string) Need {
	return Need{Objects: &Objects{Kind: coordinationv1.SchemeGroupVersion.WithKind("Lease"), Resource: "leases", Namespace: namespace, Name: name}}
}

func TestAnObjectIsReadOnlyIfDeclared(t *testing.T) {
	odd := Need{Objects: &Objects{Kind: schema.GroupVersionKind{}, Namespace: "n", Name: "x"}}
	for name, test := range map[string]struct {
		need            Need
		obj             client.Object
		namespace, name string
		declared        bool
	}{
		"itself":                 {leases("n", "x"), &coordinationv1.Lease{}, "n", "x", true},
		"one of all":             {leases("n", ""), &coordinationv1.Lease{}, "n", "x", true},
		"another name":           {leases("n", "x"), &coordinationv1.Lease{}, "n", "y", false},
		"another namespace":      {leases("n", "x"), &coordinationv1.Lease{}, "m", "x", false},
		"all, another namespace": {leases("n", ""), &coordinationv1.Lease{}, "m", "x", false},
		"another version":        {leases("n", "x"), &coordinationv1beta1.Lease{}, "n", "x", false},
		"another group":          {leases("n", "x"), &corev1.Pod{}, "n", "x", false},
		"another kind":           {leases("n", "x"), &coordinationv1beta1.LeaseCandidate{}, "n", "x", false},
		"same name, other group": {leases("n", "x"), partial("v1", "Lease"), "n", "x", false},
		"same group, other kind": {leases("n", "x"), partial("coordination.k8s.io/v1", "Other"), "n", "x", false},
		"all, other kind":        {leases("n", ""), partial("coordination.k8s.io/v1", "Other"), "n", "x", false},
		"an unknown type":        {odd, &unregistered{}, "n", "x", false},
		"a file of that name":    {Need{File: "x"}, &coordinationv1.Lease{}, "n", "x", false},
	} {
		t.Run(name, func(t *testing.T) {
			view := viewOf(&Evidence{Cluster: everything{}}, test.need)
			err := view.Cluster().Get(t.Context(), client.ObjectKey{Namespace: test.namespace, Name: test.name}, test.obj)
			if test.declared {
				require.NoError(t, err)
				assert.NoError(t, view.misuse)
				assert.Equal(t, test.name, test.obj.GetName(), "the cluster was asked")
				return
			}
			require.ErrorContains(t, err, "undeclared")
			assert.ErrorIs(t, view.misuse, err)
			assert.Empty(t, test.obj.GetName(), "the cluster was not asked")
		})
	}
}

// partial is an object that names its kind itself.
func partial(apiVersion, kind string) client.Object {
	return &metav1.PartialObjectMetadata{TypeMeta: metav1.TypeMeta{APIVersion: apiVersion, Kind: kind}}
}

func TestAListIsReadOnlyIfAllOfItIsDeclared(t *testing.T) {
	for name, test := range map[string]struct {
		need      Need
		list      client.ObjectList
		namespace string
		declared  bool
	}{
		"all":               {leases("n", ""), &coordinationv1.LeaseList{}, "n", true},
		"one of them":       {leases("n", "x"), &coordinationv1.LeaseList{}, "n", false},
		"another namespace": {leases("n", ""), &coordinationv1.LeaseList{}, "m", false},
		"all namespaces":    {leases("n", ""), &coordinationv1.LeaseList{}, "", false},
		"another version":   {leases("n", ""), &coordinationv1beta1.LeaseList{}, "n", false},
		"another group":     {leases("n", ""), &corev1.PodList{}, "n", false},
		"another kind": {leases("n", ""), &metav1.PartialObjectMetadataList{
			TypeMeta: metav1.TypeMeta{APIVersion: "coordination.k8s.io/v1", Kind: "OtherList"}}, "n", false},
	} {
		t.Run(name, func(t *testing.T) {
			view := viewOf(&Evidence{Cluster: everything{}}, test.need)
			err := view.Cluster().List(t.Context(), test.list, client.InNamespace(test.namespace))
			if test.declared {
				require.NoError(t, err)
				assert.NoError(t, view.misuse)
				assert.Equal(t, "7", test.list.GetResourceVersion(), "the cluster was asked")
				return
			}
			require.ErrorContains(t, err, "undeclared")
			assert.ErrorIs(t, view.misuse, err)
			assert.Empty(t, test.list.GetResourceVersion(), "the cluster was not asked")
		})
	}
}

func TestAClusterThatWasNotCapturedIsTrouble(t *testing.T) {
	view := viewOf(&Evidence{}, leases("n", ""))
	cluster := view.Cluster()
	assert.ErrorContains(t, cluster.Get(t.Context(), client.ObjectKey{Namespace: "n", Name: "x"}, &coordinationv1.Lease{}), "it was not captured")
	assert.ErrorContains(t, cluster.List(t.Context(), &coordinationv1.LeaseList{}, client.InNamespace("n")), "it was not captured")
	assert.NoError(t, view.misuse, "it was declared")
}

func TestAFileIsReadOnlyIfDeclaredAndCollected(t *testing.T) {
	file := File{Name: "f", State: FilePresent, Data: []byte("x")}
	view := viewOf(&Evidence{Files: map[string]File{"f": file, "other": file, "bad": {State: FileUnreadable, Detail: "input/output error"}}},
		Need{File: "f"}, Need{File: "gone"}, Need{File: "bad"})
	got, err := view.File("f")
	require.NoError(t, err)
	assert.Equal(t, file, got)
	_, err = view.File("gone")
	assert.ErrorContains(t, err, "it was not collected")
	_, err = view.File("bad")
	assert.ErrorContains(t, err, "input/output error")
	require.NoError(t, view.misuse)
	_, err = view.File("other")
	assert.ErrorContains(t, err, "undeclared evidence: file other")
	assert.ErrorIs(t, view.misuse, err)
}

func TestAnAnswerIsReadOnlyIfDeclaredAndCollected(t *testing.T) {
	view := viewOf(&Evidence{Answers: map[string]Answer{"p": {Allowed: true}, "other": {Allowed: true}, "bad": {Trouble: "refused"}}},
		Need{File: "other"}, Need{Probe: &Probe{Name: "p"}}, Need{Probe: &Probe{Name: "gone"}}, Need{Probe: &Probe{Name: "bad"}})
	got, err := view.Answer("p")
	require.NoError(t, err)
	assert.Equal(t, Answer{Allowed: true}, got)
	_, err = view.Answer("gone")
	assert.ErrorContains(t, err, "it was not collected")
	_, err = view.Answer("bad")
	assert.ErrorContains(t, err, "asking the API server (bad): refused")
	require.NoError(t, view.misuse)
	got, err = view.Answer("other")
	assert.ErrorContains(t, err, "undeclared evidence: probe other")
	assert.ErrorIs(t, view.misuse, err)
	assert.Zero(t, got)
}

func TestATrialIsReadOnlyIfDeclaredAndRun(t *testing.T) {
	var seed uint64
	world := func(leases []coordinationv1.Lease, files map[string]File, s uint64) World {
		seed = s
		return World{Leases: []WorldLease{{Lease: leases[0]}}, Files: map[string]string{"f": string(files["f"].Data)}}
	}
	trial := func(name string) Need { return Need{Trial: &Trial{Name: name, Script: name + ".sh", World: world}} }
	view := viewOf(&Evidence{
		Base: "base", Files: map[string]File{"f": {Data: []byte("x")}},
		Transcripts: map[string]Transcript{"t": {Stdout: "said"}, "other": {}, "bad": {Trouble: "no room"}},
	}, trial("t"), trial("gone"), trial("bad"), Need{File: "other"})
	lease := coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Name: "l"}}

	transcript, seen, err := view.Trial("t", []coordinationv1.Lease{lease})
	require.NoError(t, err)
	assert.Equal(t, "said", transcript.Stdout)
	assert.Equal(t, World{Leases: []WorldLease{{Lease: lease}}, Files: map[string]string{"f": "x"}}, seen)
	assert.Equal(t, view.Seed("t"), seed, "it is the world that the script had")
	assert.NotEqual(t, view.Seed("bad"), seed)

	_, _, err = view.Trial("gone", nil)
	assert.ErrorContains(t, err, "reading the trial gone: it was not run")
	_, _, err = view.Trial("bad", nil)
	assert.ErrorContains(t, err, "trying bad.sh: no room")
	require.NoError(t, view.misuse)
	_, _, err = view.Trial("other", nil)
	assert.ErrorContains(t, err, "undeclared evidence: trial other")
	assert.ErrorIs(t, view.misuse, err)
}

func TestPassedSaysSoOnlyOfWhatWasJudged(t *testing.T) {
	outcomes := []Criterion{
		{Name: "met", Run: returns(MeetsUnless(), nil)},
		{Name: "missed", Run: returns([]Finding{Misses("one.x")}, nil)},
		{Name: "broken", Run: returns(nil, errors.New("refused"))},
		{Name: "behind-missed", Requires: []string{"missed"}, Run: returns(MeetsUnless(), nil)},
		{Name: "behind-broken", Requires: []string{"broken"}, Run: returns(MeetsUnless(), nil)},
		{Name: "behind-both", Requires: []string{"missed", "broken"}, Run: returns(MeetsUnless(), nil)},
		{Name: "far-behind", Requires: []string{"behind-broken"}, Run: returns(MeetsUnless(), nil)},
	}
	for name, test := range map[string]struct {
		passed bool
		own    Verdict // of the criterion that asks and forgets the error
	}{
		"met":           {true, Pass},
		"missed":        {false, Pass},
		"behind-missed": {false, Pass},
		"broken":        {false, Error},
		"behind-broken": {false, Error},
		"behind-both":   {false, Error},
		"far-behind":    {false, Error},
	} {
		t.Run(name, func(t *testing.T) {
			asks := Criterion{Name: "asks", Consults: []string{"one." + name}, Run: func(_ context.Context, v *View) ([]Finding, error) {
				passed, err := v.Passed("one." + name)
				assert.Equal(t, test.passed, passed)
				if test.own == Error {
					assert.ErrorContains(t, err, "consulting one."+name+": refused")
				} else {
					assert.NoError(t, err)
				}
				return MeetsUnless(), nil
			}}
			report := Grade(labOf(append([]Criterion{asks}, outcomes...)...), &Evidence{}, Options{})
			assert.Equal(t, test.own, report.Steps[0].Criteria[0].Verdict)
		})
	}
}

func TestPassedRefusesWhatIsNotConsulted(t *testing.T) {
	view := viewOf(&Evidence{})
	view.result = func(string) result { return result{verdict: Pass} }
	passed, err := view.Passed("one.a")
	assert.False(t, passed)
	assert.ErrorContains(t, err, "undeclared evidence: criterion one.a")
	assert.ErrorIs(t, view.misuse, err)
}
