package replay

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAuthentication(t *testing.T) {
	c := newClient(t, worldOf(t, objectsOf(t, "testdata/objects.yaml")))
	for _, header := range []string{"", "Bearer", "Bearer ", "Bearer x", "Bearer " + c.token + "x", "bearer " + c.token, "Basic " + c.token, c.token} {
		for _, path := range []string{leasesPath, "/version", "/healthz", "/nothing", "//"} {
			got := c.get(path, "Authorization: "+header)
			require.Equal(t, http.StatusUnauthorized, got.code)
			require.Equal(t, "Unauthorized", got.status(t))
		}
	}
	require.Equal(t, http.StatusOK, c.get("/version").code)
	require.GreaterOrEqual(t, len(c.token), 26)
	another, err := NewServer(c.server.world)
	require.NoError(t, err)
	require.NotEqual(t, c.token, another.token)
}

func TestRefusals(t *testing.T) {
	c := newClient(t, worldOf(t, objectsOf(t, "testdata/objects.yaml")))
	one := leasesPath + "/widget-operator"
	const pods = "/api/v1/namespaces/op-leader/pods"
	for _, test := range []struct {
		method, path string
		code         int
		message      string
	}{
		{"POST", leasesPath, 403, "leases.coordination.k8s.io is forbidden: this API is read-only"},
		{"POST", leasesPath + "?dryRun=All", 403, "leases.coordination.k8s.io is forbidden: this API is read-only"},
		{"PUT", one, 403, `leases.coordination.k8s.io "widget-operator" is forbidden: this API is read-only`},
		{"PATCH", one, 403, `leases.coordination.k8s.io "widget-operator" is forbidden: this API is read-only`},
		{"PATCH", one + "?dryRun=All", 403, `leases.coordination.k8s.io "widget-operator" is forbidden: this API is read-only`},
		{"DELETE", one, 403, `leases.coordination.k8s.io "widget-operator" is forbidden: this API is read-only`},
		{"DELETE", leasesPath, 403, "leases.coordination.k8s.io is forbidden: this API is read-only"},
		{"POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", 403, "selfsubjectaccessreviews.authorization.k8s.io is forbidden: this API is read-only"},
		{"POST", pods + "/p/exec", 403, `pods "p" is forbidden: this API is read-only`},
		{"POST", "//", 403, "forbidden: this API is read-only"},
		{"OPTIONS", leasesPath, 405, "the server does not allow this method on the requested resource"},
		{"TRACE", leasesPath, 405, "the server does not allow this method on the requested resource"},
		{"FOO", "/version", 405, "the server does not allow this method on the requested resource"},
		{"GET", "/api/v1/namespaces/op-leader/status", 403, `namespaces "op-leader" is forbidden: this API is read-only and serves no subresources`},
		{"GET", pods + "/p/log", 403, `pods "p" is forbidden: this API is read-only and serves no subresources`},
		{"GET", pods + "/p/exec?command=id", 403, `pods "p" is forbidden: this API is read-only and serves no subresources`},
		{"GET", pods + "/p/proxy", 403, `pods "p" is forbidden: this API is read-only and serves no subresources`},
		{"GET", "/api/v1/namespaces/op-leader/services/s/proxy/a/b", 404, "the server could not find the requested resource"},
		{"GET", "/api/v1/proxy/namespaces/op-leader/pods/p", 404, "the server could not find the requested resource"},
		{"GET", "/api/v1/watch/namespaces/op-leader/configmaps", 404, "the server could not find the requested resource"},
		{"GET", pods, 403, "pods is forbidden: this API is read-only and does not serve pods"},
		{"GET", "/api/v1/secrets", 403, "secrets is forbidden: this API is read-only and does not serve secrets"},
		{"GET", "/api/v1/namespaces/op-leader/secrets/x", 403, `secrets "x" is forbidden: this API is read-only and does not serve secrets`},
		{"GET", "/apis/apps/v1/deployments", 403, "deployments.apps is forbidden: this API is read-only and does not serve deployments.apps"},
		{"GET", "/apis/coordination.k8s.io/v1/leases/widget-operator", 404, "the server could not find the requested resource"},
		{"GET", "/apis/coordination.k8s.io/v1/things", 404, "the server could not find the requested resource"},
		{"GET", "/apis/coordination.k8s.io/v2/leases", 404, "the server could not find the requested resource"},
		{"GET", "/apis/coordination.k8s.io/v2", 404, "the server could not find the requested resource"},
		{"GET", "/apis/example.com", 404, "the server could not find the requested resource"},
		{"GET", "/api/v2", 404, "the server could not find the requested resource"},
		{"GET", one + "/status", 404, "the server could not find the requested resource"},
		{"GET", "/", 404, "the server could not find the requested resource"},
		{"GET", "/metrics", 404, "the server could not find the requested resource"},
		{"GET", "/openapi/v2", 404, "the server could not find the requested resource"},
		{"GET", "/openapi/v3", 404, "the server could not find the requested resource"},
		{"GET", "/debug/pprof/", 404, "the server could not find the requested resource"},
		{"GET", "//api/v1/namespaces", 404, "the server could not find the requested resource"},
		{"GET", "/api/v1/../v1/namespaces", 404, "the server could not find the requested resource"},
		{"GET", "/api/v1/namespaces/op-leader%2fconfigmaps", 404, "the server could not find the requested resource"},
		{"GET", "/api/v1/namespaces/a%00b", 404, "the server could not find the requested resource"},
		{"GET", "/api/v1/namespaces/" + strings.Repeat("a", 5000), 404, "the server could not find the requested resource"},
	} {
		got := c.do(test.method, test.path)
		require.Equal(t, test.code, got.code, "%+v", test)
		require.Equal(t, test.message, got.status(t), "%+v", test)
	}
	require.Equal(t, http.StatusMethodNotAllowed, c.do("HEAD", leasesPath).code)

	require.Contains(t, c.get(leasesPath, "Impersonate-User: admin").status(t), "knows no other user")
	require.Equal(t, http.StatusForbidden, c.get(leasesPath, "Impersonate-Extra-Scopes: x").code)
	require.Equal(t, http.StatusNotFound, c.get("/nothing", "Accept: text/html").code, "an error is told whatever is accepted")
}

