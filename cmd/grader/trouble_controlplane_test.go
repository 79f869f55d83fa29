//go:build controlplane

package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"example.com/labgrader/grader"
)

// fault answers a request in the API server's place, or reports false to let it through.
type fault func(w http.ResponseWriter, r *http.Request) bool

// fronted puts a fault before the API server and returns a kubeconfig that leads there.
func (s *stage) fronted(t *testing.T, f fault) string {
	t.Helper()
	transport, err := rest.TransportFor(s.plane.Config)
	require.NoError(t, err)
	target, err := url.Parse(s.plane.Config.Host)
	require.NoError(t, err)
	proxy := &httputil.ReverseProxy{Transport: transport, Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target) }}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !f(w, r) {
			proxy.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(func() { server.CloseClientConnections(); server.Close() })
	return kubeconfigTo(t, server.URL)
}

func kubeconfigTo(t *testing.T, address string) string {
	t.Helper()
	config := clientcmdapi.NewConfig()
	config.Clusters["x"] = &clientcmdapi.Cluster{Server: address}
	config.Contexts["x"] = &clientcmdapi.Context{Cluster: "x"}
	config.CurrentContext = "x"
	file := filepath.Join(t.TempDir(), "kubeconfig")
	require.NoError(t, clientcmd.WriteToFile(*config, file))
	return file
}

