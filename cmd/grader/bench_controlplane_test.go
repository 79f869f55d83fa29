//go:build controlplane

package main

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	apiversion "k8s.io/apimachinery/pkg/version"

	"example.com/labgrader/checks"
	"example.com/labgrader/grader"
	"example.com/labgrader/grader/bundle"
	"example.com/labgrader/grader/cluster"
	"example.com/labgrader/grader/collect"
	"example.com/labgrader/grader/gradertest"
	"example.com/labgrader/grader/replay"
	"example.com/labgrader/grader/solve"
)

// BenchmarkCost measures the grader and its peers in one run; scripts/bench prints the ratios.
func BenchmarkCost(b *testing.B) {
	s := solved(b)
	ctx := context.Background()
	b.Run("live/grader", func(b *testing.B) {
		lab := gradertest.WithoutTrials(checks.Lab())
		for b.Loop() {
			source := collect.Source{Dir: s.session.Dir(), Access: cluster.Access{Kubeconfig: s.session.Kubeconfig()}}
			collected, err := collect.Run(ctx, lab, nil, source, func(int, int) {})
			require.NoError(b, err)
			require.Equal(b, grader.Pass, grader.Grade(lab, collected.Evidence(), grader.Options{}).Verdict)
		}
	})
	b.Run("live/peer", func(b *testing.B) {
		for b.Loop() {
			for step := 1; step <= 8; step++ {
				cmd := exec.Command("bash", "../../scripts/bench.d/verify.sh", fmt.Sprint(step), s.session.Dir())
				cmd.Env = append(os.Environ(), "KUBECONFIG="+s.session.Kubeconfig(), "PATH="+filepath.Dir(s.plane.Kubectl())+":"+os.Getenv("PATH"))
				out, err := cmd.CombinedOutput()
				require.NoError(b, err, "step %d: %s", step, out)
			}
		}
	})
	collected, err := s.session.Collect(ctx, checks.Lab())
	require.NoError(b, err)
	b.Run("trials/grader", func(b *testing.B) {
		lab := checks.Lab()
		for b.Loop() {
			tried, err := collect.Try(ctx, lab.Needs(), collected, collect.Source{Kubectl: s.plane.Kubectl()}, func() {})
			require.NoError(b, err)
			require.Equal(b, grader.Pass, grader.Grade(lab, tried.Evidence(), grader.Options{}).Verdict)
		}
	})
	b.Run("trials/bare", func(b *testing.B) { s.bare(b, collected) })
}

// bare runs the scripts as often as the trials do, as many side by side, but as they are: no sandbox, no private copy.
func (s *stage) bare(b *testing.B, collected *bundle.Bundle) {
	var objects []unstructured.Unstructured
	for _, capture := range collected.Evidence().Cluster.(*cluster.Snapshot).Captures() {
		if capture.Objects.Resource == "leases" && capture.Objects.Name == "" {
			objects = capture.Items
		}
	}
	world, err := replay.NewWorld(apiversion.Info{GitVersion: collected.Evidence().ServerVersion}, objects)
	require.NoError(b, err)
	api, err := replay.NewServer(world)
	require.NoError(b, err)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(b, err)
	go func() { _ = api.Serve(listener) }() // it ends with Close
	defer api.Close()
	kubeconfig, err := api.Kubeconfig(listener.Addr().String(), "")
	require.NoError(b, err)
	dir := b.TempDir()
	require.NoError(b, os.WriteFile(filepath.Join(dir, "kubeconfig"), kubeconfig, 0o600))
	for _, name := range []string{"expiry.sh", "lease-audit.sh", "leases.tsv"} {
		data, err := os.ReadFile(filepath.Join(s.session.Dir(), name))
		require.NoError(b, err)
		data = bytes.ReplaceAll(data, []byte(solve.LabDir), []byte(dir))
		require.NoError(b, os.WriteFile(filepath.Join(dir, name), data, 0o755))
	}
	var scripts []string
	for _, need := range checks.Lab().Needs() {
		if need.Trial != nil {
			scripts = append(scripts, need.Trial.Script)
		}
	}
	for b.Loop() {
		var group errgroup.Group
		group.SetLimit(runtime.NumCPU())
		for _, script := range scripts {
			group.Go(func() error {
				cmd := exec.Command(filepath.Join(dir, script))
				cmd.Dir = dir
				cmd.Env = []string{"HOME=" + dir, "KUBERC=off", "KUBECONFIG=" + filepath.Join(dir, "kubeconfig"), "PATH=" + filepath.Dir(s.plane.Kubectl()) + ":" + os.Getenv("PATH")}
				return cmd.Run()
			})
		}
		require.NoError(b, group.Wait())
	}
}
