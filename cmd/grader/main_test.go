package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/labgrader/grader"
	"example.com/labgrader/grader/catalogue"
)

const reference = "../../fixtures/solution/bundle.tar.gz"

// call runs the command line in this process, without the part that needs a process of its own.
func call(t *testing.T, args ...string) (out string, err error) {
	t.Helper()
	root := newRoot()
	var buffer bytes.Buffer
	root.SetOut(&buffer)
	root.SetErr(&buffer)
	root.SetArgs(args)
	err = root.ExecuteContext(context.Background())
	return buffer.String(), err
}

// gradeTo grades the reference bundle into a file and returns the report.
func gradeTo(t *testing.T, args ...string) (grader.Report, error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "report.json")
	_, err := call(t, append([]string{"grade", "-o", "json=" + file}, args...)...)
	data, readErr := os.ReadFile(file)
	require.NoError(t, readErr, "a report is written in every case: %v", err)
	var report grader.Report
	require.NoError(t, json.Unmarshal(data, &report))
	return report, err
}

func TestGradesABundle(t *testing.T) {
	report, err := gradeTo(t, "--bundle", reference)
	require.NoError(t, err)
	assert.Equal(t, grader.Pass, report.Verdict)
	assert.Equal(t, "bundle", report.Evidence.Source)
	assert.Equal(t, grader.FullScore, report.Score.Earned)
	report, err = gradeTo(t, "--bundle", reference, "--step", "4,2")
	require.NoError(t, err)
	assert.Len(t, report.Steps, 2)
	assert.Equal(t, grader.Score{Earned: 25, Possible: 25}, report.Score)
}

func TestWithoutEvidenceEverythingIsAnError(t *testing.T) {
	cut := filepath.Join(t.TempDir(), "cut.tar.gz")
	whole, err := os.ReadFile(reference)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(cut, whole[:len(whole)/2], 0o600))
	for name, args := range map[string][]string{
		"no bundle":        {"--bundle", filepath.Join(t.TempDir(), "none")},
		"half a bundle":    {"--bundle", cut},
		"not a bundle":     {"--bundle", "main.go"},
		"no cluster":       {"--dir", t.TempDir(), "--kubeconfig", filepath.Join(t.TempDir(), "none")},
		"no such context":  {"--dir", t.TempDir(), "--context", "nowhere"},
		"nobody listening": {"--dir", t.TempDir(), "--kubeconfig", kubeconfigFile(t, "http://127.0.0.1:1"), "--timeout", "5s"},
	} {
		t.Run(name, func(t *testing.T) {
			report, err := gradeTo(t, args...)
			assert.Equal(t, exitStatus(exitError), err)
			assert.Equal(t, grader.Error, report.Verdict)
			assert.Len(t, report.Steps, 8)
			assert.NotEmpty(t, report.Errors)
		})
	}
}

func kubeconfigFile(t *testing.T, server string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "kubeconfig")
	content := "apiVersion: v1\nkind: Config\ncurrent-context: x\nclusters: [{name: x, cluster: {server: '" + server + "'}}]\ncontexts: [{name: x, context: {cluster: x}}]\n"
	require.NoError(t, os.WriteFile(file, []byte(content), 0o600))
	return file
}

func TestNothingDoneFails(t *testing.T) {
	report, err := gradeTo(t, "--dir", t.TempDir(), "--kubeconfig", filepath.Join(t.TempDir(), "none"), "--step", "8")
	require.Error(t, err)
	assert.Zero(t, report.Score.Earned)
}

