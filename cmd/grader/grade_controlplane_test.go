//go:build controlplane

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"

	"example.com/labgrader/grader"
)

func (s *stage) testRegrade(t *testing.T) {
	report, code := s.grade(t, s.session.Kubeconfig())
	require.Equal(t, passing(), verdicts(report))
	assert.Zero(t, code)
	assert.Equal(t, grader.FullScore, report.Score.Earned)

	file := filepath.Join(t.TempDir(), "bundle.tar.gz")
	_, log, code := s.run(t, "collect", "--dir", s.session.Dir(), "--kubectl", s.plane.Kubectl(), "--kubeconfig", s.session.Kubeconfig(), "--out", file)
	require.Zero(t, code, log)
	var rendered []string
	for range 2 {
		out, log, code := s.run(t, "grade", "--bundle", file)
		require.Zero(t, code, log)
		rendered = append(rendered, out)
	}
	assert.Equal(t, rendered[0], rendered[1])
	again := parseReport(t, rendered[0], "")
	assert.Equal(t, "bundle", again.Evidence.Source)
	assert.Equal(t, steps(t, report), steps(t, again), "live and from the bundle, byte for byte")

	out, log, code := s.run(t, "grade", "--bundle", file, "--rerun", "--kubectl", s.plane.Kubectl(), "--require-sandbox", "A")
	require.Zero(t, code, log)
	rerun := parseReport(t, out, log)
	assert.Equal(t, steps(t, report), steps(t, rerun), "the scripts do the same again")
	assert.Equal(t, "A", rerun.Evidence.Sandbox.Tier)

	for step := 1; step <= 8; step++ {
		one, code := s.grade(t, s.session.Kubeconfig(), "--step", fmt.Sprint(step))
		assert.Zero(t, code)
		assert.Len(t, one.Steps, 1)
	}
	for _, args := range [][]string{{"grade", "--step", "9"}, {"grade", "-o", "xml"}, {"grade", "--bundle", file, "--dir", "x"}, {"nonsense"}, {"grade", "--nonsense"}, {"grade", "x"}, {"collect"}, {"grade", "-o", "json", "-o", "text"}, {"grade", "--timeout", "0s"}} {
		out, log, code := s.run(t, args...)
		assert.Equal(t, exitUsage, code, "%q: %s", args, log)
		assert.Empty(t, out)
		assert.NotEmpty(t, log)
	}
}

func steps(t *testing.T, report grader.Report) string {
	t.Helper()
	encoded, err := json.Marshal(report.Steps)
	require.NoError(t, err)
	return string(encoded)
}

func (s *stage) testChangesNothing(t *testing.T) {
	paths := []string{s.session.Dir()}
	entries, err := os.ReadDir(s.session.Dir())
	require.NoError(t, err)
	for _, entry := range entries {
		paths = append(paths, filepath.Join(s.session.Dir(), entry.Name()))
	}
	// Access times of the past show a read that sets them.
	past := time.Now().Add(-48 * time.Hour)
	for _, path := range paths {
		var stat unix.Stat_t
		require.NoError(t, unix.Stat(path, &stat))
		require.NoError(t, os.Chtimes(path, past, time.Unix(stat.Mtim.Unix())))
	}
	objects, files := s.objects(t), fileStates(t, paths)
	_, code := s.grade(t, s.session.Kubeconfig())
	require.Zero(t, code)
	assert.Equal(t, objects, s.objects(t))
	assert.Equal(t, files, fileStates(t, paths))
}

// objects returns the resource version of every object that the lab could have touched.
func (s *stage) objects(t *testing.T) map[string]string {
	t.Helper()
	client, err := dynamic.NewForConfig(s.plane.Config)
	require.NoError(t, err)
	versions := map[string]string{}
	for _, resource := range []schema.GroupVersionResource{
		{Version: "v1", Resource: "namespaces"}, {Version: "v1", Resource: "configmaps"}, {Version: "v1", Resource: "serviceaccounts"}, {Version: "v1", Resource: "secrets"},
		{Group: "coordination.k8s.io", Version: "v1", Resource: "leases"}, {Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "roles"},
		{Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "rolebindings"}, {Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "clusterroles"},
	} {
		list, err := client.Resource(resource).List(context.Background(), metav1.ListOptions{})
		require.NoError(t, err)
		for _, item := range list.Items {
			if item.GetNamespace() == metav1.NamespaceSystem {
				continue // the API server renews a Lease of its own there
			}
			versions[resource.Resource+" "+item.GetNamespace()+"/"+item.GetName()] = item.GetResourceVersion()
		}
	}
	require.NotEmpty(t, versions)
	return versions
}

// fileStates returns content, mode and all times of files and directories.
func fileStates(t *testing.T, paths []string) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, path := range paths {
		var stat unix.Stat_t
		require.NoError(t, unix.Stat(path, &stat))
		content := ""
		if stat.Mode&unix.S_IFMT == unix.S_IFREG {
			content = string(readQuietly(t, path))
		}
		all[path] = fmt.Sprint(stat.Mode, stat.Atim, stat.Mtim, stat.Ctim, content)
	}
	return all
}

