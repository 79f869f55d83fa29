//go:build controlplane

package trial_test

import (
	"context"
	"encoding/json"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/labgrader/checks"
	"example.com/labgrader/grader"
	"example.com/labgrader/grader/bundle"
	"example.com/labgrader/grader/controlplane"
	"example.com/labgrader/grader/gradertest"
	"example.com/labgrader/grader/sandbox"
	"example.com/labgrader/grader/solve"
	"example.com/labgrader/grader/submission"
	"example.com/labgrader/grader/trial"
)

func TestMain(m *testing.M) {
	sandbox.Main()
	os.Exit(m.Run())
}

// longest is how long grading a hostile script may take: its deadline and two seconds.
const longest = 12 * time.Second

func TestHostileScripts(t *testing.T) {
	ctx := context.Background()
	t.Setenv("GRADER_SECRET", "not for scripts")
	assets, err := controlplane.Assets(ctx, "", "../..")
	require.NoError(t, err)
	plane, err := controlplane.Start(assets)
	require.NoError(t, err)
	defer func() { assert.NoError(t, plane.Stop()) }()
	session, err := solve.New(plane)
	require.NoError(t, err)
	defer func() { assert.NoError(t, session.Close()) }()
	require.NoError(t, session.Run(ctx, os.Stderr, "../../fixtures/solution/solve.sh"))
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer listener.Close()
	endpoints := strings.TrimPrefix(plane.Config.Host, "https://") + "\n" + listener.Addr().String() + "\n"
	require.NoError(t, os.WriteFile(filepath.Join(session.Dir(), "where-the-endpoints-are"), []byte(endpoints), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(session.Dir(), "where-the-kubeconfig-is"), []byte(session.Kubeconfig()), 0o644))

	scripts, err := filepath.Glob("../../fixtures/hostile/*.sh")
	require.NoError(t, err)
	require.NotEmpty(t, scripts)
	for _, tier := range []sandbox.Tier{sandbox.TierA, sandbox.TierB} {
		require.Empty(t, sandbox.Lacks(ctx, tier), "this machine cannot show that nothing gets through")
		for _, script := range scripts {
			t.Run(string(tier)+"/"+filepath.Base(script), func(t *testing.T) { hostile(ctx, t, plane, session, tier, script) })
		}
	}
}

func hostile(ctx context.Context, t *testing.T, plane *controlplane.ControlPlane, session *solve.Session, tier sandbox.Tier, script string) {
	content, err := os.ReadFile(script)
	require.NoError(t, err)
	target := filepath.Join(session.Dir(), "expiry.sh")
	require.NoError(t, os.WriteFile(target, content, 0o755))
	before := objects(ctx, t, plane)
	began := time.Now()
	transcripts := try(ctx, t, plane, session, tier)
	assert.Less(t, time.Since(began), longest)

	for name, transcript := range transcripts {
		assert.Empty(t, transcript.Trouble, name)
		assert.NotContains(t, transcript.Stdout, "GOT IN", name)
	}
	assert.Equal(t, before, objects(ctx, t, plane))
	for _, place := range []string{"/etc", "/usr/bin", "/root", "/var/tmp", "/dev/shm", "/tmp"} {
		assert.NoFileExists(t, filepath.Join(place, "grader-hostile"))
	}
	left, err := exec.Command("pgrep", "-f", "grader-hostile-daemon").Output()
	assert.Error(t, err, "something survives: %s", left)
	now, err := os.ReadFile(target)
	require.NoError(t, err)
	assert.Equal(t, string(content), string(now), "the submission itself is not touched")
}

// try runs the trials of step 3 in a tier, and demands that the report is JSON and no pass.
func try(ctx context.Context, t *testing.T, plane *controlplane.ControlPlane, session *solve.Session, tier sandbox.Tier) map[string]grader.Transcript {
	lab := checks.Lab()
	collected, err := session.Collect(ctx, gradertest.WithoutTrials(lab), 3, 8)
	require.NoError(t, err)
	files := collected.Evidence().Files
	for _, name := range []string{"expiry.sh", "where-the-endpoints-are", "where-the-kubeconfig-is"} {
		dir, err := submission.Open(session.Dir())
		require.NoError(t, err)
		files[name] = dir.Read(name)
		require.NoError(t, dir.Close())
	}
	leases := &coordinationv1.LeaseList{}
	require.NoError(t, collected.Evidence().Cluster.List(ctx, leases, client.InNamespace("op-leader")))
	var trials []grader.Trial
	for _, need := range lab.Needs(3) {
		if need.Trial != nil {
			trials = append(trials, *need.Trial)
		}
	}
	runner := trial.Runner{Tier: tier, Kubectl: plane.Kubectl(), Base: collected.Base(), ServerVersion: "v1.37.2", Files: files, Leases: leases.Items}
	transcripts := map[string]grader.Transcript{}
	for i, transcript := range runner.Run(ctx, trials, func() {}) {
		transcripts[trials[i].Name] = transcript
	}
	tried, err := collected.WithTrials(bundle.Trials{Sandbox: grader.Sandbox{Tier: string(tier)}, Transcripts: transcripts})
	require.NoError(t, err)
	report := grader.Grade(lab, tried.Evidence(), grader.Options{Steps: []int{3}})
	encoded, err := json.Marshal(report)
	require.NoError(t, err)
	assert.NotContains(t, string(encoded), "\x1b")
	assert.NotEqual(t, grader.Pass, report.Verdict)
	return transcripts
}

func objects(ctx context.Context, t *testing.T, plane *controlplane.ControlPlane) map[string]string {
	client, err := dynamic.NewForConfig(plane.Config)
	require.NoError(t, err)
	versions := map[string]string{}
	for _, resource := range []schema.GroupVersionResource{{Version: "v1", Resource: "namespaces"}, {Version: "v1", Resource: "configmaps"}, {Group: "coordination.k8s.io", Version: "v1", Resource: "leases"}} {
		list, err := client.Resource(resource).Namespace("op-leader").List(ctx, metav1.ListOptions{})
		if resource.Resource == "namespaces" {
			list, err = client.Resource(resource).List(ctx, metav1.ListOptions{})
		}
		require.NoError(t, err)
		for _, item := range list.Items {
			versions[resource.Resource+" "+item.GetName()] = item.GetResourceVersion()
		}
	}
	return versions
}