func TestRequests(t *testing.T) {
	c := newClient(t, worldOf(t, objectsOf(t, "testdata/objects.yaml")))
	c.get("/version")
	c.get(leasesPath + "?limit=500")
	c.get(leasesPath + "/missing")
	c.get(leasesPath + "?watch=1&timeoutSeconds=0")
	c.do("DELETE", leasesPath)
	c.get("/api/v1/namespaces/op-leader/pods/p/log", "User-Agent: kubectl/v1.37.2 (linux/amd64) kubernetes/abc")
	c.get(leasesPath, "Authorization: no", "User-Agent: (nobody)")
	c.get("/" + strings.Repeat("x", 4000))
	log := c.server.Requests()
	const group = "coordination.k8s.io"
	require.Equal(t, []Request{
		{Verb: "get", Path: "/version", Agent: "tester", Code: 200},
		{Verb: "list", Group: group, Resource: "leases", Namespace: "op-leader", Path: leasesPath + "?limit=500", Agent: "tester", Code: 200},
		{Verb: "get", Group: group, Resource: "leases", Namespace: "op-leader", Name: "missing", Path: leasesPath + "/missing", Agent: "tester", Code: 404},
		{Verb: "watch", Group: group, Resource: "leases", Namespace: "op-leader", Path: leasesPath + "?watch=1&timeoutSeconds=0", Agent: "tester", Code: 200},
		{Verb: "deletecollection", Group: group, Resource: "leases", Namespace: "op-leader", Path: leasesPath, Agent: "tester", Code: 403},
		{Verb: "get", Resource: "pods/log", Namespace: "op-leader", Name: "p", Path: "/api/v1/namespaces/op-leader/pods/p/log", Agent: "kubectl", Code: 403},
		{Verb: "list", Group: group, Resource: "leases", Namespace: "op-leader", Path: leasesPath, Code: 401},
		{Verb: "get", Path: "/" + strings.Repeat("x", maxLoggedText-1), Agent: "tester", Code: 404},
	}, log)
	log[0].Path = "changed"
	require.Equal(t, "/version", c.server.Requests()[0].Path)
	for range maxRequests {
		c.get("/healthz")
	}
	require.Len(t, c.server.Requests(), maxRequests)
}
