// Package controlplane runs a real kube-apiserver and etcd, for `grader verify` and for tests.
//
// Its one rule: what it starts it stops. Ports are free ones, etcd and all data are its own, and nothing outlives Stop.
package controlplane

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	"sigs.k8s.io/controller-runtime/pkg/log"
)

// buildScript prints the directory with the binaries, and builds them if need be; it is in this project's checkout.
const buildScript = "scripts/control-plane/build"

// Assets returns the directory that holds kube-apiserver, etcd and kubectl: dir if it is not empty, else
// $KUBEBUILDER_ASSETS, else what the build script of the checkout at root gives. Building may take ten minutes, with
// progress on standard error.
func Assets(ctx context.Context, dir, root string) (string, error) {
	if dir == "" {
		dir = os.Getenv("KUBEBUILDER_ASSETS")
	}
	if dir == "" {
		return build(ctx, filepath.Join(root, buildScript))
	}
	for _, name := range []string{"kube-apiserver", "etcd", "kubectl"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			return "", fmt.Errorf("finding the control plane: %w", err)
		}
	}
	return filepath.Abs(dir)
}

func build(ctx context.Context, script string) (string, error) {
	if _, err := os.Stat(script); err != nil {
		return "", fmt.Errorf("finding the control plane: set KUBEBUILDER_ASSETS to a directory with kube-apiserver, etcd and kubectl, or run in a checkout of this project: %w", err)
	}
	var out bytes.Buffer
	cmd := exec.CommandContext(ctx, "bash", script)
	cmd.Stdout, cmd.Stderr = &out, os.Stderr
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 10 * time.Second
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("building the control plane: %w", err)
	}
	return strings.TrimSpace(out.String()), nil
}

// ControlPlane is a running kube-apiserver with RBAC authorization. No controllers run in it: a deleted namespace stays
// in termination.
type ControlPlane struct {
	// Config is that of a cluster administrator.
	Config *rest.Config
	assets string
	env    *envtest.Environment
}

// Start starts a control plane of the binaries in the directory and waits until it answers, about six seconds.
func Start(assets string) (*ControlPlane, error) {
	log.SetLogger(logr.Discard()) // else controller-runtime complains that it has none
	env := &envtest.Environment{BinaryAssetsDirectory: assets, ControlPlaneStartTimeout: 2 * time.Minute, ControlPlaneStopTimeout: time.Minute}
	env.ControlPlane.GetAPIServer().Configure().Set("authorization-mode", "RBAC")
	config, err := env.Start()
	if err != nil {
		return nil, fmt.Errorf("starting the control plane: %w", errors.Join(err, env.Stop()))
	}
	return &ControlPlane{Config: config, assets: assets, env: env}, nil
}

// Kubeconfig returns the administrator's kubeconfig file.
func (c *ControlPlane) Kubeconfig() []byte { return c.env.KubeConfig }

// Kubectl returns the path of the kubectl of the same version.
func (c *ControlPlane) Kubectl() string { return filepath.Join(c.assets, "kubectl") }

// Stop ends the API server and etcd and removes their data.
func (c *ControlPlane) Stop() error {
	if err := c.env.Stop(); err != nil {
		return fmt.Errorf("stopping the control plane: %w", err)
	}
	return nil
}
