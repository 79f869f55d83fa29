package grader

import (
	"fmt"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// Need is one thing that a criterion reads. Exactly one field is set. Collection gathers the union of the needs of the
// criteria to be graded and nothing else; reading what is not declared is an error.
type Need struct {
	File    string   // base name of a file of the submission
	Objects *Objects // objects of the cluster
	Probe   *Probe   // a question to the API server that changes nothing
	Trial   *Trial   // a run of a script of the submission
}

// Objects names one object, or with an empty Name all objects of a kind in a namespace.
// Namespace is empty for a kind that has none.
type Objects struct {
	Kind      schema.GroupVersionKind
	Resource  string // plural, as in the API path
	Namespace string
	Name      string
}

// GVR returns the group, version and resource under which the API server serves the objects.
func (o Objects) GVR() schema.GroupVersionResource {
	return o.Kind.GroupVersion().WithResource(o.Resource)
}

// String names the objects as kubectl users would: "leases.coordination.k8s.io op-leader/widget-operator".
func (o Objects) String() string {
	resource := o.GVR().GroupResource().String()
	switch {
	case o.Namespace == "":
		return resource + " " + o.Name
	case o.Name == "":
		return resource + " in " + o.Namespace
	}
	return fmt.Sprintf("%s %s/%s", resource, o.Namespace, o.Name)
}

// Probe asks the API server something without changing it. Exactly one of DryRun and Access is set.
// Probes are told apart by Name.
type Probe struct {
	Name   string
	DryRun *DryRun
	Access *Access
}

// DryRun sends a patch with dryRun=All, to learn this very server's answer to it. Where the object does not exist
// nothing is sent, and the answer says so.
type DryRun struct {
	Object       Objects
	Type         types.PatchType
	Body         string // JSON
	FieldManager string
}

// Access asks by SubjectAccessReview whether a subject may use a verb on a resource in a namespace. Usually says what a
// finished step answers: while the answer differs, collection asks again for a moment, since authorizers cache rules.
type Access struct {
	User      string
	Groups    []string
	Verb      string
	Group     string
	Resource  string
	Namespace string
	Usually   bool
}

// key identifies a need: equal needs have equal keys.
func (n Need) key() string {
	switch {
	case n.File != "":
		return "file " + n.File
	case n.Objects != nil:
		return "objects " + n.Objects.String()
	case n.Probe != nil:
		return "probe " + n.Probe.Name
	case n.Trial != nil:
		return "trial " + n.Trial.Name
	}
	return ""
}
