package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"time"

	"golang.org/x/sync/errgroup"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/version"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"

	"example.com/labgrader/grader"
)

const (
	pageSize   = 200
	maxObjects = 2000
	// maxPages bounds a listing whose pages hold less than was asked for.
	maxPages = 2 * maxObjects / pageSize
)

// State is what a cluster said to the needs of a grading.
type State struct {
	Snapshot *Snapshot
	Answers  map[string]grader.Answer
	// Time is the server's, zero when it never answered.
	Time    time.Time
	Version string
}

// Collect asks the cluster for the objects and probes among the needs, side by side. It always returns a state: what could
// not be learned, also because ctx ended, is recorded in it as trouble.
// answered is called after each need, from several goroutines.
func Collect(ctx context.Context, config *rest.Config, needs []grader.Need, answered func()) *State {
	config, clock := prepare(config)
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return Unreachable(needs, err)
	}
	c := collector{client: client}
	state := &State{}
	captures := make([]Capture, len(needs))
	answers := make([]grader.Answer, len(needs))
	var group errgroup.Group
	group.SetLimit(parallel)
	group.Go(func() error { state.Version = serverVersion(ctx, config); return nil })
	for i, need := range needs {
		switch {
		case need.Objects != nil:
			group.Go(func() error { captures[i] = c.capture(ctx, *need.Objects); answered(); return nil })
		case need.Probe != nil:
			group.Go(func() error { answers[i] = c.ask(ctx, *need.Probe); answered(); return nil })
		}
	}
	_ = group.Wait() // none returns an error
	state.Time = clock.now()
	state.assemble(needs, captures, answers)
	return state
}

// Unreachable is the state of a cluster that could not be asked at all, because of err.
func Unreachable(needs []grader.Need, err error) *State {
	captures := make([]Capture, len(needs))
	answers := make([]grader.Answer, len(needs))
	for i, need := range needs {
		if need.Objects != nil {
			captures[i] = Capture{Objects: *need.Objects, Trouble: err.Error()}
		}
		answers[i] = grader.Answer{Trouble: err.Error()}
	}
	state := &State{}
	state.assemble(needs, captures, answers)
	return state
}

// assemble puts results, in the order of the needs, where they belong.
func (s *State) assemble(needs []grader.Need, captures []Capture, answers []grader.Answer) {
	s.Answers = map[string]grader.Answer{}
	var kept []Capture
	for i, need := range needs {
		switch {
		case need.Objects != nil:
			kept = append(kept, captures[i])
		case need.Probe != nil:
			s.Answers[need.Probe.Name] = answers[i]
		}
	}
	s.Snapshot = NewSnapshot(kept)
}

type collector struct{ client dynamic.Interface }

func (c collector) resource(o grader.Objects) dynamic.ResourceInterface {
	if o.Namespace == "" {
		return c.client.Resource(o.GVR())
	}
	return c.client.Resource(o.GVR()).Namespace(o.Namespace)
}

func (c collector) capture(ctx context.Context, o grader.Objects) Capture {
	if o.Name == "" {
		return c.list(ctx, o)
	}
	capture := Capture{Objects: o}
	object, err := c.get(ctx, o)
	switch {
	case notFound(err):
	case err != nil:
		capture.Trouble = trouble("getting "+o.String(), err)
	default:
		capture.Items = append(capture.Items, *object)
	}
	return capture
}

// get gets the one object. An answer about something else is an error: it says nothing about the object.
func (c collector) get(ctx context.Context, o grader.Objects) (*unstructured.Unstructured, error) {
	object, err := c.resource(o).Get(ctx, o.Name, metav1.GetOptions{})
	if err == nil && (object.GetKind() != o.Kind.Kind || object.GetName() != o.Name) {
		return nil, fmt.Errorf("the server answered with the %s %q instead", object.GetKind(), object.GetName())
	}
	return object, err
}

func (c collector) list(ctx context.Context, o grader.Objects) Capture {
	capture := Capture{Objects: o}
	options := metav1.ListOptions{Limit: pageSize}
	for range maxPages {
		page, err := c.resource(o).List(ctx, options)
		if err == nil && page.GetKind() != o.Kind.Kind+"List" {
			err = fmt.Errorf("the server answered with a %s instead", page.GetKind()) // it would count as an empty list
		}
		if err != nil {
			return Capture{Objects: o, Trouble: trouble("listing "+o.String(), err)}
		}
		for _, item := range page.Items {
			if item.GetKind() == "" { // items of a list may leave it out
				item.SetGroupVersionKind(o.Kind)
			}
			capture.Items = append(capture.Items, item)
		}
		if len(capture.Items) > maxObjects {
			return Capture{Objects: o, Trouble: fmt.Sprintf("listing %s: there are more than %d", o, maxObjects)}
		}
		options.Continue = page.GetContinue()
		if options.Continue == "" {
			return capture
		}
	}
	return Capture{Objects: o, Trouble: fmt.Sprintf("listing %s: it does not end after %d pages", o, maxPages)}
}

// trouble words an error of a request. The address of the server stays in it, the path and the query go.
func trouble(doing string, err error) string {
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		if at, parseErr := url.Parse(wrapped.URL); parseErr == nil {
			err = fmt.Errorf("asking %s://%s: %w", at.Scheme, at.Host, wrapped.Err)
		}
	}
	return fmt.Sprintf("%s: %s", doing, err)
}

// notFound reports whether the API server itself says that the object does not exist. A 404 without a Status of its
// own, as from a proxy, another web server, or an API server without the resource, says nothing about the object.
func notFound(err error) bool { return apierrors.IsNotFound(err) && !madeUp(err) }

// madeUp reports whether client-go made up the error's Status, because the response had none.
func madeUp(err error) bool {
	return apierrors.HasStatusCause(err, metav1.CauseTypeUnexpectedServerResponse)
}

// serverVersion returns the version that the server says it is, or nothing: no verdict depends on it.
func serverVersion(ctx context.Context, config *rest.Config) string {
	config = rest.CopyConfig(config)
	config.NegotiatedSerializer = scheme.Codecs.WithoutConversion()
	client, err := rest.UnversionedRESTClientFor(config)
	if err != nil {
		return ""
	}
	body, err := client.Get().AbsPath("/version").Do(ctx).Raw()
	if err != nil {
		return ""
	}
	var info version.Info
	if json.Unmarshal(body, &info) != nil {
		return ""
	}
	return info.GitVersion
}
