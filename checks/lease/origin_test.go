package lease

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/labgrader/grader"
	"example.com/labgrader/grader/submission"
)

// A Lease of another UID was made anew, which is no fault; the same one cannot have two creation times.
func TestOrigin(t *testing.T) {
	noon := metav1.NewTime(time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC))
	later := metav1.NewTime(noon.Add(time.Second))
	for name, test := range map[string]struct {
		uid       string
		created   metav1.Time
		kind      grader.Kind
		code      string
		want, got string
	}{
		"the same":         {"u", noon, "", "", "", ""},
		"made anew":        {"v", later, grader.Noted, "lease.recreated", "u", "v"},
		"another creation": {"u", later, grader.Missed, "lease.initial-contradicted", "2026-01-01T12:00:00Z", "2026-01-01T12:00:01Z"},
	} {
		t.Run(name, func(t *testing.T) {
			saved := submission.Document{File: initialFile}
			saved.Object = map[string]any{"metadata": map[string]any{"uid": test.uid, "creationTimestamp": test.created.UTC().Format(time.RFC3339)}}
			findings := origin(saved, &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{UID: "u", CreationTimestamp: noon}})
			if test.code == "" {
				assert.Empty(t, findings)
				return
			}
			require.Len(t, findings, 1)
			assert.Equal(t, test.kind, findings[0].Kind)
			assert.Equal(t, []string{test.code, test.want, test.got}, []string{findings[0].Code, findings[0].Want, findings[0].Got})
		})
	}
}
