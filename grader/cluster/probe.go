package cluster

import (
	"context"
	"errors"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/utils/ptr"

	"example.com/labgrader/grader"
)

var accessReviews = schema.GroupVersionResource{Group: "authorization.k8s.io", Version: "v1", Resource: "subjectaccessreviews"}

// settling is how often, and how far apart, an unusual answer of an authorizer is asked for again.
var settling = wait.Backoff{Steps: 4, Duration: 200 * time.Millisecond, Factor: 2}

func (c collector) ask(ctx context.Context, probe grader.Probe) grader.Answer {
	switch {
	case probe.DryRun != nil:
		return c.dryRun(ctx, *probe.DryRun)
	case probe.Access != nil:
		return c.review(ctx, *probe.Access)
	}
	return grader.Answer{Trouble: fmt.Sprintf("asking %s: the probe is empty", probe.Name)}
}

// dryRun sends the patch if its object exists: an apply would else try to create it.
func (c collector) dryRun(ctx context.Context, d grader.DryRun) grader.Answer {
	_, err := c.get(ctx, d.Object)
	if notFound(err) {
		return grader.Answer{Absent: true}
	}
	if err != nil {
		return grader.Answer{Trouble: trouble("getting "+d.Object.String(), err)}
	}
	options := metav1.PatchOptions{DryRun: []string{metav1.DryRunAll}, FieldManager: d.FieldManager}
	if d.Type == types.ApplyPatchType {
		options.Force = ptr.To(false)
	}
	_, err = c.resource(d.Object).Patch(ctx, d.Object.Name, d.Type, []byte(d.Body), options)
	if err == nil {
		return grader.Answer{Allowed: true}
	}
	var status apierrors.APIStatus
	refused := apierrors.IsInvalid(err) || apierrors.IsBadRequest(err) || apierrors.IsConflict(err)
	if !refused || madeUp(err) || !errors.As(err, &status) {
		return grader.Answer{Trouble: trouble("dry-running a patch of "+d.Object.String(), err)}
	}
	return grader.Answer{Code: status.Status().Code, Message: status.Status().Message}
}

// review asks an access review, again for a moment while the answer is not the usual one: an authorizer may not have
// seen the newest rules yet.
func (c collector) review(ctx context.Context, a grader.Access) grader.Answer {
	var answer grader.Answer
	err := wait.ExponentialBackoffWithContext(ctx, settling, func(ctx context.Context) (bool, error) {
		answer = c.reviewOnce(ctx, a)
		return answer.Trouble != "" || answer.Allowed == a.Usually, nil
	}) // an error means that the answer stays unusual, or that there was no time to ask
	if err != nil && ctx.Err() != nil {
		return grader.Answer{Trouble: trouble("reviewing the access of "+a.User, ctx.Err())}
	}
	return answer
}

func (c collector) reviewOnce(ctx context.Context, a grader.Access) grader.Answer {
	groups := make([]any, len(a.Groups))
	for i, group := range a.Groups {
		groups[i] = group
	}
	request := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": accessReviews.GroupVersion().String(), "kind": "SubjectAccessReview",
		"spec": map[string]any{
			"user": a.User, "groups": groups,
			"resourceAttributes": map[string]any{"verb": a.Verb, "group": a.Group, "resource": a.Resource, "namespace": a.Namespace},
		},
	}}
	review, err := c.client.Resource(accessReviews).Create(ctx, request, metav1.CreateOptions{})
	if err != nil {
		return grader.Answer{Trouble: trouble("reviewing the access of "+a.User, err)}
	}
	allowed, found, err := unstructured.NestedBool(review.Object, "status", "allowed")
	if err != nil || !found {
		return grader.Answer{Trouble: fmt.Sprintf("reviewing the access of %s: the answer has no status", a.User)}
	}
	return grader.Answer{Allowed: allowed}
}
