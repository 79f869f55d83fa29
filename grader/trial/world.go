package trial

import (
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/version"

	"example.com/labgrader/grader"
	"example.com/labgrader/grader/replay"
)

// server makes an API server for a world, with ages counted back from now.
func server(serverVersion string, world grader.World, now time.Time) (*replay.Server, error) {
	objects := []unstructured.Unstructured{{Object: map[string]any{
		"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": "op-leader"},
		"spec": map[string]any{"finalizers": []any{"kubernetes"}}, "status": map[string]any{"phase": "Active"},
	}}}
	for _, lease := range world.Leases {
		lease := *dated(lease, now)
		content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&lease.Lease)
		if err != nil {
			return nil, fmt.Errorf("making a world: %w", err)
		}
		object := unstructured.Unstructured{Object: content}
		object.SetAPIVersion("coordination.k8s.io/v1")
		object.SetKind("Lease")
		objects = append(objects, object)
	}
	w, err := replay.NewWorld(version.Info{GitVersion: serverVersion}, objects)
	if err != nil {
		return nil, err
	}
	return replay.NewServer(w)
}

// dated returns the lease with the times that its ages mean.
func dated(lease grader.WorldLease, now time.Time) *grader.WorldLease {
	lease.Lease = *lease.DeepCopy()
	at := func(age *time.Duration, field **metav1.MicroTime) {
		if age != nil {
			*field = &metav1.MicroTime{Time: now.Add(-*age)}
		}
	}
	at(lease.Renewed, &lease.Spec.RenewTime)
	at(lease.Acquired, &lease.Spec.AcquireTime)
	return &lease
}
