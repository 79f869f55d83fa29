// Package splitbrain checks step 7: two managers apply different values to one field.
//
// Its rule: who owns the field is read from the object's managedFields, never from what a file says.
package splitbrain

import (
	"context"
	"embed"
	"errors"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"example.com/labgrader/checks/internal/oplab"
	"example.com/labgrader/grader"
	"example.com/labgrader/grader/submission"
)

//go:embed messages.*.yaml
var messages embed.FS

const (
	objectName  = "order-1"
	firstFile   = "child-a.yaml"
	secondFile  = "child-b.yaml"
	resultFile  = "split-brain.txt"
	firstPhase  = "A"
	secondPhase = "B"
	// probeName is the dry run that asks for the conflict.
	probeName = "conflicting-apply"
)

// Check returns the check of step 7.
func Check() grader.Check {
	order := oplab.Object(corev1.SchemeGroupVersion.WithKind("ConfigMap"), "configmaps", objectName)
	probe := grader.Need{Probe: &grader.Probe{Name: probeName, DryRun: &grader.DryRun{
		Object: *order.Objects, Type: types.ApplyPatchType, FieldManager: oplab.NextHolder,
		Body: `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"order-1","namespace":"op-leader"},"data":{"phase":"B"}}`,
	}}}
	return grader.Check{
		Step: 7, Name: "splitbrain", Title: "With two leaders, they fight over the same field", Messages: messages,
		Criteria: []grader.Criterion{
			{
				Name: "manifests", Points: 2,
				Doc:   "Two manifests want different values\n\nchild-a.yaml and child-b.yaml hold the ConfigMap order-1 with data.phase A and B.",
				Needs: []grader.Need{oplab.File(firstFile), oplab.File(secondFile)},
				Run:   manifests,
			},
			{
				Name: "live", Points: 3.5,
				Doc:   "The first manager still owns the field\n\nThe live ConfigMap has phase A, and its managedFields say that widget-operator-0 applied it server-side. widget-operator-1 does not own it with another value.",
				Needs: []grader.Need{order},
				Run:   live,
			},
			{
				Name: "return-code", Points: 2,
				Doc:   "The refused apply's exit code is there\n\nsplit-brain.txt has one line apply-b-rc= with an exit code that is not 0.",
				Needs: []grader.Need{oplab.File(resultFile)},
				Run:   returnCode,
			},
			{
				Name: "conflict", Points: 3,
				Doc: "The server's conflict is there as it was\n\nsplit-brain.txt has the sentence in which this server reports the conflict over .data.phase with widget-operator-0. " +
					"More conflicting fields beside it do no harm; kubectl's advice alone is not the sentence.",
				Needs: []grader.Need{oplab.File(resultFile), probe},
				Run:   conflict,
			},
			{
				Name: "final", Points: 2,
				Doc:   "The last line has the final value\n\nThe last line of split-brain.txt is final-phase= and the value that the live ConfigMap still has.",
				Needs: []grader.Need{oplab.File(resultFile), order},
				Run:   final,
			},
		},
	}
}

func manifests(_ context.Context, view *grader.View) ([]grader.Finding, error) {
	var findings []grader.Finding
	for _, want := range []struct{ file, phase string }{{firstFile, firstPhase}, {secondFile, secondPhase}} {
		found, err := manifest(view, want.file, want.phase)
		var finding grader.Finding
		switch {
		case errors.As(err, &finding):
			found = []grader.Finding{finding}
		case err != nil:
			return nil, err
		}
		findings = append(findings, found...)
	}
	return grader.MeetsUnless(findings...), nil
}

func manifest(view *grader.View, file, phase string) ([]grader.Finding, error) {
	objects, err := submission.OpenObjects(view, file)
	if err != nil {
		return nil, err
	}
	for _, o := range objects {
		if o.GetKind() != "ConfigMap" || o.GetName() != objectName {
			continue
		}
		var findings []grader.Finding
		if got := o.GetAPIVersion(); got != "v1" {
			findings = append(findings, o.At(grader.Misses("manifest.api-version").Compare("v1", got), "apiVersion"))
		}
		if ns := o.GetNamespace(); ns != "" && ns != oplab.Namespace {
			findings = append(findings, o.At(grader.Misses("splitbrain.manifest-namespace").Compare(oplab.Namespace, ns), "metadata", "namespace"))
		}
		if got, _, _ := unstructured.NestedFieldNoCopy(o.Object, "data", "phase"); got != phase {
			findings = append(findings, o.At(grader.Misses("splitbrain.manifest-phase").Compare(phase, oplab.Show(got, got != nil)), "data", "phase"))
		}
		return findings, nil
	}
	return []grader.Finding{grader.Misses("splitbrain.manifest-missing").At(file, 0).With("file", file)}, nil
}

func live(ctx context.Context, view *grader.View) ([]grader.Finding, error) {
	order := &corev1.ConfigMap{}
	found, err := oplab.Get(ctx, view, objectName, order)
	if err != nil {
		return nil, err
	}
	if !found {
		return nil, grader.Misses("splitbrain.live-missing")
	}
	phase := order.Data["phase"]
	owners := oplab.Owners(order, "data", "phase")
	if phase == firstPhase && applied(owners, oplab.FirstHolder) {
		return grader.MeetsUnless(), nil
	}
	var names []string
	for _, owner := range owners {
		names = append(names, owner.Manager+" ("+string(owner.Operation)+")")
	}
	f := grader.Misses(ownerFault(phase, owners)).With("owners", strings.Join(names, ", "))
	return nil, f.Compare(firstPhase, phase)
}

// ownerFault tells from the value and its owners which way the step went wrong.
func ownerFault(phase string, owners []metav1.ManagedFieldsEntry) string {
	switch {
	case phase == secondPhase && applied(owners, oplab.NextHolder):
		return "splitbrain.overwritten"
	case phase == secondPhase && applied(owners, oplab.FirstHolder):
		return "splitbrain.same-manager"
	case phase == secondPhase && len(owners) > 0:
		return "splitbrain.client-side-b"
	case phase == firstPhase && len(owners) > 0 && owners[0].Operation == metav1.ManagedFieldsOperationApply:
		return "splitbrain.other-manager"
	case phase == firstPhase && len(owners) > 0:
		return "splitbrain.client-side-a"
	}
	return "splitbrain.live-phase"
}

// applied reports whether the manager owns the field by server-side apply.
func applied(owners []metav1.ManagedFieldsEntry, manager string) bool {
	for _, owner := range owners {
		if owner.Manager == manager && owner.Operation == metav1.ManagedFieldsOperationApply {
			return true
		}
	}
	return false
}
