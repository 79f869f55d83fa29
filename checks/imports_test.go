package checks_test

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// imports returns the packages of this module and the test libraries that a package links, itself included.
func imports(t *testing.T, pkg string) []string {
	t.Helper()
	out, err := exec.Command("go", "list", "-deps", pkg).Output()
	require.NoError(t, err)
	return strings.Fields(string(out))
}

func TestImportsGoOneWay(t *testing.T) {
	const module = "example.com/labgrader/"
	for pkg, allowed := range map[string][]string{
		module + "grader":            {"grader"},
		module + "grader/render":     {"grader", "grader/render"},
		module + "grader/catalogue":  {"grader", "grader/catalogue"},
		module + "grader/submission": {"grader", "grader/submission"},
		module + "grader/cluster":    {"grader", "grader/cluster"},
		module + "grader/replay":     {"grader/replay"},
		module + "grader/sandbox":    {"grader/sandbox"},
		module + "grader/trial":      {"grader", "grader/trial", "grader/replay", "grader/sandbox"},
		module + "checks": {"grader", "grader/submission", "checks", "checks/internal/oplab", "checks/lease", "checks/renew", "checks/expiry", "checks/takeover",
			"checks/microtime", "checks/rbac", "checks/splitbrain", "checks/audit", "checks/audit/runbook"},
	} {
		for _, dep := range imports(t, pkg) {
			if name, ours := strings.CutPrefix(dep, module); ours {
				assert.Contains(t, allowed, name, "%s imports it", pkg)
			}
		}
	}
}

func TestTestLibrariesAreNotInTheProgram(t *testing.T) {
	for _, dep := range imports(t, "example.com/labgrader/cmd/grader") {
		for _, library := range []string{"github.com/stretchr/", "github.com/onsi/", "pgregory.net/", "go.uber.org/goleak"} {
			assert.False(t, strings.HasPrefix(dep, library), dep)
		}
	}
}
