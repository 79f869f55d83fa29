package replay

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	utilversion "k8s.io/apimachinery/pkg/util/version"
	"k8s.io/apimachinery/pkg/version"
)

// World is the state of a cluster at one moment, and does not change. To have a changed one, make a new world of a
// changed copy of its Objects.
type World struct {
	version version.Info
	given   []unstructured.Unstructured
	// entries are in the order of the API server, by resource.
	entries  map[schema.GroupVersionResource][]entry
	revision uint64
}

// entry is an object as lists hold it, without its kind, and as it is sent alone.
type entry struct {
	key    string // namespace/name, or the name alone: what the API server sorts by
	bare   object
	object object
}

// NewWorld returns a world of the objects, which may be of the kinds Namespace, ConfigMap, ServiceAccount, Lease, Role
// and RoleBinding, on a server of the version. Of the version GitVersion is enough, and if that is empty too, it is taken
// to be the newest of those whose discovery is recorded.
//
// What an API server sets is completed where it is missing: the UID, made from the object's identity; the resource
// version, higher than all that are given; the time of creation, that of the youngest object. So are the namespaces that
// objects are in. Fields that this program does not know are left out of what is served.
func NewWorld(serverVersion version.Info, objects []unstructured.Unstructured) (*World, error) {
	serverVersion, err := completeVersion(serverVersion)
	if err != nil {
		return nil, fmt.Errorf("making a world: %w", err)
	}
	w := &World{version: serverVersion, entries: map[schema.GroupVersionResource][]entry{}}
	w.given = complete(objects)
	for _, given := range w.given {
		if err := w.add(given); err != nil {
			return nil, fmt.Errorf("making a world: %s %s/%s: %w", given.GetKind(), given.GetNamespace(), given.GetName(), err)
		}
	}
	for _, entries := range w.entries {
		slices.SortFunc(entries, func(a, b entry) int { return strings.Compare(a.key, b.key) })
		for i := range entries[1:] {
			if entries[i].key == entries[i+1].key {
				return nil, fmt.Errorf("making a world: there are two of %s %s", entries[i].object.GetObjectKind().GroupVersionKind().Kind, entries[i].key)
			}
		}
	}
	return w, nil
}

// Objects returns a copy of the objects, completed.
func (w *World) Objects() []unstructured.Unstructured {
	objects := make([]unstructured.Unstructured, len(w.given))
	for i := range w.given {
		w.given[i].DeepCopyInto(&objects[i])
	}
	return objects
}

// Version returns the version of the server that the world pretends to be.
func (w *World) Version() version.Info { return w.version }

func (w *World) add(given unstructured.Unstructured) error {
	kind, ok := kindOf(given.GroupVersionKind())
	switch {
	case !ok || kind.alwaysEmpty:
		return fmt.Errorf("the kind %s is not served", given.GroupVersionKind())
	case given.GetName() == "":
		return fmt.Errorf("it has no name")
	case kind.namespaced != (given.GetNamespace() != ""):
		return fmt.Errorf("its namespace does not fit its kind")
	}
	revision, err := strconv.ParseUint(given.GetResourceVersion(), 10, 64)
	if err != nil || revision == 0 {
		return fmt.Errorf("its resource version %q is not a positive number", given.GetResourceVersion())
	}
	w.revision = max(w.revision, revision)
	e := entry{key: strings.TrimPrefix(given.GetNamespace()+"/"+given.GetName(), "/"), bare: kind.empty(), object: kind.empty()}
	for _, typed := range []object{e.bare, e.object} {
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(given.Object, typed); err != nil {
			return fmt.Errorf("reading it: %w", err)
		}
	}
	e.bare.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{})
	w.entries[kind.resource] = append(w.entries[kind.resource], e)
	return nil
}

// complete returns a copy of the objects with the namespaces that they need and with what an API server sets.
func complete(objects []unstructured.Unstructured) []unstructured.Unstructured {
	var completed []unstructured.Unstructured
	var highest uint64
	var youngest metav1.Time
	known, needed := map[string]bool{}, map[string]bool{}
	for _, o := range objects {
		completed = append(completed, *o.DeepCopy())
		if revision, err := strconv.ParseUint(o.GetResourceVersion(), 10, 64); err == nil {
			highest = max(highest, revision)
		}
		if created := o.GetCreationTimestamp(); youngest.Before(&created) {
			youngest = created
		}
		if o.GroupVersionKind() == namespaceKind {
			known[o.GetName()] = true
		} else if o.GetNamespace() != "" && !needed[o.GetNamespace()] {
			needed[o.GetNamespace()] = true
		}
	}
	for _, name := range sortedKeys(needed) {
		if !known[name] {
			completed = append(completed, activeNamespace(name))
		}
	}
	for i := range completed {
		o := &completed[i]
		if o.GetResourceVersion() == "" {
			highest++
			o.SetResourceVersion(strconv.FormatUint(highest, 10))
		}
		if o.GetUID() == "" {
			o.SetUID(uid(o))
		}
		if created := o.GetCreationTimestamp(); created.IsZero() && !youngest.IsZero() {
			o.SetCreationTimestamp(youngest)
		}
	}
	return completed
}

func activeNamespace(name string) unstructured.Unstructured {
	return unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "Namespace",
		"metadata": map[string]any{"name": name, "labels": map[string]any{"kubernetes.io/metadata.name": name}},
		"spec":     map[string]any{"finalizers": []any{"kubernetes"}},
		"status":   map[string]any{"phase": "Active"},
	}}
}

// uid returns a UID that depends on the object's identity only.
func uid(o *unstructured.Unstructured) types.UID {
	sum := sha256.Sum256([]byte(o.GroupVersionKind().String() + "\x00" + o.GetNamespace() + "\x00" + o.GetName()))
	sum[6], sum[8] = sum[6]&0x0f|0x80, sum[8]&0x3f|0x80 // version 8, made by a rule of one's own
	return types.UID(fmt.Sprintf("%x-%x-%x-%x-%x", sum[:4], sum[4:6], sum[6:8], sum[8:10], sum[10:16]))
}

// completeVersion fills in the major and minor version.
func completeVersion(info version.Info) (version.Info, error) {
	if info.GitVersion == "" {
		return newestRecorded()
	}
	parsed, err := utilversion.ParseGeneric(info.GitVersion)
	if err != nil {
		return version.Info{}, fmt.Errorf("reading the server version: %w", err)
	}
	if info.Major == "" {
		info.Major = strconv.FormatUint(uint64(parsed.Major()), 10)
	}
	if info.Minor == "" {
		info.Minor = strconv.FormatUint(uint64(parsed.Minor()), 10)
	}
	return info, nil
}

func sortedKeys(set map[string]bool) []string { return slices.Sorted(maps.Keys(set)) }
