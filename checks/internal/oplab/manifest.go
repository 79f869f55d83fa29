package oplab

import (
	"fmt"
	"strings"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"example.com/labgrader/grader"
	"example.com/labgrader/grader/submission"
)

// WantedLease is what a Lease manifest of the lab must hold.
type WantedLease struct {
	File        string
	Name        string
	Holder      string
	Seconds     int64
	Transitions *int64            // nil: not asked for
	Times       map[string]Window // by field of spec
}

// FindLease returns the Lease of that name in a file, the last one where there are several, as applying them would.
// A file without it is a Finding.
func FindLease(view *grader.View, file, name string) (submission.Document, error) {
	objects, err := submission.OpenObjects(view, file)
	if err != nil {
		return submission.Document{}, err
	}
	var found *submission.Document
	for i, o := range objects {
		if o.GetKind() == "Lease" && o.GetName() == name {
			found = &objects[i]
		}
	}
	if found == nil {
		var kinds []string
		for _, o := range objects {
			kinds = append(kinds, strings.TrimSpace(o.GetKind()+" "+o.GetName()))
		}
		return submission.Document{}, grader.Misses("manifest.no-lease").At(file, 1).With("name", name).
			Compare("Lease "+name, strings.Join(kinds, ", "))
	}
	return *found, nil
}

// CheckManifest compares a Lease manifest with what the lab wants in it. Times are compared with the moments at which
// written says that the fields may have been written; where it knows none, only their form is judged.
func CheckManifest(view *grader.View, want WantedLease, written func(field string) Moments) ([]grader.Finding, error) {
	lease, err := FindLease(view, want.File, want.Name)
	if err != nil {
		return nil, err
	}
	var findings []grader.Finding
	miss := func(f grader.Finding, path ...string) { findings = append(findings, lease.At(f, path...)) }
	if got := lease.GetAPIVersion(); got != coordinationv1.SchemeGroupVersion.String() {
		miss(grader.Misses("manifest.api-version").Compare(coordinationv1.SchemeGroupVersion.String(), got), "apiVersion")
	}
	if got := lease.GetNamespace(); got != "" && got != Namespace {
		miss(grader.Misses("manifest.namespace").Compare(Namespace, got), "metadata", "namespace")
	}
	wanted := []WantedField{{"holderIdentity", want.Holder}, {"leaseDurationSeconds", want.Seconds}}
	if want.Transitions != nil {
		wanted = append(wanted, WantedField{"leaseTransitions", *want.Transitions})
	}
	for _, w := range wanted {
		if f, wrong := w.Compare(lease, "manifest.field"); wrong {
			findings = append(findings, f)
		}
	}
	for _, field := range []string{"acquireTime", "renewTime"} {
		if window, asked := want.Times[field]; asked {
			if f, wrong := checkTime(lease, field, window, written(field)); wrong {
				miss(f, "spec", field)
			}
		}
	}
	return findings, nil
}

func checkTime(lease submission.Document, field string, window Window, written Moments) (grader.Finding, bool) {
	value, found := Field(lease, field)
	text, isText := value.(string)
	t, ok := ParseMicroTime(text)
	switch {
	case !found || value == nil:
		return grader.Misses("manifest.time-missing").With("field", field), true
	case !isText || !ok:
		return grader.Misses("manifest.time-format").With("field", field).Compare("", Show(value, true)), true
	case len(written) == 0 || written.Fit(t, window):
		return grader.Finding{}, false
	case written.FitZone(t, window):
		return grader.Misses("manifest.local-time").With("field", field).Compare("", text), true
	}
	return grader.Misses("manifest.time-window").With("field", field).
		With("written", FormatMicroTime(written[len(written)-1])).Compare("", text), true
}

// WantedField is a field of spec and its value: a string, or an int64.
type WantedField struct {
	Name  string
	Value any
}

// Compare returns a finding with the code, which has the argument field, if the document has another value there.
func (w WantedField) Compare(d submission.Document, code string) (finding grader.Finding, wrong bool) {
	got, found := Field(d, w.Name)
	if found && got == w.Value {
		return grader.Finding{}, false
	}
	f := grader.Misses(code).With("field", w.Name).Compare(fmt.Sprint(w.Value), Show(got, found))
	return d.At(f, "spec", w.Name), true
}

// Time returns a field of spec that is a MicroTime, and whether it is.
func Time(d submission.Document, name string) (time.Time, bool) {
	value, _ := Field(d, name)
	text, _ := value.(string)
	return ParseMicroTime(text)
}

// Field returns a field of spec.
func Field(d submission.Document, name string) (any, bool) {
	value, found, err := unstructured.NestedFieldNoCopy(d.Object, "spec", name)
	return value, found && err == nil
}

// Show words a value for a finding, with its type where that is what may be wrong.
func Show(value any, found bool) string {
	switch v := value.(type) {
	case nil:
		if !found {
			return ""
		}
		return "(nothing)"
	case string:
		return fmt.Sprintf("%q", v)
	}
	return fmt.Sprint(value)
}
