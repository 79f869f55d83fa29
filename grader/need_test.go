package grader

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

func TestObjectsAreNamedAsKubectlNamesThem(t *testing.T) {
	lease := schema.GroupVersionKind{Group: "coordination.k8s.io", Version: "v1", Kind: "Lease"}
	for want, objects := range map[string]Objects{
		"leases.coordination.k8s.io op-leader/widget": {Kind: lease, Resource: "leases", Namespace: "op-leader", Name: "widget"},
		"leases.coordination.k8s.io in op-leader":     {Kind: lease, Resource: "leases", Namespace: "op-leader"},
		"pods op-leader/a":                            {Kind: schema.GroupVersionKind{Version: "v1", Kind: "Pod"}, Resource: "pods", Namespace: "op-leader", Name: "a"},
		"namespaces op-leader":                        {Kind: schema.GroupVersionKind{Version: "v1", Kind: "Namespace"}, Resource: "namespaces", Name: "op-leader"},
	} {
		assert.Equal(t, want, objects.String())
	}
}

func TestGVRIsWhereTheServerServesTheObjects(t *testing.T) {
	objects := Objects{Kind: schema.GroupVersionKind{Group: "coordination.k8s.io", Version: "v1", Kind: "Lease"}, Resource: "leases", Namespace: "n"}
	assert.Equal(t, schema.GroupVersionResource{Group: "coordination.k8s.io", Version: "v1", Resource: "leases"}, objects.GVR())
}

// Collection gathers each key once: needs that share one would hide each other.
func TestKeysTellNeedsApart(t *testing.T) {
	kind := schema.GroupVersionKind{Version: "v1", Kind: "Pod"}
	needs := []Need{
		{File: "a"}, {File: "b"},
		{Objects: &Objects{Kind: kind, Resource: "pods", Namespace: "n", Name: "a"}},
		{Objects: &Objects{Kind: kind, Resource: "pods", Namespace: "n", Name: "b"}},
		{Objects: &Objects{Kind: kind, Resource: "pods", Namespace: "m", Name: "a"}},
		{Objects: &Objects{Kind: kind, Resource: "pods", Namespace: "n"}},
		{Objects: &Objects{Kind: kind, Resource: "nodes", Name: "a"}},
		{Probe: &Probe{Name: "a"}}, {Probe: &Probe{Name: "b"}},
		{Trial: &Trial{Name: "a"}}, {Trial: &Trial{Name: "b"}},
	}
	keys := map[string]bool{}
	for _, need := range needs {
		assert.NotEmpty(t, need.key())
		keys[need.key()] = true
	}
	assert.Len(t, keys, len(needs))
}
