package checks_test

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"pgregory.net/rapid"

	"example.com/labgrader/checks"
	"example.com/labgrader/grader"
	"example.com/labgrader/grader/cluster"
	"example.com/labgrader/grader/gradertest"
)

// work is a submission that may be changed: files by name, and what the cluster has.
type work struct {
	files    map[string]string
	captures []cluster.Capture
	answers  map[string]grader.Answer
}

// reference returns a loader of the recorded reference solution.
func reference(t *testing.T) func() *work {
	t.Helper()
	c, err := gradertest.Load(filepath.Join(fixtures, "corpus", "expiry", "pass-reference.txtar"))
	require.NoError(t, err)
	return func() *work {
		evidence := c.Bundle.Evidence()
		w := &work{files: map[string]string{}, answers: evidence.Answers}
		for name, file := range evidence.Files {
			w.files[name] = string(file.Data)
		}
		for _, capture := range evidence.Cluster.(*cluster.Snapshot).Captures() {
			var items []unstructured.Unstructured
			for _, item := range capture.Items {
				items = append(items, *item.DeepCopy())
			}
			capture.Items = items
			w.captures = append(w.captures, capture)
		}
		return w
	}
}

// evidence returns the work as evidence. A file without an entry is missing.
func (w *work) evidence() *grader.Evidence {
	e := &grader.Evidence{Files: map[string]grader.File{}, Cluster: cluster.NewSnapshot(w.captures), Answers: w.answers}
	for _, need := range checks.Lab().Needs() {
		if need.File == "" {
			continue
		}
		data, there := w.files[need.File]
		file := grader.File{Name: need.File, State: grader.FileMissing}
		if there {
			file = grader.File{Name: need.File, State: grader.FilePresent, Data: []byte(data)}
		}
		e.Files[need.File] = file
	}
	return e
}

// grade judges all but the scripts, which need trials.
func (w *work) grade() grader.Report {
	return grader.Grade(gradertest.WithoutTrials(checks.Lab()), w.evidence(), grader.Options{})
}

// each calls f for every captured object of the kind and name; no name means all.
func (w *work) each(kind, name string, f func(o *unstructured.Unstructured)) {
	for i := range w.captures {
		for j := range w.captures[i].Items {
			if o := &w.captures[i].Items[j]; o.GetKind() == kind && (name == "" || o.GetName() == name) {
				f(o)
			}
		}
	}
}

// remove takes the object out of every capture.
func (w *work) remove(kind, name string) {
	for i := range w.captures {
		w.captures[i].Items = slices.DeleteFunc(w.captures[i].Items, func(o unstructured.Unstructured) bool {
			return o.GetKind() == kind && o.GetName() == name
		})
	}
}

// replace replaces a pattern in a file, which must be there.
func (w *work) replace(r *rapid.T, name, pattern, by string) {
	re := regexp.MustCompile(pattern)
	if !re.MatchString(w.files[name]) {
		r.Fatalf("%s has no %s", name, pattern)
	}
	w.files[name] = re.ReplaceAllString(w.files[name], by)
}

// set sets a field of spec of a Lease.
func (w *work) set(lease, field string, value any) {
	w.each("Lease", lease, func(o *unstructured.Unstructured) {
		if err := unstructured.SetNestedField(o.Object, value, "spec", field); err != nil {
			panic(err)
		}
	})
}

// wrote dates the creation of a Lease, and the managers' writes of its fields.
func (w *work) wrote(lease string, created time.Time, writes map[string]time.Time) {
	w.each("Lease", lease, func(o *unstructured.Unstructured) {
		o.SetCreationTimestamp(metav1.NewTime(created.UTC().Truncate(time.Second)))
		entries := o.GetManagedFields()
		for i := range entries {
			for field, at := range writes {
				if strings.Contains(string(entries[i].FieldsV1.GetRawBytes()), `"f:`+field+`"`) {
					entries[i].Time = &metav1.Time{Time: at.UTC().Truncate(time.Second)}
				}
			}
		}
		o.SetManagedFields(entries)
	})
}

func micro(t time.Time) string { return t.UTC().Format(metav1.RFC3339Micro) }

// timeline draws when things were done and puts it into the files and the cluster.
func timeline(r *rapid.T, w *work) {
	span := func(name string, from, to time.Duration) time.Duration {
		return time.Duration(rapid.Int64Range(int64(from/time.Microsecond), int64(to/time.Microsecond)).Draw(r, name)) * time.Microsecond
	}
	created := time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC).Add(span("created", 0, 300*24*time.Hour))
	acquired := created.Add(-span("written before applied", 0, 29*time.Minute)).Add(span("clock ahead", 0, 50*time.Second))
	times := []time.Time{acquired.Add(span("first renewal", time.Microsecond, time.Hour))}
	for len(times) < 3 {
		times = append(times, times[len(times)-1].Add(span("gap", 900*time.Millisecond, 15*time.Second)))
	}
	taken := times[2].Add(span("takeover", time.Microsecond, 5*24*time.Hour))
	renewed := taken.Add(span("renewed later", 0, time.Hour))

	for _, field := range []string{"acquireTime", "renewTime"} {
		w.replace(r, "lease-widget.yaml", `(`+field+`: ).*`, "${1}"+instant(r, acquired))
		w.replace(r, "lease-initial.yaml", `(`+field+`: ).*`, "${1}"+micro(acquired))
	}
	w.replace(r, "lease-initial.yaml", `(creationTimestamp: ).*`, "${1}"+created.UTC().Format(time.RFC3339))
	w.files["renew-log.txt"] = ""
	for _, at := range times {
		w.files["renew-log.txt"] += instant(r, at) + "\n"
	}
	w.set("widget-operator", "acquireTime", micro(taken))
	w.set("widget-operator", "renewTime", micro(renewed))
	w.wrote("widget-operator", created, map[string]time.Time{"leaseDurationSeconds": created, "holderIdentity": taken.Add(span("patch under way", 0, 900*time.Millisecond))})

	for name, age := range map[string]time.Duration{"stale-operator": span("stale", 10*time.Minute, 39*time.Minute), "fresh-operator": span("fresh", 0, 29*time.Minute)} {
		at := created.Add(time.Hour)
		file := "lease-" + strings.TrimSuffix(name, "-operator") + ".yaml"
		w.replace(r, file, `(renewTime: ).*`, "${1}"+instant(r, at.Add(-age)))
		w.set(name, "renewTime", micro(at.Add(-age)))
		w.wrote(name, at, map[string]time.Time{"renewTime": at})
	}
}

// instant draws a way to write a MicroTime.
func instant(r *rapid.T, t time.Time) string {
	zone := rapid.SampledFrom([]int{0, 0, 9 * 3600, -5 * 3600, 5*3600 + 1800}).Draw(r, "offset")
	s := t.In(time.FixedZone("", zone)).Format("2006-01-02T15:04:05.000000Z07:00")
	quote := rapid.SampledFrom([]string{`"`, `'`, ""}).Draw(r, "quote")
	return fmt.Sprint(quote, s, quote)
}
