package sandbox

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	Main()
	goleak.VerifyTestMain(m)
}

// strongTiers runs a test in tier A and in tier B. A tier that this machine cannot do at all is skipped,
// once it is clear that Detect says so too.
func strongTiers(t *testing.T, test func(t *testing.T, tier Tier)) {
	t.Helper()
	for _, tier := range []Tier{TierA, TierB} {
		t.Run(string(tier), func(t *testing.T) {
			requireTier(t, tier)
			test(t, tier)
		})
	}
}

func requireTier(t *testing.T, tier Tier) {
	t.Helper()
	missing := Lacks(context.Background(), tier)
	if len(missing) == 0 {
		return
	}
	support := Detect(context.Background())
	assert.NotEqual(t, tier, support.Tier)
	if support.Tier > tier {
		assert.Subset(t, support.Missing, missing)
	}
	t.Skipf("this machine cannot do tier %s: %s", tier, strings.Join(missing, "; "))
}

// run runs a bash script and requires that it could be run.
func runScript(t *testing.T, tier Tier, spec Spec, script string, args ...string) Transcript {
	t.Helper()
	spec.Argv = append([]string{"bash", "-c", script, "script"}, args...)
	if spec.Limits.Wall == 0 {
		spec.Limits.Wall = 30 * time.Second // for a busy machine; no test waits for it
	}
	began := time.Now()
	transcript, err := Run(context.Background(), tier, spec)
	require.NoError(t, err)
	assert.Less(t, time.Since(began), spec.Limits.Wall+2*time.Second)
	assert.Equal(t, tier, transcript.Tier)
	return transcript
}

// privateDir makes a directory that a run may own: also its parents are open to other users.
func privateDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "sandbox-test-")
	require.NoError(t, err)
	require.NoError(t, os.Chmod(dir, 0o755))
	t.Cleanup(func() { removeHostile(dir) })
	sub := filepath.Join(dir, "private")
	require.NoError(t, os.Mkdir(sub, 0o755))
	return sub
}

func write(t *testing.T, file, content string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
	require.NoError(t, os.WriteFile(file, []byte(content), 0o644))
}

// requireNoProcess fails if a process has the marker in its command line.
func requireNoProcess(t *testing.T, marker string) {
	t.Helper()
	require.Empty(t, processesWith(marker), "processes survive")
}

func processesWith(marker string) []string {
	var list []string
	for _, pid := range processIDs() {
		line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		if err == nil && pid != os.Getpid() && bytes.Contains(line, []byte(marker)) {
			list = append(list, string(line))
		}
	}
	return list
}

// needsPython skips a test of something that only a python script can do.
func needsPython(t *testing.T) {
	t.Helper()
	if _, err := os.Stat("/usr/bin/python3"); err != nil {
		t.Skip("this machine has no /usr/bin/python3")
	}
}
