package renew

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"example.com/labgrader/checks/internal/oplab"
	"example.com/labgrader/grader"
)

func noon() time.Time { return time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC) }

func widget(holder string, transitions int32, acquired time.Time) *coordinationv1.Lease {
	return &coordinationv1.Lease{Spec: coordinationv1.LeaseSpec{HolderIdentity: &holder, LeaseTransitions: &transitions, AcquireTime: ptr.To(metav1.NewMicroTime(acquired))}}
}

// inView runs f as a criterion of step 2, with what step 1 came to and, unless it is empty, takeover.txt.
func inView(t *testing.T, written, saved bool, takeover string, f func(view *grader.View)) {
	t.Helper()
	stub := func(name string, met bool) grader.Criterion {
		return grader.Criterion{Name: name, Points: 1, Run: func(context.Context, *grader.View) ([]grader.Finding, error) {
			if met {
				return grader.MeetsUnless(), nil
			}
			return nil, grader.Misses("code")
		}}
	}
	ran := false
	lab := grader.Lab{Checks: []grader.Check{
		{Step: 1, Name: "lease", Criteria: []grader.Criterion{stub("manifest", written), stub("initial", saved)}},
		{Step: 2, Name: "renew", Criteria: []grader.Criterion{{
			Name: "test", Points: 1, Needs: []grader.Need{oplab.File(oplab.InitialFile), oplab.File(oplab.TakeoverFile)}, Consults: []string{"lease.manifest", "lease.initial"},
			Run: func(_ context.Context, view *grader.View) ([]grader.Finding, error) {
				f(view)
				ran = true
				return grader.MeetsUnless(), nil
			},
		}}},
	}}
	initial := "apiVersion: coordination.k8s.io/v1\nkind: Lease\nmetadata: {name: widget-operator}\nspec: {acquireTime: \"" + oplab.FormatMicroTime(noon()) + "\"}\n"
	files := map[string]grader.File{
		oplab.InitialFile:  {Name: oplab.InitialFile, State: grader.FilePresent, Data: []byte(initial)},
		oplab.TakeoverFile: {Name: oplab.TakeoverFile, State: grader.FileMissing},
	}
	if takeover != "" {
		files[oplab.TakeoverFile] = grader.File{Name: oplab.TakeoverFile, State: grader.FilePresent, Data: []byte(takeover)}
	}
	grader.Grade(lab, &grader.Evidence{Files: files}, grader.Options{})
	require.True(t, ran, "the criterion was not run to its end")
}

func TestTakeoverBegun(t *testing.T) {
	const before = "before-holder=widget-operator-0\nbefore-transitions=0\n"
	later := noon().Add(time.Hour)
	for name, test := range map[string]struct {
		lease    *coordinationv1.Lease
		saved    bool
		takeover string
		want     bool
	}{
		"no file, first holder":             {widget(oplab.FirstHolder, 3, later), true, "", false},
		"no file, only the holder":          {widget(oplab.NextHolder, 0, noon()), true, "", false},
		"no file, counted, too":             {widget(oplab.NextHolder, 1, noon()), true, "", true},
		"no file, acquired anew":            {widget(oplab.NextHolder, 0, later), true, "", true},
		"no file, first time not known":     {widget(oplab.NextHolder, 0, noon()), false, "", true},
		"file, next holder":                 {widget(oplab.NextHolder, 5, later), true, "x", true},
		"file, counted once":                {widget(oplab.FirstHolder, 1, later), true, "x", true},
		"file, counted twice":               {widget(oplab.FirstHolder, 2, later), true, "x", false},
		"file, counted twice, well before":  {widget(oplab.FirstHolder, 2, later), true, before, true},
		"file, counted twice, other before": {widget(oplab.FirstHolder, 2, later), true, "before-holder=x\nbefore-transitions=0\n", false},
		"file, counted before":              {widget(oplab.FirstHolder, 2, later), true, "before-holder=widget-operator-0\nbefore-transitions=1\n", false},
	} {
		t.Run(name, func(t *testing.T) {
			inView(t, true, test.saved, test.takeover, func(view *grader.View) {
				begun, err := takeoverBegun(view, test.lease)
				assert.NoError(t, err)
				assert.Equal(t, test.want, begun)
			})
		})
	}
}

// The saved time counts; without it the live one does, while the first holder has the Lease.
func TestNotBefore(t *testing.T) {
	later := noon().Add(time.Hour)
	for name, test := range map[string]struct {
		written, saved bool
		holder         string
		want           time.Time
	}{
		"saved rightly":             {true, true, oplab.NextHolder, noon()},
		"saved wrongly":             {true, false, oplab.FirstHolder, later},
		"saved wrongly, taken":      {true, false, oplab.NextHolder, time.Time{}},
		"written wrongly":           {false, true, oplab.FirstHolder, time.Time{}},
		"written and saved wrongly": {false, false, oplab.FirstHolder, time.Time{}},
	} {
		t.Run(name, func(t *testing.T) {
			inView(t, test.written, test.saved, "", func(view *grader.View) {
				got, err := notBefore(view, widget(test.holder, 0, later))
				assert.NoError(t, err)
				assert.True(t, test.want.Equal(got), "%s", got)
			})
		})
	}
}

func TestLateness(t *testing.T) {
	limits := []limit{{code: "live", argument: "renewed", time: noon().Add(time.Second)}, {code: "taken", argument: "acquired", time: noon(), inclusive: true}}
	for name, test := range map[string]struct {
		offset time.Duration
		want   string
	}{
		"before both": {-time.Microsecond, ""}, "at the takeover": {0, "taken"}, "at the live time": {time.Second, "taken"}, "after both": {2 * time.Second, "live"},
	} {
		t.Run(name, func(t *testing.T) {
			f, late := lateness(noon().Add(test.offset), limits)
			assert.Equal(t, test.want != "", late)
			assert.Equal(t, test.want, f.Code)
		})
	}
	_, late := lateness(noon(), []limit{{time: noon()}})
	assert.False(t, late, "the renewal that the Lease has is its last")
}

func TestLastWrite(t *testing.T) {
	at := func(d time.Duration) *metav1.Time { return ptr.To(metav1.NewTime(noon().Add(d))) }
	lease := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{CreationTimestamp: *at(0), ManagedFields: []metav1.ManagedFieldsEntry{{Time: at(2)}, {Time: at(1)}, {}, {Time: at(-1)}}}}
	assert.Equal(t, at(2).Time, lastWrite(lease), "the latest entry, not the last one")
	lease.ManagedFields = []metav1.ManagedFieldsEntry{{Time: at(-1)}}
	assert.Equal(t, at(0).Time, lastWrite(lease), "an entry may be dated before the creation")
}
