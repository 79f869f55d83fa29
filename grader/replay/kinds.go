package replay

import (
	"fmt"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// object is one of the API types that are served. They, and not unstructured objects, are what is marshalled: so the
// fields come in the order in which a real server sends them.
type object interface {
	runtime.Object
	metav1.Object
}

// kind is one that is served.
type kind struct {
	kind       schema.GroupVersionKind
	resource   schema.GroupVersionResource
	namespaced bool
	empty      func() object
	columns    func(minor int) []column
	// labels are the field labels that may be selected by. Empty means the usual ones.
	labels []string
	// alwaysEmpty kinds are those that kubectl describe asks for on the way. No world holds any.
	alwaysEmpty bool
}

var namespaceKind = schema.GroupVersionKind{Version: "v1", Kind: "Namespace"}

// kinds returns all that is served.
func kinds() []kind {
	core := schema.GroupVersion{Version: "v1"}
	lease := coordinationv1.SchemeGroupVersion
	rbac := rbacv1.SchemeGroupVersion
	return []kind{
		{kind: namespaceKind, resource: core.WithResource("namespaces"), columns: namespaceColumns, labels: []string{"metadata.name", "status.phase"},
			empty: func() object { return &corev1.Namespace{} }},
		{kind: core.WithKind("ConfigMap"), resource: core.WithResource("configmaps"), namespaced: true, columns: configMapColumns,
			empty: func() object { return &corev1.ConfigMap{} }},
		{kind: core.WithKind("ServiceAccount"), resource: core.WithResource("serviceaccounts"), namespaced: true, columns: serviceAccountColumns,
			empty: func() object { return &corev1.ServiceAccount{} }},
		{kind: lease.WithKind("Lease"), resource: lease.WithResource("leases"), namespaced: true, columns: leaseColumns,
			empty: func() object { return &coordinationv1.Lease{} }},
		{kind: rbac.WithKind("Role"), resource: rbac.WithResource("roles"), namespaced: true, columns: plainColumns,
			empty: func() object { return &rbacv1.Role{} }},
		{kind: rbac.WithKind("RoleBinding"), resource: rbac.WithResource("rolebindings"), namespaced: true, columns: roleBindingColumns,
			empty: func() object { return &rbacv1.RoleBinding{} }},

		{kind: core.WithKind("Event"), resource: core.WithResource("events"), namespaced: true, columns: plainColumns, alwaysEmpty: true,
			labels: []string{"involvedObject.kind", "involvedObject.namespace", "involvedObject.name", "involvedObject.uid", "involvedObject.apiVersion",
				"involvedObject.resourceVersion", "involvedObject.fieldPath", "reason", "reportingComponent", "source", "type", "metadata.namespace", "metadata.name"},
			empty: func() object { return &corev1.Event{} }},
		{kind: core.WithKind("LimitRange"), resource: core.WithResource("limitranges"), namespaced: true, columns: plainColumns, alwaysEmpty: true,
			empty: func() object { return &corev1.LimitRange{} }},
		{kind: core.WithKind("ResourceQuota"), resource: core.WithResource("resourcequotas"), namespaced: true, columns: plainColumns, alwaysEmpty: true,
			empty: func() object { return &corev1.ResourceQuota{} }},
	}
}

func kindOf(gvk schema.GroupVersionKind) (kind, bool) {
	for _, k := range kinds() {
		if k.kind == gvk {
			return k, true
		}
	}
	return kind{}, false
}

func kindServedAs(resource schema.GroupVersionResource) (kind, bool) {
	for _, k := range kinds() {
		if k.resource == resource {
			return k, true
		}
	}
	return kind{}, false
}

// checkLabel returns the API server's sentence if objects of the kind cannot be selected by the field.
func (k kind) checkLabel(label string) error {
	if len(k.labels) == 0 {
		if label == "metadata.name" || label == "metadata.namespace" {
			return nil
		}
		return fmt.Errorf("%q is not a known field selector: only %q, %q", label, "metadata.name", "metadata.namespace")
	}
	for _, known := range k.labels {
		if label == known {
			return nil
		}
	}
	return fmt.Errorf("field label not supported: %s", label)
}

// fieldsOf returns the values of the fields that an object may be selected by.
func fieldsOf(o object) fields.Set {
	set := fields.Set{"metadata.name": o.GetName(), "metadata.namespace": o.GetNamespace()}
	if namespace, ok := o.(*corev1.Namespace); ok {
		set["status.phase"] = string(namespace.Status.Phase)
	}
	return set
}
