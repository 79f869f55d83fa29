package oplab

import (
	"context"
	"errors"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/labgrader/grader"
)

// Names that the lab text gives.
const (
	Namespace   = "op-leader"
	Widget      = "widget-operator" // the Lease of steps 1, 2, 4 and 5, and the ServiceAccount of step 6
	FirstHolder = "widget-operator-0"
	NextHolder  = "widget-operator-1"
	// WidgetSeconds is the lease duration of the Lease widget-operator, in seconds.
	WidgetSeconds = 15
)

// File is the need for a file of the submission.
func File(name string) grader.Need { return grader.Need{File: name} }

// NamespaceObject is the need for the lab's namespace.
func NamespaceObject() grader.Need {
	return object(schema.GroupVersionKind{Version: "v1", Kind: "Namespace"}, "namespaces", "", Namespace)
}

// Lease is the need for one Lease of the lab's namespace.
func Lease(name string) grader.Need {
	need := Leases()
	need.Objects.Name = name
	return need
}

// Leases is the need for all Leases of the lab's namespace.
func Leases() grader.Need {
	return object(coordinationv1.SchemeGroupVersion.WithKind("Lease"), "leases", Namespace, "")
}

// Object is the need for one object of the lab's namespace.
func Object(gvk schema.GroupVersionKind, resource, name string) grader.Need {
	return object(gvk, resource, Namespace, name)
}

func object(gvk schema.GroupVersionKind, resource, namespace, name string) grader.Need {
	return grader.Need{Objects: &grader.Objects{Kind: gvk, Resource: resource, Namespace: namespace, Name: name}}
}

// Get reads a declared object of the lab's namespace and reports whether it exists.
func Get(ctx context.Context, view *grader.View, name string, obj client.Object) (found bool, err error) {
	return get(ctx, view, client.ObjectKey{Namespace: Namespace, Name: name}, obj)
}

// GetNamespaceless is Get for a kind without namespaces.
func GetNamespaceless(ctx context.Context, view *grader.View, name string, obj client.Object) (found bool, err error) {
	return get(ctx, view, client.ObjectKey{Name: name}, obj)
}

func get(ctx context.Context, view *grader.View, key client.ObjectKey, obj client.Object) (bool, error) {
	err := view.Cluster().Get(ctx, key, obj)
	if apierrors.IsNotFound(err) {
		return false, nil
	}
	return err == nil, err
}

// GetLease reads a declared Lease; it is nil if it does not exist.
func GetLease(ctx context.Context, view *grader.View, name string) (*coordinationv1.Lease, error) {
	lease := &coordinationv1.Lease{}
	found, err := Get(ctx, view, name, lease)
	if err != nil || !found {
		return nil, err
	}
	return lease, nil
}

// Trouble returns err unless it is a finding: for a criterion that can do without a file that another one judges.
func Trouble(err error) error {
	var finding grader.Finding
	if errors.As(err, &finding) {
		return nil
	}
	return err
}
