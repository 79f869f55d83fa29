package submission_test

import (
	"context"
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"example.com/labgrader/grader"
)

// fileName is the one file of the submissions in these tests.
const fileName = "work.yaml"

// see calls f with a view of one file, as a criterion would have it. The engine turns a panic in a criterion into an
// error verdict, so a panic of f fails the test here.
func see(t *testing.T, file grader.File, f func(view *grader.View)) {
	t.Helper()
	criterion := grader.Criterion{
		Name: "looks", Doc: "Looks at the file.", Needs: []grader.Need{{File: fileName}},
		Run: func(_ context.Context, view *grader.View) ([]grader.Finding, error) {
			f(view)
			return []grader.Finding{grader.Meets()}, nil
		},
	}
	lab := grader.Lab{Name: "test", Checks: []grader.Check{{Step: 1, Name: "step", Criteria: []grader.Criterion{criterion}}}}
	report := grader.Grade(lab, &grader.Evidence{Files: map[string]grader.File{fileName: file}}, grader.Options{})
	require.Equal(t, grader.Pass, report.Verdict, "%+v", report.Steps)
}

// present is a file with that content.
func present(content string) grader.File {
	return grader.File{Name: fileName, State: grader.FilePresent, Data: []byte(content)}
}

// within fails the test if f takes longer, instead of letting it hang.
func within(t *testing.T, limit time.Duration, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() { defer close(done); f() }()
	select {
	case <-done:
	case <-time.After(limit):
		t.Fatalf("it took longer than %s", limit)
	}
}

// asNobody calls f without the rights of root: permissions mean nothing to root, as which tests often run. The change
// holds for file accesses of this thread only.
func asNobody(t *testing.T, f func()) {
	t.Helper()
	if os.Geteuid() != 0 {
		f()
		return
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	const nobody = 65534
	_, err := unix.SetfsuidRetUid(nobody)
	require.NoError(t, err)
	defer func() { _, _ = unix.SetfsuidRetUid(0) }()
	now, err := unix.SetfsuidRetUid(nobody)
	require.NoError(t, err)
	require.Equal(t, nobody, now)
	f()
}
