//go:build controlplane

package replay_test

import (
	"bytes"
	"context"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"example.com/labgrader/grader/controlplane"
	"example.com/labgrader/grader/replay"
)

const manifest = `testdata/objects.yaml`

// attempts is how often a pair of invocations is repeated, with a new replay, before a difference counts: ages and the API
// server's own lease change between two of them.
const attempts = 4

// TestConformance runs what learners run against real API servers and against replays of the same objects.
func TestConformance(t *testing.T) {
	var kubectls []string
	for _, version := range []string{"v1.37.2", "v1.32.13"} {
		t.Setenv("K8S_VERSION", version)
		assets, err := controlplane.Assets(t.Context(), "", "../..")
		require.NoError(t, err)
		kubectls = append(kubectls, filepath.Join(assets, "kubectl"))
		if os.Getenv("KUBEBUILDER_ASSETS") != "" {
			break // one version only
		}
	}
	if found, err := exec.LookPath("kubectl"); err == nil {
		kubectls = append(kubectls, found)
	}
	for _, own := range kubectls {
		assets := filepath.Dir(own)
		if _, err := os.Stat(filepath.Join(assets, "kube-apiserver")); err != nil {
			continue
		}
		t.Run("server "+filepath.Base(assets), func(t *testing.T) {
			pair := newPair(t, assets, own)
			for _, kubectl := range kubectls {
				t.Run("kubectl "+filepath.Base(filepath.Dir(kubectl)), func(t *testing.T) {
					for _, args := range reads() {
						t.Run(strings.Join(args, " "), func(t *testing.T) { pair.same(t, kubectl, args) })
					}
					for _, args := range watches() {
						t.Run(strings.Join(args, " "), func(t *testing.T) { pair.ends(t, kubectl, args) })
					}
					for _, args := range writes() {
						t.Run(strings.Join(args, " "), func(t *testing.T) { pair.refused(t, kubectl, args) })
					}
				})
			}
		})
	}
}

// pair is a real server and a replay of it.
type pair struct {
	t        *testing.T
	config   *rest.Config
	real     string // kubeconfig files
	replayed string
}

func newPair(t *testing.T, assets, kubectl string) *pair {
	server, err := controlplane.Start(assets)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, server.Stop()) })
	config, err := clientcmd.Load(server.Kubeconfig())
	require.NoError(t, err)
	config.Contexts[config.CurrentContext].Namespace = "op-leader"
	data, err := clientcmd.Write(*config)
	require.NoError(t, err)
	p := &pair{t: t, config: server.Config, real: write(t, data)}
	for _, args := range [][]string{
		{"apply", "--server-side", "-f", manifest},
		{"apply", "--server-side", "--field-manager=widget-operator-0", "-f", "testdata/order.yaml"},
		{"patch", "lease", "widget-operator", "--type=merge", "-p", `{"spec":{"holderIdentity":"widget-operator-1","leaseTransitions":1}}`},
		{"create", "configmap", "settings", "--from-literal=a=<b>&c", "--from-file=testdata/objects.yaml"},
		{"apply", "-f", "testdata/extra.yaml"},
	} {
		out := run(kubectl, p.real, args)
		require.Zero(t, out.code, "%v: %s", args, out.stderr)
	}
	p.capture()
	return p
}