// readQuietly reads without setting the access time.
func readQuietly(t *testing.T, path string) []byte {
	t.Helper()
	file, err := os.OpenFile(path, os.O_RDONLY|unix.O_NOATIME, 0)
	require.NoError(t, err)
	defer file.Close()
	info, err := file.Stat()
	require.NoError(t, err)
	data := make([]byte, info.Size())
	_, err = file.Read(data)
	require.NoError(t, err)
	return data
}

func (s *stage) testInterrupted(t *testing.T) {
	kubeconfig := s.fronted(t, hang)
	cmd := exec.Command(s.program, "grade", "--dir", s.session.Dir(), "--kubeconfig", kubeconfig)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	time.Sleep(500 * time.Millisecond) // the program is waiting for an answer then
	require.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
	var report grader.Report
	require.NoError(t, json.NewDecoder(out).Decode(&report))
	_ = cmd.Wait() // the exit code is looked at below
	assert.Equal(t, exitError, cmd.ProcessState.ExitCode())
	assert.Equal(t, grader.Error, report.Verdict)
	assert.Len(t, report.Steps, 8)
}

func (s *stage) testWait(t *testing.T) {
	missing := filepath.Join(s.session.Dir(), "takeover.txt")
	require.NoError(t, os.Rename(missing, missing+".later"))
	done := make(chan error, 1)
	go func() {
		time.Sleep(time.Second)
		done <- os.Rename(missing+".later", missing)
	}()
	report, code := s.grade(t, s.session.Kubeconfig(), "--step", "4", "--wait", "20s")
	require.NoError(t, <-done)
	assert.Zero(t, code)
	assert.Equal(t, grader.Pass, report.Verdict)
}

func (s *stage) testHostileFiles(t *testing.T) {
	for name, put := range map[string]func(path string) error{
		"symbolic link": func(path string) error { return os.Symlink("/etc/passwd", path) },
		"pipe":          func(path string) error { return unix.Mkfifo(path, 0o644) },
		"directory":     func(path string) error { return os.Mkdir(path, 0o755) },
		"hard link":     func(path string) error { return os.Link("/etc/hostname", path) },
		"sparse file": func(path string) error {
			if err := os.WriteFile(path, nil, 0o644); err != nil {
				return err
			}
			return os.Truncate(path, 1<<40)
		},
		"large file": func(path string) error { return os.WriteFile(path, make([]byte, 100<<20), 0o644) },
		"device":     func(path string) error { return unix.Mknod(path, unix.S_IFCHR|0o644, int(unix.Mkdev(1, 5))) },
	} {
		t.Run(name, func(t *testing.T) { s.replaceAll(t, put) })
	}
}

// replaceAll puts something in the place of every file that the lab names: that is a finding each, and nothing waits.
func (s *stage) replaceAll(t *testing.T, put func(path string) error) {
	dir := t.TempDir()
	entries, err := os.ReadDir(s.session.Dir())
	require.NoError(t, err)
	for _, entry := range entries {
		if err := put(filepath.Join(dir, entry.Name())); err != nil {
			t.Logf("this user or file system cannot have it: %v", err)
			return
		}
	}
	began := time.Now()
	out, log, code := s.run(t, "grade", "--dir", dir, "--kubeconfig", s.session.Kubeconfig(), "--kubectl", s.plane.Kubectl())
	report := parseReport(t, out, log)
	assert.Equal(t, exitFail, code)
	assert.Less(t, time.Since(began), 20*time.Second)
	found := 0
	for _, step := range report.Steps {
		for _, c := range step.Criteria {
			for _, f := range c.Findings {
				assert.NotEqual(t, grader.CodeError, f.Code, "%s.%s", step.Name, c.Name)
				if f.Code == "file.not-regular" || f.Code == "file.too-large" {
					found++
				}
			}
		}
	}
	assert.GreaterOrEqual(t, found, 15)
	assert.NotContains(t, out, "root:", "nothing of what a link points to is shown")
}

// testHangingScript puts a script that never ends in the place of the learner's: the Check button still answers.
func (s *stage) testHangingScript(t *testing.T) {
	for _, step := range []string{"3", "8"} {
		began := time.Now()
		_, code := s.grade(t, s.session.Kubeconfig(), "--step", step)
		assert.Zero(t, code)
		t.Logf("step %s of the reference solution: %s", step, time.Since(began).Round(time.Millisecond))
	}
	script := filepath.Join(s.session.Dir(), "expiry.sh")
	right, err := os.ReadFile(script)
	require.NoError(t, err)
	hanging, err := os.ReadFile("../../fixtures/hostile/ignore-signals.sh")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(script, hanging, 0o755))
	began := time.Now()
	report, code := s.grade(t, s.session.Kubeconfig(), "--step", "3")
	t.Logf("step 3 of a script that hangs: %s", time.Since(began).Round(time.Millisecond))
	assert.Less(t, time.Since(began), 15*time.Second)
	assert.Equal(t, exitFail, code)
	assert.Equal(t, "script.hangs", report.Steps[0].Criteria[4].Findings[0].Code)
	require.NoError(t, os.WriteFile(script, right, 0o755))
}
