//go:build controlplane

package verify_test

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/labgrader/checks"
	"example.com/labgrader/grader/controlplane"
	"example.com/labgrader/grader/sandbox"
	"example.com/labgrader/grader/verify"
)

func TestMain(m *testing.M) {
	sandbox.Main()
	os.Exit(m.Run())
}

// A solution that leaves out a step, and one that breaks an earlier step later on, are found out at the right moment.
func TestAWrongSolutionIsFoundOut(t *testing.T) {
	assets, err := controlplane.Assets(context.Background(), "", "../..")
	require.NoError(t, err)
	reference, err := os.ReadFile("../../fixtures/solution/solve.sh")
	require.NoError(t, err)
	dir := t.TempDir()
	changed := strings.Replace(string(reference), "\nsolve() {", "\nstep_5() { :; }\neval \"right_$(declare -f step_7)\"\nstep_7() { right_step_7; rm \"$dir/renew-log.txt\"; }\nsolve() {", 1)
	require.NoError(t, os.WriteFile(filepath.Join(dir, verify.Script), []byte(changed), 0o755))
	result, err := verify.Run(context.Background(), checks.Lab(), dir, assets, io.Discard)
	require.NoError(t, err)
	problems := strings.Join(result.Problems, "\n")
	for _, want := range []string{
		"after step 5, microtime.return-code is fail: file.missing",
		"after step 7, renew.lines is fail: file.missing",
		"after the second run, microtime.return-code is fail",
	} {
		assert.Contains(t, problems, want)
	}
	assert.NotContains(t, problems, "after step 4", "what is right until then is no problem")
	assert.NotContains(t, problems, "where nothing was done")

	require.NoError(t, os.WriteFile(filepath.Join(dir, verify.Script), []byte("exit 3\n"), 0o755))
	_, err = verify.Run(context.Background(), checks.Lab(), dir, assets, io.Discard)
	assert.ErrorContains(t, err, "step 1: running the solution")
}
