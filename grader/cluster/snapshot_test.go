package cluster_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/labgrader/grader/cluster"
)

func item(object map[string]any) unstructured.Unstructured {
	// As the decoder leaves it: whole numbers are int64.
	object["spec"].(map[string]any)["leaseTransitions"] = int64(3)
	return unstructured.Unstructured{Object: object}
}

// snapshot has a lease by name, the leases of another namespace, an absent object and one in trouble.
func snapshot() *cluster.Snapshot {
	others := leases
	others.Namespace = "other"
	return cluster.NewSnapshot([]cluster.Capture{
		{Objects: lease, Items: []unstructured.Unstructured{item(leaseObject("widget-operator"))}},
		{Objects: others, Items: []unstructured.Unstructured{item(leaseObject("a")), item(leaseObject("b"))}},
		{Objects: configMap},
		{Objects: nameSpace, Trouble: "getting namespaces op-leader: refused"},
	})
}

func key(namespace, name string) client.ObjectKey {
	return client.ObjectKey{Namespace: namespace, Name: name}
}

func untyped(kind string) *unstructured.Unstructured {
	u := &unstructured.Unstructured{}
	u.SetGroupVersionKind(lease.Kind.GroupVersion().WithKind(kind))
	return u
}

func TestASnapshotReturnsWhatWasCaptured(t *testing.T) {
	s := snapshot()
	assert.Len(t, s.Captures(), 4)
	var typed coordinationv1.Lease
	require.NoError(t, s.Get(t.Context(), key("op-leader", "widget-operator"), &typed))
	assert.Equal(t, "widget-operator", typed.Name)
	assert.Equal(t, "operator-a", *typed.Spec.HolderIdentity)
	assert.Equal(t, int32(3), *typed.Spec.LeaseTransitions)

	object := untyped("Lease")
	require.NoError(t, s.Get(t.Context(), key("op-leader", "widget-operator"), object))
	assert.Equal(t, item(leaseObject("widget-operator")).Object, object.Object)

	require.NoError(t, s.Get(t.Context(), key("other", "b"), &typed), "a captured list knows its objects")
	assert.Equal(t, "b", typed.Name)
}

func TestASnapshotListsWhatWasCaptured(t *testing.T) {
	s := snapshot()
	var typed coordinationv1.LeaseList
	require.NoError(t, s.List(t.Context(), &typed, client.InNamespace("other")))
	require.Len(t, typed.Items, 2)
	assert.Equal(t, "a", typed.Items[0].Name)
	assert.Equal(t, "operator-a", *typed.Items[1].Spec.HolderIdentity)

	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(lease.Kind.GroupVersion().WithKind("LeaseList"))
	require.NoError(t, s.List(t.Context(), list, client.InNamespace("other")))
	require.Len(t, list.Items, 2)
	assert.Equal(t, "b", list.Items[1].GetName())
	list.Items[1].Object["spec"].(map[string]any)["holderIdentity"] = "changed"
	require.NoError(t, s.List(t.Context(), &typed, client.InNamespace("other")))
	assert.Equal(t, "operator-a", *typed.Items[1].Spec.HolderIdentity, "a reader may change its copy")
}

func TestAnEmptyCaptureIsAnEmptyList(t *testing.T) {
	s := cluster.NewSnapshot([]cluster.Capture{{Objects: leases}})
	list := coordinationv1.LeaseList{Items: []coordinationv1.Lease{{}}}
	require.NoError(t, s.List(t.Context(), &list, client.InNamespace("op-leader")))
	assert.Empty(t, list.Items)
}

func TestAReaderMayChangeItsCopy(t *testing.T) {
	s := snapshot()
	object := untyped("Lease")
	require.NoError(t, s.Get(t.Context(), key("op-leader", "widget-operator"), object))
	object.SetName("changed")
	object.Object["spec"].(map[string]any)["holderIdentity"] = "changed"
	var typed coordinationv1.Lease
	require.NoError(t, s.Get(t.Context(), key("op-leader", "widget-operator"), &typed))
	assert.Equal(t, "operator-a", *typed.Spec.HolderIdentity)
}

func TestNotFoundMeansLookedForAndNotThere(t *testing.T) {
	s := snapshot()
	for _, c := range []struct {
		object client.Object
		key    client.ObjectKey
		name   string
	}{
		{&corev1.ConfigMap{}, key("op-leader", "settings"), `configmaps "settings" not found`},
		{&coordinationv1.Lease{}, key("other", "c"), `leases.coordination.k8s.io "c" not found`},
		{untyped("Lease"), key("other", "c"), `leases.coordination.k8s.io "c" not found`},
	} {
		err := s.Get(t.Context(), c.key, c.object)
		assert.True(t, apierrors.IsNotFound(err), "%v", err)
		assert.EqualError(t, err, c.name)
	}
}

