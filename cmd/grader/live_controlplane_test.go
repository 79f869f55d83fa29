//go:build controlplane

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/labgrader/grader"
	"example.com/labgrader/grader/controlplane"
	"example.com/labgrader/grader/sandbox"
	"example.com/labgrader/grader/solve"
)

func TestMain(m *testing.M) {
	sandbox.Main()
	os.Exit(m.Run())
}

// stage is a control plane on which the reference solution was run, and the program as users have it.
type stage struct {
	plane   *controlplane.ControlPlane
	session *solve.Session
	program string
}

// solved prepares a stage; all live tests share the one that TestLive makes.
func solved(t testing.TB) *stage {
	t.Helper()
	ctx := context.Background()
	assets, err := controlplane.Assets(ctx, "", "../..")
	require.NoError(t, err)
	program := filepath.Join(t.TempDir(), "grader")
	out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput()
	require.NoError(t, err, string(out))
	plane, err := controlplane.Start(assets)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, plane.Stop()) })
	session, err := solve.New(plane)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, session.Close()) })
	var log bytes.Buffer
	require.NoError(t, session.Run(ctx, &log, "../../fixtures/solution/solve.sh"), log.String())
	return &stage{plane: plane, session: session, program: program}
}

// run runs the program and returns its output and exit code.
func (s *stage) run(t *testing.T, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	return s.runEnv(t, nil, args...)
}

func (s *stage) runEnv(t *testing.T, env []string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	var out, log bytes.Buffer
	cmd := exec.Command(s.program, args...)
	cmd.Env = append(os.Environ(), env...)
	cmd.Stdout, cmd.Stderr = &out, &log
	err := cmd.Run()
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		require.NoError(t, err)
	}
	return out.String(), log.String(), cmd.ProcessState.ExitCode()
}

// grade grades the session's submission and demands a report that fits the schema.
func (s *stage) grade(t *testing.T, kubeconfig string, args ...string) (grader.Report, int) {
	t.Helper()
	out, log, code := s.run(t, append([]string{"grade", "--dir", s.session.Dir(), "--kubeconfig", kubeconfig, "--kubectl", s.plane.Kubectl()}, args...)...)
	return parseReport(t, out, log), code
}

func parseReport(t *testing.T, out, log string) grader.Report {
	t.Helper()
	decoder := json.NewDecoder(strings.NewReader(out))
	var report grader.Report
	require.NoError(t, decoder.Decode(&report), "stdout: %s\nstderr: %s", out, log)
	_, err := decoder.Token()
	require.ErrorIs(t, err, io.EOF, "one object on standard output, nothing else")
	instance, err := jsonschema.UnmarshalJSON(strings.NewReader(out))
	require.NoError(t, err)
	schema, err := jsonschema.UnmarshalJSON(strings.NewReader(grader.Schema))
	require.NoError(t, err)
	compiler := jsonschema.NewCompiler()
	require.NoError(t, compiler.AddResource("report.json", schema))
	compiled, err := compiler.Compile("report.json")
	require.NoError(t, err)
	require.NoError(t, compiled.Validate(instance))
	return report
}

// verdicts returns the steps' verdicts by name.
func verdicts(report grader.Report) map[string]grader.Verdict {
	all := map[string]grader.Verdict{}
	for _, step := range report.Steps {
		all[step.Name] = step.Verdict
	}
	return all
}

// passing is what verdicts gives for the reference solution, with exceptions as pairs of step and verdict.
func passing(exceptions ...string) map[string]grader.Verdict {
	all := map[string]grader.Verdict{}
	for _, name := range []string{"lease", "renew", "expiry", "takeover", "microtime", "rbac", "splitbrain", "audit"} {
		all[name] = grader.Pass
	}
	for i := 0; i+1 < len(exceptions); i += 2 {
		all[exceptions[i]] = grader.Verdict(exceptions[i+1])
	}
	return all
}

func TestLive(t *testing.T) {
	s := solved(t)
	t.Run("grades and regrades", s.testRegrade)
	t.Run("changes nothing", s.testChangesNothing)
	t.Run("server in trouble", s.testTrouble)
	t.Run("server that accepts seconds", s.testAcceptsSeconds)
	t.Run("server that allows everything", s.testAllowsEverything)
	t.Run("server that denies everything", s.testDeniesEverything)
	t.Run("interrupted", s.testInterrupted)
	t.Run("hostile files", s.testHostileFiles)
	t.Run("least permissions", s.testAccount)
	t.Run("waits", s.testWait)
	t.Run("a script that hangs", s.testHangingScript)
}