func answers(code int, header, body string) fault {
	return func(w http.ResponseWriter, _ *http.Request) bool {
		if name, value, ok := strings.Cut(header, ": "); ok {
			w.Header().Set(name, value)
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(code)
		_, _ = io.WriteString(w, body) // the client may be gone
		return true
	}
}

func on(part string, f fault) fault {
	return func(w http.ResponseWriter, r *http.Request) bool {
		return strings.Contains(r.URL.Path, part) && f(w, r)
	}
}

// hang answers nothing until the client is gone.
func hang(_ http.ResponseWriter, r *http.Request) bool {
	_, _ = io.Copy(io.Discard, r.Body) // a server notices that the client is gone only after the body
	<-r.Context().Done()
	return true
}

func status(code int, reason string) string {
	return fmt.Sprintf(`{"kind":"Status","apiVersion":"v1","status":"Failure","message":"no","reason":%q,"code":%d}`, reason, code)
}

const cut = `{"kind":"Lease","apiVersion":"coordination.k8s.io/v1","metadata":{"na`

func (s *stage) testTrouble(t *testing.T) {
	all := func() map[string]grader.Verdict {
		return passing("lease", "error", "renew", "error", "expiry", "error", "takeover", "error", "microtime", "error", "rbac", "error", "splitbrain", "error", "audit", "error")
	}
	for name, test := range map[string]struct {
		kubeconfig string
		want       map[string]grader.Verdict
	}{
		"refused":               {kubeconfigTo(t, "http://127.0.0.1:1"), all()},
		"401":                   {s.fronted(t, answers(401, "", status(401, "Unauthorized"))), all()},
		"403 on roles":          {s.fronted(t, on("/roles/", answers(403, "", status(403, "Forbidden")))), passing("rbac", "error")},
		"403 on reviews":        {s.fronted(t, on("subjectaccessreviews", answers(403, "", status(403, "Forbidden")))), passing("rbac", "error")},
		"429":                   {s.fronted(t, answers(429, "", status(429, "TooManyRequests"))), all()},
		"500":                   {s.fronted(t, answers(500, "", status(500, "InternalError"))), all()},
		"500 on configmaps":     {s.fronted(t, on("/configmaps/", answers(500, "", "oops"))), passing("splitbrain", "error")},
		"404 of a proxy":        {s.fronted(t, answers(404, "", "<html>not here</html>")), all()},
		"hanging":               {s.fronted(t, hang), all()},
		"hanging on leases":     {s.fronted(t, on("/leases", hang)), passing("lease", "error", "renew", "error", "expiry", "error", "takeover", "error", "microtime", "error", "audit", "error")},
		"truncated JSON":        {s.fronted(t, answers(200, "", cut)), all()},
		"truncated on configs":  {s.fronted(t, on("/configmaps/", answers(200, "", cut))), passing("splitbrain", "error")},
		"kubeconfig is missing": {filepath.Join(t.TempDir(), "none"), all()},
		"429 with Retry-After":  {s.fronted(t, answers(429, "Retry-After: 1", status(429, "TooManyRequests"))), all()},
	} {
		t.Run(name, func(t *testing.T) {
			began := time.Now()
			report, code := s.grade(t, test.kubeconfig, "--timeout", "3s")
			assert.Less(t, time.Since(began), 10*time.Second)
			assert.Equal(t, exitError, code)
			assert.Equal(t, grader.Error, report.Verdict)
			assert.Equal(t, test.want, verdicts(report))
			assert.NotEmpty(t, report.Errors)
			for _, step := range report.Steps {
				for _, c := range step.Criteria {
					assert.NotEqual(t, grader.Fail, c.Verdict, "%s.%s: trouble of the grader is no failure", step.Name, c.Name)
				}
			}
		})
	}
}

// A server that accepts whole seconds makes step 5 impossible: that is an error of the lab, not of the learner.
func (s *stage) testAcceptsSeconds(t *testing.T) {
	kubeconfig := s.fronted(t, func(w http.ResponseWriter, r *http.Request) bool {
		return r.Method == http.MethodPatch && strings.Contains(r.URL.Path, "/leases/") &&
			answers(200, "", `{"kind":"Lease","apiVersion":"coordination.k8s.io/v1","metadata":{"name":"widget-operator"}}`)(w, r)
	})
	report, code := s.grade(t, kubeconfig)
	assert.Equal(t, exitError, code)
	assert.Equal(t, passing("microtime", "error"), verdicts(report))
}

func (s *stage) testAllowsEverything(t *testing.T) {
	kubeconfig := s.fronted(t, on("subjectaccessreviews", answers(201, "", `{"kind":"SubjectAccessReview","apiVersion":"authorization.k8s.io/v1","status":{"allowed":true}}`)))
	report, code := s.grade(t, kubeconfig)
	assert.Equal(t, exitError, code)
	assert.Equal(t, passing("rbac", "error"), verdicts(report))
}

// An authorizer may deny what the rules allow: that is told, by the step it concerns.
func (s *stage) testDeniesEverything(t *testing.T) {
	kubeconfig := s.fronted(t, on("subjectaccessreviews", answers(201, "", `{"kind":"SubjectAccessReview","apiVersion":"authorization.k8s.io/v1","status":{"allowed":false}}`)))
	report, code := s.grade(t, kubeconfig)
	assert.Equal(t, exitFail, code)
	assert.Equal(t, passing("rbac", "fail"), verdicts(report))
	findings := report.Steps[5].Criteria[5].Findings
	require.Len(t, findings, 3)
	assert.Equal(t, "rbac.access-denied", findings[0].Code)
}

func (s *stage) testAccount(t *testing.T) {
	manifest, log, code := s.run(t, "rbac")
	require.Zero(t, code, log)
	file := filepath.Join(t.TempDir(), "account.yaml")
	require.NoError(t, os.WriteFile(file, []byte(manifest), 0o600))
	s.kubectl(t, s.session.Kubeconfig(), "apply", "-f", file)
	token := strings.TrimSpace(s.kubectl(t, s.session.Kubeconfig(), "create", "token", "grader", "-n", "grader"))
	config := clientcmdapi.NewConfig()
	config.Clusters["x"] = &clientcmdapi.Cluster{Server: s.plane.Config.Host, CertificateAuthorityData: s.plane.Config.CAData}
	config.AuthInfos["x"] = &clientcmdapi.AuthInfo{Token: token}
	config.Contexts["x"] = &clientcmdapi.Context{Cluster: "x", AuthInfo: "x"}
	config.CurrentContext = "x"
	kubeconfig := filepath.Join(t.TempDir(), "kubeconfig")
	require.NoError(t, clientcmd.WriteToFile(*config, kubeconfig))

	report, code := s.grade(t, kubeconfig)
	assert.Zero(t, code)
	assert.Equal(t, passing(), verdicts(report))
	s.testForbidden(t, kubeconfig)
}