// capture replays what the real server holds at this moment.
func (p *pair) capture() {
	t := p.t
	client, err := dynamic.NewForConfig(p.config)
	require.NoError(t, err)
	var objects []unstructured.Unstructured
	rbac := schema.GroupVersion{Group: "rbac.authorization.k8s.io", Version: "v1"}
	core := schema.GroupVersion{Version: "v1"}
	for _, resource := range []schema.GroupVersionResource{
		core.WithResource("namespaces"), core.WithResource("configmaps"), core.WithResource("serviceaccounts"), rbac.WithResource("roles"),
		rbac.WithResource("rolebindings"), {Group: "coordination.k8s.io", Version: "v1", Resource: "leases"},
	} {
		list, err := client.Resource(resource).List(context.Background(), metav1.ListOptions{})
		require.NoError(t, err)
		objects = append(objects, list.Items...)
	}
	asker, err := discovery.NewDiscoveryClientForConfig(p.config)
	require.NoError(t, err)
	version, err := asker.ServerVersion()
	require.NoError(t, err)
	world, err := replay.NewWorld(*version, objects)
	require.NoError(t, err)
	server, err := replay.NewServer(world)
	require.NoError(t, err)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	done := make(chan error, 1)
	go func() { done <- server.Serve(listener) }()
	t.Cleanup(func() {
		require.NoError(t, server.Close())
		require.NoError(t, <-done)
	})
	data, err := server.Kubeconfig(listener.Addr().String(), "op-leader")
	require.NoError(t, err)
	p.replayed = write(t, data)
}

func (p *pair) same(t *testing.T, kubectl string, args []string) {
	var want, got output
	for range attempts {
		want, got = run(kubectl, p.real, args), run(kubectl, p.replayed, args)
		if want == got {
			return
		}
		p.capture()
	}
	if strings.Contains(want.stdout, " AGE") { // on a slow machine no two ages are the same
		want.stdout, got.stdout = ageless(want.stdout), ageless(got.stdout)
	}
	require.Equal(t, want, got)
}

func (p *pair) refused(t *testing.T, kubectl string, args []string) {
	out := run(kubectl, p.replayed, args)
	require.NotZero(t, out.code, "%s%s", out.stdout, out.stderr)
	// The last two are what kubectl edit and kubectl auth whoami make of a refusal.
	require.Regexp(t, `read-only|not find the requested resource|Forbidden|no valid changes were saved|do not have permission`, out.stdout+out.stderr)
}

// ends compares with the list that a watch begins with, since a real one would not end.
func (p *pair) ends(t *testing.T, kubectl string, args []string) {
	begun := time.Now()
	out := run(kubectl, p.replayed, append(args[:len(args):len(args)], "--watch"))
	require.Less(t, time.Since(begun), 5*time.Second)
	require.Equal(t, run(kubectl, p.replayed, args), out)
}

type output struct {
	code           int
	stdout, stderr string
}

func run(kubectl, kubeconfig string, args []string) output {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, kubectl, args...)
	home := filepath.Join(filepath.Dir(kubeconfig), filepath.Base(filepath.Dir(kubectl))) // each has its own cache
	cmd.Env = []string{"KUBECONFIG=" + kubeconfig, "HOME=" + home, "TMPDIR=" + filepath.Dir(kubeconfig), "PATH=" + os.Getenv("PATH"), "KUBERC=off", "EDITOR=sed -i s/15/16/"}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	out := output{}
	if err := cmd.Run(); err != nil {
		out.code = -1
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			out.code = exit.ExitCode()
		}
	}
	raw := len(args) > 1 && args[1] == "--raw"
	out.stdout, out.stderr = normal(stdout.String(), raw), normal(stderr.String(), false)
	return out
}

// What two servers cannot have in common: their address, and for a list the moment it was read at.
var (
	address = regexp.MustCompile(`\d+\.\d+\.\d+\.\d+:\d+`)
	moment  = regexp.MustCompile(`("metadata":\{"resourceVersion":)"\d+"`)
	age     = regexp.MustCompile(`\s\d+(s|m|m\d+s)(\s|$)`)
	space   = regexp.MustCompile(` +`)
	goOn    = regexp.MustCompile(`"continue":"[^"]+"`)
)

func normal(text string, raw bool) string {
	text = address.ReplaceAllString(text, "ADDRESS")
	if raw {
		text = goOn.ReplaceAllString(moment.ReplaceAllString(text, `$1"N"`), `"continue":"..."`)
	}
	return text
}

func ageless(table string) string {
	return space.ReplaceAllString(age.ReplaceAllString(table, " AGO "), " ")
}

func write(t *testing.T, data []byte) string {
	file := filepath.Join(t.TempDir(), "kubeconfig")
	require.NoError(t, os.WriteFile(file, data, 0o600))
	return file
}
