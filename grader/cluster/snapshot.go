package cluster

import (
	"context"
	"errors"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	"example.com/labgrader/grader"
)

// Capture is what was found when one need for objects was asked of the API server.
type Capture struct {
	Objects grader.Objects
	Items   []unstructured.Unstructured
	// Trouble says why the server gave no answer. Items mean nothing then.
	Trouble string
}

// Snapshot answers from captures; it implements client.Reader. An object that was looked for and not found is NotFound;
// one that nobody looked for, or that the server gave no answer about, is another error.
type Snapshot struct{ captures []Capture }

var _ client.Reader = (*Snapshot)(nil)

// NewSnapshot returns a snapshot of the captures, which must not change after.
func NewSnapshot(captures []Capture) *Snapshot { return &Snapshot{captures: captures} }

// Captures returns what the snapshot holds.
func (s *Snapshot) Captures() []Capture { return s.captures }

// Get fills obj with the captured object of its type. Options are not supported.
func (s *Snapshot) Get(_ context.Context, key client.ObjectKey, obj client.Object, opts ...client.GetOption) error {
	if len(opts) > 0 {
		return errors.New("getting from the snapshot: options are not supported")
	}
	capture, err := s.find(obj, "", key.Namespace, key.Name)
	if err != nil {
		return err
	}
	for _, item := range capture.Items {
		if item.GetName() == key.Name {
			return convert(&item, obj)
		}
	}
	return apierrors.NewNotFound(capture.Objects.GVR().GroupResource(), key.Name)
}

// List fills list with the captured objects of its type in a namespace, the one option that is supported.
func (s *Snapshot) List(_ context.Context, list client.ObjectList, opts ...client.ListOption) error {
	options := (&client.ListOptions{}).ApplyOptions(opts)
	if options.LabelSelector != nil || options.FieldSelector != nil || options.Limit != 0 || options.Continue != "" {
		return errors.New("listing from the snapshot: selectors and paging are not supported")
	}
	capture, err := s.find(list, "List", options.Namespace, "")
	if err != nil {
		return err
	}
	objects := make([]runtime.Object, 0, len(capture.Items))
	_, untyped := list.(*unstructured.UnstructuredList)
	for _, item := range capture.Items {
		var object runtime.Object = &unstructured.Unstructured{}
		if !untyped {
			if object, err = scheme.Scheme.New(capture.Objects.Kind); err != nil {
				return fmt.Errorf("listing from the snapshot: %w", err)
			}
		}
		if err := convert(&item, object); err != nil {
			return err
		}
		objects = append(objects, object)
	}
	return meta.SetList(list, objects)
}

// find returns the capture that covers an object, or with an empty name a list.
func (s *Snapshot) find(obj runtime.Object, suffix, namespace, name string) (*Capture, error) {
	gvk, err := apiutil.GVKForObject(obj, scheme.Scheme)
	if err != nil {
		return nil, fmt.Errorf("reading the snapshot: %w", err)
	}
	gvk.Kind = strings.TrimSuffix(gvk.Kind, suffix)
	for i := range s.captures {
		c := &s.captures[i]
		covers := c.Objects.Name == "" || c.Objects.Name == name
		if c.Objects.Kind != gvk || c.Objects.Namespace != namespace || !covers {
			continue
		}
		if c.Trouble != "" {
			return nil, errors.New(c.Trouble)
		}
		return c, nil
	}
	return nil, fmt.Errorf("reading the snapshot: %s %s/%s was not captured", gvk.Kind, namespace, name)
}

func convert(from *unstructured.Unstructured, to runtime.Object) error {
	if u, ok := to.(*unstructured.Unstructured); ok {
		from.DeepCopyInto(u)
		return nil
	}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(from.Object, to); err != nil {
		return fmt.Errorf("reading the snapshot: %w", err)
	}
	return nil
}
