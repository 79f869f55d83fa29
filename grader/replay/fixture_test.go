package replay

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/apimachinery/pkg/version"
	"k8s.io/client-go/tools/clientcmd"
)

const leasesPath = "/apis/coordination.k8s.io/v1/namespaces/op-leader/leases"

// objectsOf reads the objects of a manifest.
func objectsOf(t testing.TB, file string) []unstructured.Unstructured {
	t.Helper()
	f, err := os.Open(file)
	require.NoError(t, err)
	defer f.Close()
	var objects []unstructured.Unstructured
	for decoder := yaml.NewYAMLOrJSONDecoder(f, 4096); ; {
		var o unstructured.Unstructured
		if err := decoder.Decode(&o.Object); errors.Is(err, io.EOF) {
			return objects
		} else {
			require.NoError(t, err)
		}
		objects = append(objects, o)
	}
}

func worldOf(t testing.TB, objects []unstructured.Unstructured) *World {
	t.Helper()
	world, err := NewWorld(version.Info{GitVersion: "v1.37.2"}, objects)
	require.NoError(t, err)
	return world
}

// client asks a server that serves for the time of a test.
type client struct {
	t      testing.TB
	server *Server
	base   string
	token  string
	http   *http.Client
}

func newClient(t testing.TB, world *World) *client {
	t.Helper()
	ignore := goleak.IgnoreCurrent()
	server, err := NewServer(world)
	require.NoError(t, err)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	done := make(chan error, 1)
	go func() { done <- server.Serve(listener) }()
	data, err := server.Kubeconfig(listener.Addr().String(), "op-leader")
	require.NoError(t, err)
	config, err := clientcmd.RESTConfigFromKubeConfig(data)
	require.NoError(t, err)
	roots := x509.NewCertPool()
	require.True(t, roots.AppendCertsFromPEM(config.CAData))
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}, ForceAttemptHTTP2: true}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		require.NoError(t, server.Close())
		require.NoError(t, <-done)
		goleak.VerifyNone(t, ignore)
	})
	return &client{t: t, server: server, base: config.Host, token: config.BearerToken, http: &http.Client{Transport: transport}}
}

type answer struct {
	code   int
	header http.Header
	body   string
}

// do sends a request. Headers come as "Name: value".
func (c *client) do(method, path string, headers ...string) answer {
	c.t.Helper()
	request, err := http.NewRequest(method, c.base, http.NoBody)
	require.NoError(c.t, err)
	raw, query, _ := strings.Cut(path, "?")
	request.URL.RawPath, request.URL.RawQuery = raw, query // as they are, whatever they are
	request.URL.Path, err = url.PathUnescape(raw)
	require.NoError(c.t, err)
	request.Header.Set("Authorization", "Bearer "+c.token)
	request.Header.Set("User-Agent", "tester/1.0 (secret)")
	for _, header := range headers {
		name, value, _ := strings.Cut(header, ": ")
		request.Header.Set(name, value)
	}
	response, err := c.http.Do(request)
	require.NoError(c.t, err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	require.NoError(c.t, err)
	return answer{response.StatusCode, response.Header, string(body)}
}

func (c *client) get(path string, headers ...string) answer {
	c.t.Helper()
	return c.do(http.MethodGet, path, headers...)
}

// decode parses a JSON answer.
func (a answer) decode(t testing.TB) map[string]any {
	t.Helper()
	var parsed map[string]any
	require.NoError(t, json.Unmarshal([]byte(a.body), &parsed), a.body)
	return parsed
}

// status returns the message of an answer that is a Status.
func (a answer) status(t testing.TB) string {
	t.Helper()
	parsed := a.decode(t)
	require.Equal(t, "Status", parsed["kind"], a.body)
	require.EqualValues(t, a.code, parsed["code"])
	message, _ := parsed["message"].(string)
	return message
}

// names returns the names in a list.
func (a answer) names(t testing.TB) []string {
	t.Helper()
	require.Equal(t, http.StatusOK, a.code, a.body)
	var list struct {
		Items []struct {
			Metadata struct{ Name string }
		}
	}
	require.NoError(t, json.Unmarshal([]byte(a.body), &list))
	names := []string{}
	for _, item := range list.Items {
		names = append(names, item.Metadata.Name)
	}
	return names
}