func TestBadUsage(t *testing.T) {
	for name, test := range map[string]struct {
		args []string
		want string
	}{
		"unknown command":        {[]string{"mark"}, "unknown command"},
		"unknown flag":           {[]string{"grade", "--fast"}, "unknown flag"},
		"argument":               {[]string{"grade", "3"}, "unknown command"},
		"unknown format":         {[]string{"grade", "-o", "xml"}, "json or text"},
		"same output twice":      {[]string{"grade", "-o", "json", "-o", "text"}, "same place"},
		"no such step":           {[]string{"grade", "--step", "0"}, "no step 0"},
		"steps that are no list": {[]string{"grade", "--step", "1-3"}, "numbers separated by commas"},
		"bundle and directory":   {[]string{"grade", "--bundle", reference, "--dir", "x"}, "--dir does not go with it"},
		"rerun without bundle":   {[]string{"grade", "--rerun"}, "goes with --bundle"},
		"no such tier":           {[]string{"grade", "--require-sandbox", "Z"}, "A, B or C"},
		"no time":                {[]string{"grade", "--timeout", "0s"}, "more than 0"},
		"collect to nowhere":     {[]string{"collect"}, "--out FILE"},
		"solution without":       {[]string{"verify"}, "solve.sh"},
		"explain no such step":   {[]string{"explain", "12"}, "no step 12"},
		"explain two":            {[]string{"explain", "1", "2"}, "at most 1"},
		"no such language":       {[]string{"grade", "--lang", "tlh"}, "only en"},
		"explain in none":        {[]string{"explain", "--lang", "tlh_QS.UTF-8"}, "only en"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := call(t, test.args...)
			var usage usageError
			require.ErrorAs(t, err, &usage)
			assert.ErrorContains(t, err, test.want)
		})
	}
}

func TestInformation(t *testing.T) {
	out, err := call(t, "schema")
	require.NoError(t, err)
	assert.True(t, json.Valid([]byte(out)))
	t.Setenv("LC_ALL", "C.UTF-8")
	out, err = call(t, "explain", "4")
	require.NoError(t, err)
	for _, want := range []string{" 4  A takeover shows up", "Treat the widget-operator lease as having been taken", "one-patch", "points: 2", "judged once these pass: live, acquire"} {
		assert.Contains(t, out, want)
	}
	assert.NotContains(t, out, " 5  ")
	out, err = call(t, "version")
	require.NoError(t, err)
	assert.NotEmpty(t, strings.TrimSpace(out))
	out, err = call(t, "rbac")
	require.NoError(t, err)
	for _, want := range []string{"kind: ServiceAccount", "kind: ClusterRole\n", "kind: ValidatingAdmissionPolicy\n", "resourceNames:"} {
		assert.Contains(t, out, want)
	}
	for _, never := range []string{"secrets", "delete", "- update", `"*"`, "creationTimestamp"} {
		assert.NotContains(t, strings.ReplaceAll(out, "DELETE", ""), never)
	}
	out, err = call(t, "completion", "bash")
	require.NoError(t, err)
	assert.Contains(t, out, "grader")
	out, err = call(t, "__complete", "grade", "--step", "")
	require.NoError(t, err)
	assert.Contains(t, out, "4\tA takeover")
	for _, command := range []string{"grade", "explain"} {
		out, err = call(t, "__complete", command, "--lang", "")
		require.NoError(t, err)
		assert.Contains(t, out, strings.Join(catalogue.Languages(), "\n")+"\n")
		assert.Contains(t, out, "ShellCompDirectiveNoFileComp")
	}
}

func TestGradesInALanguage(t *testing.T) {
	report, err := gradeTo(t, "--bundle", reference, "--lang", "en_GB.UTF-8")
	require.NoError(t, err)
	assert.Equal(t, "One lease decides the leader", report.Steps[0].Title)
	for _, lang := range catalogue.Languages()[1:] {
		other, err := gradeTo(t, "--bundle", reference, "--lang", lang)
		require.NoError(t, err)
		assert.NotEqual(t, report.Steps[0].Title, other.Steps[0].Title)
		t.Setenv("LC_ALL", lang)
		fromLocale, err := gradeTo(t, "--bundle", reference)
		require.NoError(t, err)
		assert.Equal(t, other, fromLocale)
	}
}
