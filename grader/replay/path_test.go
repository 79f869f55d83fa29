package replay

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

func mustURL(t *testing.T, raw string) *url.URL {
	t.Helper()
	u, err := url.ParseRequestURI(raw)
	require.NoError(t, err)
	return u
}

func TestParsePath(t *testing.T) {
	lease := schema.GroupVersionResource{Group: "coordination.k8s.io", Version: "v1", Resource: "leases"}
	namespaces := schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}
	for path, want := range map[string]target{
		"/":                                   {},
		"/version":                            {document: []string{"version"}},
		"/api/v1":                             {document: []string{"api", "v1"}},
		"/apis/":                              {document: []string{"apis"}},
		"/apis/coordination.k8s.io/v1":        {document: []string{"apis", "coordination.k8s.io", "v1"}},
		"/apis/coordination.k8s.io/v1/leases": {resource: lease},
		"/apis/coordination.k8s.io/v1/namespaces/ns/leases":                     {resource: lease, namespace: "ns"},
		"/apis/coordination.k8s.io/v1/namespaces/ns/leases/a/":                  {resource: lease, namespace: "ns", name: "a"},
		"/apis/coordination.k8s.io/v1/namespaces/ns/leases/%61":                 {resource: lease, namespace: "ns", name: "a"},
		"/apis/coordination.k8s.io/v1/namespaces/ns/leases/a/status":            {resource: lease, namespace: "ns", name: "a", subresource: "status"},
		"/apis/coordination.k8s.io/v1/namespaces/ns/leases/a/proxy/b":           {resource: lease, namespace: "ns", name: "a", subresource: "proxy/b"},
		"/apis/coordination.k8s.io/v1/namespaces/ns/leases/a?watch=1&limit=%2f": {resource: lease, namespace: "ns", name: "a"},
		"/api/v1/namespaces":             {resource: namespaces},
		"/api/v1/namespaces/ns":          {resource: namespaces, name: "ns"},
		"/api/v1/namespaces/ns/status":   {resource: namespaces, name: "ns", subresource: "status"},
		"/api/v1/namespaces/ns/finalize": {resource: namespaces, name: "ns", subresource: "finalize"},
		"/api/v1/watch/namespaces/ns":    {resource: schema.GroupVersionResource{Version: "v1", Resource: "watch"}, name: "namespaces", subresource: "ns"},
	} {
		got, ok := parsePath(mustURL(t, path))
		require.True(t, ok, path)
		require.Equal(t, want, got, path)
	}
}

func TestParsePathRefusesMalformed(t *testing.T) {
	for _, path := range []string{
		"//", "//api/v1", "/api//v1", "/api/v1/namespaces//", "/api/v1/../v1", "/api/./v1", "/api/v1/namespaces/%2e%2e", "/api/v1/namespaces/a%2fb",
		"/api/v1/namespaces/a%2Fb", "/api/v1/namespaces/a%00", "/api/v1/namespaces/a%0ab", "/api/v1/namespaces/%1b[31m", "/api/v1/namespaces/a%5cb",
		"/api/v1/namespaces/%ff", "/api/v1/namespaces/%c2%85", "/api/v1/namespaces/" + strings.Repeat("a", maxPath),
	} {
		_, ok := parsePath(mustURL(t, path))
		require.False(t, ok, path)
	}
	_, ok := parsePath(&url.URL{Opaque: "example.com:443"})
	require.False(t, ok)
}

func FuzzParsePath(f *testing.F) {
	for _, seed := range []string{"/api/v1/namespaces/a/leases", "/apis/g/v/r/n/s", "//", "/%2e%2e/", "/api/v1/namespaces/a%2fb?x"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		u, err := url.ParseRequestURI(raw)
		if err != nil {
			return
		}
		got, ok := parsePath(u)
		if !ok {
			require.Equal(t, target{}, got)
			return
		}
		for _, part := range []string{got.namespace, got.name, got.resource.Group, got.resource.Version, got.resource.Resource} {
			require.NotContains(t, part, "/")
			require.False(t, part == "." || part == "..")
			require.NotContains(t, part, "\x00")
		}
		require.True(t, got.document == nil || got.resource.Resource == "")
		require.True(t, got.name != "" || got.subresource == "")
		entry := Request{Verb: verbOf(&http.Request{Method: http.MethodGet, URL: u}, got), Path: capped(u.RequestURI())}
		require.LessOrEqual(t, len(entry.Path), maxLoggedText)
	})
}
