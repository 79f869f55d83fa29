package replay

import (
	"bufio"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	"k8s.io/client-go/tools/clientcmd"
)

func TestKubeconfig(t *testing.T) {
	server, err := NewServer(worldOf(t, nil))
	require.NoError(t, err)
	for _, namespace := range []string{"op-leader", ""} {
		data, err := server.Kubeconfig("127.0.0.1:6443", namespace)
		require.NoError(t, err)
		config, err := clientcmd.Load(data)
		require.NoError(t, err)
		require.Equal(t, namespace, config.Contexts[config.CurrentContext].Namespace)
		require.Equal(t, "https://127.0.0.1:6443", config.Clusters["lab"].Server)
		require.NotContains(t, string(data), "PRIVATE KEY")
	}
}

func TestCertificateFitsLoopback(t *testing.T) {
	c := newClient(t, worldOf(t, nil))
	c.base = strings.Replace(c.base, "127.0.0.1", "localhost", 1)
	require.Equal(t, "ok", c.get("/livez").body)
}

func TestCloseEndsWhatIsOpen(t *testing.T) {
	ignore := goleak.IgnoreCurrent()
	server, err := NewServer(worldOf(t, objectsOf(t, "testdata/objects.yaml")))
	require.NoError(t, err)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	done := make(chan error, 1)
	go func() { done <- server.Serve(listener) }()
	idle, err := net.Dial("tcp", listener.Addr().String()) // never says anything
	require.NoError(t, err)
	defer idle.Close()
	watching := dial(t, listener.Addr().String())
	defer func() { _ = watching.Close() }() // it was only read
	request(t, watching, server, "GET "+leasesPath+"?watch=1 HTTP/1.1", "")
	begun := time.Now()
	require.NoError(t, server.Close())
	require.NoError(t, server.Close())
	require.NoError(t, <-done)
	require.Less(t, time.Since(begun), watchTime)
	goleak.VerifyNone(t, ignore)
	require.NoError(t, server.Serve(mustListen(t)), "a closed server serves nothing")
}

func TestOddRequests(t *testing.T) {
	c := newClient(t, worldOf(t, nil))
	for _, test := range []struct {
		line, headers string
		code          int
	}{
		{"POST " + leasesPath, "Content-Length: 1000000000\r\n", http.StatusForbidden},
		{"GET /version", "X: " + strings.Repeat("x", 2*maxHeader) + "\r\n", http.StatusRequestHeaderFieldsTooLarge},
		{"GET " + leasesPath, "Connection: Upgrade\r\nUpgrade: websocket\r\n", http.StatusForbidden},
		{"CONNECT example.com:443", "", http.StatusForbidden},
		{"OPTIONS *", "", http.StatusMethodNotAllowed},
	} {
		connection := dial(t, strings.TrimPrefix(c.base, "https://"))
		require.Equal(t, test.code, request(t, connection, c.server, test.line+" HTTP/1.1", test.headers).StatusCode, test.line)
		require.NoError(t, connection.Close())
	}
}

func TestConnectionsAreLimited(t *testing.T) {
	listener := limit(mustListen(t), 1)
	dialled := make(chan net.Conn, 2)
	for range 2 {
		connection, err := net.Dial("tcp", listener.Addr().String())
		require.NoError(t, err)
		dialled <- connection
	}
	first, err := listener.Accept()
	require.NoError(t, err)
	second := make(chan net.Conn)
	go func() {
		connection, err := listener.Accept()
		if err == nil {
			second <- connection
		}
		close(second)
	}()
	select {
	case <-second:
		t.Fatal("a second connection was accepted while the first was open")
	case <-time.After(50 * time.Millisecond):
	}
	require.NoError(t, first.Close())
	_ = first.Close() // a second time frees no second slot
	require.NotNil(t, <-second)
	waiting := make(chan error, 1)
	go func() { _, err := listener.Accept(); waiting <- err }()
	require.NoError(t, listener.Close())
	require.ErrorIs(t, <-waiting, net.ErrClosed)
	for range 2 {
		require.NoError(t, (<-dialled).Close())
	}
}

func TestManyAtOnce(t *testing.T) {
	c := newClient(t, worldOf(t, objectsOf(t, "testdata/objects.yaml")))
	want := c.get(leasesPath).body
	var group sync.WaitGroup
	for range 16 {
		group.Go(func() {
			for range 20 {
				if got := c.get(leasesPath).body; got != want {
					t.Errorf("got %s", got)
				}
			}
		})
	}
	group.Wait()
	require.Len(t, c.server.Requests(), 321)
}

func mustListen(t testing.TB) net.Listener {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	return listener
}

// dial opens a connection that speaks HTTP/1.1.
func dial(t *testing.T, addr string) *tls.Conn {
	t.Helper()
	connection, err := tls.Dial("tcp", addr, &tls.Config{InsecureSkipVerify: true}) //nolint:gosec // another test looks at the certificate
	require.NoError(t, err)
	return connection
}

func request(t *testing.T, connection *tls.Conn, server *Server, line, headers string) *http.Response {
	t.Helper()
	require.NoError(t, connection.SetDeadline(time.Now().Add(10*time.Second)))
	_, err := fmt.Fprintf(connection, "%s\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n%s\r\n", line, server.token, headers)
	require.NoError(t, err)
	answer, err := http.ReadResponse(bufio.NewReader(connection), nil)
	require.NoError(t, err)
	return answer
}

func BenchmarkNewServer(b *testing.B) {
	objects := objectsOf(b, "testdata/objects.yaml")
	for b.Loop() {
		server, err := NewServer(worldOf(b, objects))
		require.NoError(b, err)
		_ = server
	}
}

func BenchmarkList(b *testing.B) {
	c := newClient(b, worldOf(b, objectsOf(b, "testdata/objects.yaml")))
	for b.Loop() {
		c.get(leasesPath, table)
	}
}