func TestWhatNobodyLookedForIsNoNotFound(t *testing.T) {
	s := snapshot()
	for _, c := range []struct {
		object  client.Object
		key     client.ObjectKey
		problem string
	}{
		{&coordinationv1.Lease{}, key("op-leader", "other"), "reading the snapshot: Lease op-leader/other was not captured"},
		{&coordinationv1.Lease{}, key("", "widget-operator"), "reading the snapshot: Lease /widget-operator was not captured"},
		{&coordinationv1.Lease{}, key("third", "a"), "reading the snapshot: Lease third/a was not captured"},
		{&rbacv1.Role{}, key("op-leader", "settings"), "reading the snapshot: Role op-leader/settings was not captured"},
		{&corev1.Secret{}, key("op-leader", "settings"), "reading the snapshot: Secret op-leader/settings was not captured"},
		{&corev1.Namespace{}, key("", "op-leader"), "getting namespaces op-leader: refused"},
	} {
		err := s.Get(t.Context(), c.key, c.object)
		assert.EqualError(t, err, c.problem)
		assert.False(t, apierrors.IsNotFound(err))
	}
	err := s.List(t.Context(), &coordinationv1.LeaseList{}, client.InNamespace("op-leader"))
	assert.EqualError(t, err, "reading the snapshot: Lease op-leader/ was not captured", "one captured object is no list")
	err = s.List(t.Context(), &coordinationv1.LeaseList{})
	assert.ErrorContains(t, err, "was not captured", "a namespace is no cluster")
	assert.ErrorContains(t, cluster.NewSnapshot(nil).Get(t.Context(), key("a", "b"), &corev1.Pod{}), "was not captured")
}

func TestATroubledListIsAnErrorNotEmpty(t *testing.T) {
	s := cluster.NewSnapshot([]cluster.Capture{{Objects: leases, Trouble: "listing leases: timeout"}})
	assert.EqualError(t, s.List(t.Context(), &coordinationv1.LeaseList{}, client.InNamespace("op-leader")), "listing leases: timeout")
	err := s.Get(t.Context(), key("op-leader", "widget-operator"), &coordinationv1.Lease{})
	assert.EqualError(t, err, "listing leases: timeout")
}

func TestOptionsThatWouldBeIgnoredAreRefused(t *testing.T) {
	s := snapshot()
	for name, option := range map[string]client.ListOption{
		"labels": client.MatchingLabels{"a": "b"}, "every label": client.MatchingLabelsSelector{Selector: labels.Everything()},
		"fields": client.MatchingFieldsSelector{Selector: fields.OneTermEqualSelector("a", "b")}, "limit": client.Limit(1), "continue": client.Continue("x"),
	} {
		err := s.List(t.Context(), &coordinationv1.LeaseList{}, client.InNamespace("other"), option)
		assert.EqualError(t, err, "listing from the snapshot: selectors and paging are not supported", name)
	}
	err := s.Get(t.Context(), key("op-leader", "widget-operator"), &coordinationv1.Lease{}, &client.GetOptions{})
	assert.EqualError(t, err, "getting from the snapshot: options are not supported")
}

// unknown is a type that no scheme knows.
type unknown struct{ coordinationv1.Lease }

func (u *unknown) DeepCopyObject() runtime.Object { return u }

func TestATypeThatNobodyKnowsIsAnError(t *testing.T) {
	assert.ErrorContains(t, snapshot().Get(t.Context(), key("op-leader", "widget-operator"), &unknown{}), "reading the snapshot: ")
}

func TestAnObjectThatDoesNotFitItsTypeIsAnError(t *testing.T) {
	odd := item(leaseObject("widget-operator"))
	odd.Object["spec"].(map[string]any)["leaseTransitions"] = "many"
	s := cluster.NewSnapshot([]cluster.Capture{{Objects: leases, Items: []unstructured.Unstructured{odd}}})
	err := s.Get(t.Context(), key("op-leader", "widget-operator"), &coordinationv1.Lease{})
	assert.ErrorContains(t, err, "reading the snapshot: ")
	assert.ErrorContains(t, s.List(t.Context(), &coordinationv1.LeaseList{}, client.InNamespace("op-leader")), "reading the snapshot: ")
}

func TestTroublesAreGroupedByReasonAndSorted(t *testing.T) {
	capture := func(trouble string) cluster.Capture { return cluster.Capture{Objects: lease, Trouble: trouble} }
	s := cluster.State{
		Snapshot: cluster.NewSnapshot([]cluster.Capture{
			capture("listing leases: refused: really"), capture(""), capture("getting b: forbidden"), capture("getting a: refused: really"), capture("no reason"),
		}),
		Answers: answers("reviewing c: refused: really", "", "dry-running a: timeout"),
	}
	for range 10 { // the answers are a map
		assert.Equal(t, []string{
			"dry-running a: timeout",
			"getting a: refused: really (and 2 more requests likewise)",
			"getting b: forbidden",
			"no reason",
		}, s.Troubles())
	}
	assert.Empty(t, (&cluster.State{Snapshot: cluster.NewSnapshot(nil)}).Troubles())
}
