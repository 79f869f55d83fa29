package solve

import (
	"context"
	"errors"
	"fmt"
	"os"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
)

// namespaces are where a solution may have left objects: the lab's, and the one it gets by forgetting -n.
func namespaces() []string { return []string{"op-leader", metav1.NamespaceDefault} }

// resources are what the lab creates in a namespace.
func resources() []schema.GroupVersionResource {
	return []schema.GroupVersionResource{
		coordinationv1.SchemeGroupVersion.WithResource("leases"),
		corev1.SchemeGroupVersion.WithResource("configmaps"),
		corev1.SchemeGroupVersion.WithResource("serviceaccounts"),
		rbacv1.SchemeGroupVersion.WithResource("rolebindings"),
		rbacv1.SchemeGroupVersion.WithResource("roles"),
	}
}

// Reset brings cluster and directory back to where nothing was done. No controllers run to empty a deleted namespace, so
// that is done here: its objects go first, then its finalizer.
func (s *Session) Reset(ctx context.Context) error {
	client, err := dynamic.NewForConfig(s.plane.Config)
	if err != nil {
		return fmt.Errorf("resetting the lab: %w", err)
	}
	var errs []error
	for _, namespace := range namespaces() {
		for _, resource := range resources() {
			errs = append(errs, gone(client.Resource(resource).Namespace(namespace).DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{})))
		}
	}
	errs = append(errs, removeNamespace(ctx, client.Resource(corev1.SchemeGroupVersion.WithResource("namespaces"))))
	errs = append(errs, os.RemoveAll(s.Dir()), os.Mkdir(s.Dir(), 0o755))
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("resetting the lab: %w", err)
	}
	return nil
}

func removeNamespace(ctx context.Context, client dynamic.NamespaceableResourceInterface) error {
	if err := gone(client.Delete(ctx, "op-leader", metav1.DeleteOptions{})); err != nil {
		return err
	}
	namespace, err := client.Get(ctx, "op-leader", metav1.GetOptions{})
	if err != nil {
		return gone(err)
	}
	unstructured.RemoveNestedField(namespace.Object, "spec", "finalizers")
	_, err = client.Update(ctx, namespace, metav1.UpdateOptions{}, "finalize")
	return gone(err)
}

// gone forgives an object that is not there.
func gone(err error) error {
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}
