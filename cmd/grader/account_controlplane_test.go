//go:build controlplane

package main

import (
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/onsi/gomega"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// kubectl runs the kubectl that was built with the API server and demands success.
func (s *stage) kubectl(t *testing.T, kubeconfig string, args ...string) string {
	t.Helper()
	out, err := exec.Command(s.plane.Kubectl(), append([]string{"--kubeconfig", kubeconfig}, args...)...).CombinedOutput()
	require.NoError(t, err, string(out))
	return string(out)
}

// testForbidden demands that the account can do nothing but what grading needs.
func (s *stage) testForbidden(t *testing.T, kubeconfig string) {
	g := gomega.NewWithT(t)
	refused := func(args ...string) string {
		out, err := exec.Command(s.plane.Kubectl(), append([]string{"--kubeconfig", kubeconfig}, args...)...).CombinedOutput()
		if err == nil {
			return "allowed: " + strings.Join(args, " ")
		}
		return string(out)
	}
	// An admission policy is in force only some moments after it was created.
	g.Eventually(func() string {
		return refused("-n", "op-leader", "patch", "lease", "widget-operator", "--type=merge", "-p", `{"metadata":{"labels":{"x":"y"}}}`)
	}).WithTimeout(30 * time.Second).WithPolling(500 * time.Millisecond).Should(gomega.ContainSubstring("the grader may only dry-run"))
	for _, args := range [][]string{
		{"-n", "op-leader", "delete", "lease", "widget-operator"},
		{"-n", "op-leader", "patch", "lease", "fresh-operator", "--type=merge", "-p", "{}"},
		{"-n", "op-leader", "create", "configmap", "x"},
		{"-n", "op-leader", "get", "configmap", "other"},
		{"-n", "op-leader", "get", "secrets"},
		{"-n", "kube-system", "get", "configmaps"},
		{"get", "namespaces"},
		{"-n", "op-leader", "create", "token", "widget-operator"},
		{"get", "clusterroles"},
	} {
		assert.Contains(t, refused(args...), "orbidden", "%q", args)
	}
	s.kubectl(t, s.session.Kubeconfig(), "-n", "op-leader", "label", "lease", "widget-operator", "x-")
}
