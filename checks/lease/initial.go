package lease

import (
	"context"

	coordinationv1 "k8s.io/api/coordination/v1"

	"example.com/labgrader/checks/internal/oplab"
	"example.com/labgrader/grader"
	"example.com/labgrader/grader/submission"
)

func initial(ctx context.Context, view *grader.View) ([]grader.Finding, error) {
	saved, err := savedLease(view)
	if err != nil {
		return nil, err
	}
	if saved.GetUID() == "" || saved.GetResourceVersion() == "" || saved.GetCreationTimestamp().Time.IsZero() {
		return nil, saved.At(grader.Misses("lease.initial-copy"), "metadata")
	}
	findings, err := savedState(view, saved)
	if err != nil {
		return nil, err
	}
	lease, err := oplab.GetLease(ctx, view, oplab.Widget)
	if err != nil {
		return nil, err
	}
	if lease != nil {
		findings = append(findings, origin(saved, lease)...)
	}
	return grader.MeetsUnless(findings...), nil
}

// savedLease returns the one Lease that the file should hold.
func savedLease(view *grader.View) (submission.Document, error) {
	documents, err := submission.OpenDocuments(view, initialFile)
	if err != nil {
		return submission.Document{}, err
	}
	first := documents[0]
	switch {
	case first.GetKind() == "List" || first.GetKind() == "LeaseList":
		return first, first.At(grader.Misses("lease.initial-list"), "kind")
	case len(documents) > 1:
		return first, documents[1].At(grader.Misses("lease.initial-several"))
	case first.GetKind() != "Lease" || first.GetName() != oplab.Widget || first.GetAPIVersion() != coordinationv1.SchemeGroupVersion.String():
		return first, first.At(grader.Misses("lease.initial-other"), "kind").Compare("Lease "+oplab.Widget, first.GetKind()+" "+first.GetName())
	case first.GetNamespace() != oplab.Namespace:
		return first, first.At(grader.Misses("lease.initial-namespace"), "metadata", "namespace").Compare(oplab.Namespace, first.GetNamespace())
	}
	return first, nil
}

// savedState compares the saved fields with step 1, and the times with the manifest and each other.
func savedState(view *grader.View, saved submission.Document) ([]grader.Finding, error) {
	holder, _ := oplab.Field(saved, "holderIdentity")
	if holder == oplab.NextHolder {
		return []grader.Finding{saved.At(grader.Misses("lease.initial-late"), "spec", "holderIdentity")}, nil
	}
	var findings []grader.Finding
	for _, want := range []oplab.WantedField{{Name: "holderIdentity", Value: oplab.FirstHolder}, {Name: "leaseDurationSeconds", Value: int64(oplab.WidgetSeconds)}, {Name: "leaseTransitions", Value: int64(0)}} {
		if f, wrong := want.Compare(saved, "lease.initial-field"); wrong {
			findings = append(findings, f)
		}
	}
	acquired, acquiredOK := oplab.Time(saved, "acquireTime")
	renewed, renewedOK := oplab.Time(saved, "renewTime")
	switch {
	case !acquiredOK || !renewedOK:
		return append(findings, saved.At(grader.Misses("lease.initial-times"), "spec")), nil
	case renewed.Before(acquired):
		findings = append(findings, saved.At(grader.Misses("lease.initial-order"), "spec", "renewTime"))
	}
	written, err := oplab.FindLease(view, manifestFile, oplab.Widget)
	if err != nil {
		return findings, oplab.Trouble(err) // the criterion about the manifest says what is wrong with it
	}
	if asked, ok := oplab.Time(written, "acquireTime"); ok && !asked.Equal(acquired) {
		f := grader.Misses("lease.initial-acquire").Compare(oplab.FormatMicroTime(asked), oplab.FormatMicroTime(acquired))
		findings = append(findings, saved.At(f, "spec", "acquireTime"))
	}
	return findings, nil
}

// origin compares what only the server can give with the live Lease.
func origin(saved submission.Document, lease *coordinationv1.Lease) []grader.Finding {
	if saved.GetUID() != lease.UID {
		return []grader.Finding{saved.At(grader.Notes("lease.recreated"), "metadata", "uid").Compare(string(lease.UID), string(saved.GetUID()))}
	}
	created := saved.GetCreationTimestamp()
	if !created.Time.Equal(lease.CreationTimestamp.Time) {
		f := grader.Misses("lease.initial-contradicted").Compare(lease.CreationTimestamp.UTC().Format("2006-01-02T15:04:05Z"), created.UTC().Format("2006-01-02T15:04:05Z"))
		return []grader.Finding{saved.At(f, "metadata", "creationTimestamp")}
	}
	return nil
}
