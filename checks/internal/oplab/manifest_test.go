package oplab

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"example.com/labgrader/grader"
	"example.com/labgrader/grader/submission"
)

// inView runs f as a criterion about one file.
func inView(t *testing.T, name, data string, f func(view *grader.View)) {
	t.Helper()
	ran := false
	lab := grader.Lab{Checks: []grader.Check{{Step: 1, Name: "test", Criteria: []grader.Criterion{{
		Name: "file", Points: 1, Needs: []grader.Need{File(name)},
		Run: func(_ context.Context, view *grader.View) ([]grader.Finding, error) {
			f(view)
			ran = true
			return grader.MeetsUnless(), nil
		},
	}}}}}
	grader.Grade(lab, &grader.Evidence{Files: map[string]grader.File{name: {Name: name, State: grader.FilePresent, Data: []byte(data)}}}, grader.Options{})
	require.True(t, ran, "the criterion was not run to its end")
}

// Another kind of the same name is not the Lease; of several Leases the last one is what applying them leaves.
func TestFindLease(t *testing.T) {
	const other = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: w}\n"
	const lease = "apiVersion: coordination.k8s.io/v1\nkind: Lease\nmetadata: {name: w}\nspec: {leaseTransitions: 1}\n"
	inView(t, "f.yaml", other, func(view *grader.View) {
		_, err := FindLease(view, "f.yaml", "w")
		assert.Equal(t, grader.Misses("manifest.no-lease").At("f.yaml", 1).With("name", "w").Compare("Lease w", "ConfigMap w"), err)
	})
	inView(t, "f.yaml", lease+"---\n"+other+"---\n"+lease+"  \n", func(view *grader.View) {
		found, err := FindLease(view, "f.yaml", "w")
		require.NoError(t, err)
		assert.Equal(t, "Lease", found.GetKind())
		assert.Greater(t, found.Line(), 5, "the last of the two")
	})
}

func document(spec any) submission.Document {
	return submission.Document{Unstructured: unstructured.Unstructured{Object: map[string]any{"spec": spec}}, File: "f.yaml"}
}

// What is null, missing or below something that has no fields is not there.
func TestField(t *testing.T) {
	for name, test := range map[string]struct {
		spec  any
		value any
		found bool
		shown string
	}{
		"text":           {map[string]any{"x": "15"}, "15", true, `"15"`},
		"number":         {map[string]any{"x": int64(15)}, int64(15), true, "15"},
		"null":           {map[string]any{"x": nil}, nil, true, "(nothing)"},
		"missing":        {map[string]any{}, nil, false, ""},
		"spec is a text": {"x", nil, false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			value, found := Field(document(test.spec), "x")
			assert.Equal(t, test.value, value)
			assert.Equal(t, test.found, found)
			assert.Equal(t, test.shown, Show(value, found))
		})
	}
}

func TestWantedFieldCompare(t *testing.T) {
	want := WantedField{"x", int64(15)}
	_, wrong := want.Compare(document(map[string]any{"x": int64(15)}), "code")
	assert.False(t, wrong)
	f, wrong := want.Compare(document(map[string]any{"x": "15"}), "code")
	assert.True(t, wrong, "a text is not a number")
	assert.Equal(t, []string{"15", `"15"`, "x"}, []string{f.Want, f.Got, f.Args["field"]})
}

func TestCheckTime(t *testing.T) {
	at := func(offset time.Duration) string { return FormatMicroTime(noon().Add(offset)) }
	written := Moments{noon().Add(-48 * time.Hour), noon()}
	for name, test := range map[string]struct {
		value any
		want  string
	}{
		"right": {at(0), ""}, "null": {nil, "manifest.time-missing"}, "a number": {int64(1), "manifest.time-format"},
		"whole seconds": {"2026-01-01T12:00:00Z", "manifest.time-format"}, "local": {at(9 * time.Hour), "manifest.local-time"}, "old": {at(-45 * time.Minute), "manifest.time-window"},
	} {
		t.Run(name, func(t *testing.T) {
			f, wrong := checkTime(document(map[string]any{"x": test.value}), "x", Now(), written)
			assert.Equal(t, test.want != "", wrong)
			assert.Equal(t, test.want, f.Code)
			if test.want == "manifest.time-window" {
				assert.Equal(t, at(0), f.Args["written"], "the latest write is the likeliest")
			}
		})
	}
	_, wrong := checkTime(document(map[string]any{"x": at(-45 * time.Minute)}), "x", Now(), nil)
	assert.False(t, wrong, "without a Lease only the form is judged")
	f, wrong := checkTime(document(map[string]any{}), "x", Now(), nil)
	assert.True(t, wrong)
	assert.Equal(t, "manifest.time-missing", f.Code)
}
