package replay

import (
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/version"
)

func lease(namespace, name string) unstructured.Unstructured {
	return unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": map[string]any{"namespace": namespace, "name": name}, "spec": map[string]any{},
	}}
}

func TestWorldCompletesObjects(t *testing.T) {
	old, young, added := lease("a", "old"), lease("a", "young"), lease("b", "added")
	old.SetResourceVersion("7")
	old.SetUID("given")
	require.NoError(t, unstructured.SetNestedField(old.Object, "2026-01-01T00:00:00Z", "metadata", "creationTimestamp"))
	young.SetResourceVersion("9")
	require.NoError(t, unstructured.SetNestedField(young.Object, "2026-01-02T00:00:00Z", "metadata", "creationTimestamp"))
	given := []unstructured.Unstructured{added, young, old}

	world := worldOf(t, given)
	objects := world.Objects()
	require.Len(t, objects, 5)
	require.Equal(t, "10", objects[0].GetResourceVersion())
	require.Equal(t, young.GetCreationTimestamp(), objects[0].GetCreationTimestamp())
	require.NotEmpty(t, objects[0].GetUID())
	require.Equal(t, "given", string(objects[2].GetUID()))
	require.Equal(t, "Namespace", objects[3].GetKind())
	require.Equal(t, "a", objects[3].GetName())
	require.Equal(t, "b", objects[4].GetName())
	require.Equal(t, "12", world.revisionText())
	require.Equal(t, objects, worldOf(t, given).Objects(), "the same objects make the same world")
	require.Equal(t, objects, worldOf(t, objects).Objects(), "a complete world is not changed")
	require.Empty(t, added.GetResourceVersion(), "what is given stays as it is")

	objects[0].SetName("changed")
	require.Equal(t, "added", world.Objects()[0].GetName())
}

func TestWorldRefuses(t *testing.T) {
	secret := unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "Secret", "metadata": map[string]any{"name": "s", "namespace": "a"}}}
	event := unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "Event", "metadata": map[string]any{"name": "e", "namespace": "a"}}}
	seconds := lease("a", "seconds")
	require.NoError(t, unstructured.SetNestedField(seconds.Object, "2026-01-01T00:00:00", "spec", "renewTime"))
	revision := lease("a", "revision")
	revision.SetResourceVersion("x")
	for name, objects := range map[string][]unstructured.Unstructured{
		"another kind":        {secret},
		"a kind for describe": {event},
		"no name":             {lease("a", "")},
		"no namespace":        {lease("", "a")},
		"two of one":          {lease("a", "a"), lease("a", "b"), lease("a", "a")},
		"a time that is none": {seconds},
		"a strange revision":  {revision},
	} {
		_, err := NewWorld(version.Info{GitVersion: "v1.37.2"}, objects)
		require.ErrorContains(t, err, "making a world: ", name)
	}
	_, err := NewWorld(version.Info{GitVersion: "latest"}, nil)
	require.ErrorContains(t, err, "reading the server version")
}

func TestWorldVersion(t *testing.T) {
	for given, want := range map[string]string{"v1.32.13": "32", "v1.30.5+k3s1": "30", "v1.35.1-gke.100": "35"} {
		world, err := NewWorld(version.Info{GitVersion: given}, nil)
		require.NoError(t, err)
		require.Equal(t, want, world.Version().Minor)
	}
	world, err := NewWorld(version.Info{}, nil)
	require.NoError(t, err)
	require.Equal(t, "v1.37.2", world.Version().GitVersion)
	require.Equal(t, 37, minorOf(world.Version()))
	require.Equal(t, 27, minorOf(version.Info{Minor: "27+"}))
}

func TestDiscoveryOfNearestVersion(t *testing.T) {
	for given, want := range map[string]string{"1": "v1.32.13", "33": "v1.32.13", "34": "v1.34.4", "36": "v1.34.4", "37": "v1.37.2", "50": "v1.37.2"} {
		d, err := newDiscovery(version.Info{Major: "1", Minor: given})
		require.NoError(t, err)
		require.Equal(t, want, d.recording.Version.GitVersion, given)
	}
}
