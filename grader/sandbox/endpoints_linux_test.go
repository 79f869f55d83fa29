package sandbox

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestOtherEndpoints(t *testing.T) {
	needsPython(t)
	strongTiers(t, func(t *testing.T, tier Tier) {
		reached := make(chan string, 100)
		dir := privateDir(t)
		tcp := listenForIntruders(t, reached, "tcp4", "127.0.0.1:0")
		unixPath := filepath.Join(dir, "socket")
		listenForIntruders(t, reached, "unix", unixPath)
		require.NoError(t, os.Chmod(unixPath, 0o777))
		abstract := fmt.Sprintf("@sandbox-%d", time.Now().UnixNano())
		listenForIntruders(t, reached, "unix", abstract)
		udp, err := net.ListenPacket("udp4", "127.0.0.1:0")
		require.NoError(t, err)
		defer udp.Close()
		_, port, err := net.SplitHostPort(tcp)
		require.NoError(t, err)
		_, udpPort, err := net.SplitHostPort(udp.LocalAddr().String())
		require.NoError(t, err)
		script := filepath.Join(dir, "intrude.py")
		write(t, script, intrude)
		spec := Spec{
			Dir: "/root/op-leader", Mounts: []Mount{{dir, "/root/op-leader", true}},
			Serve: func(l net.Listener) { _ = tryAccept(l) },
		}
		transcript := runScript(t, tier, spec, `
			(echo >/dev/tcp/127.0.0.1/$1) 2>/dev/null && echo bash connected
			/usr/bin/python3 intrude.py "$@" && echo done`, port, udpPort, unixPath, abstract[1:])
		assert.Equal(t, "done\n", string(transcript.Stdout.Data), string(transcript.Stderr.Data))
		require.NoError(t, udp.SetReadDeadline(time.Now().Add(50*time.Millisecond)))
		_, _, err = udp.ReadFrom(make([]byte, 10))
		assert.Error(t, err, "no datagram arrives")
		assert.Empty(t, reached)
	})
}

func listenForIntruders(t *testing.T, reached chan<- string, network, address string) string {
	t.Helper()
	config := net.ListenConfig{} // with Multipath TCP, as is Go's default
	l, err := config.Listen(context.Background(), network, address)
	require.NoError(t, err)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for tryAccept(l) {
			reached <- network
		}
	}()
	t.Cleanup(func() { l.Close(); <-ended })
	return l.Addr().String()
}

func tryAccept(l net.Listener) bool {
	conn, err := l.Accept()
	if err != nil {
		return false
	}
	conn.Close()
	return true
}

const intrude = `
import socket, sys
port, udp, path, abstract = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], "\0" + sys.argv[4]
def attempt(name, *steps):
    try:
        for step in steps: step()
        print("reached by", name)
    except OSError as e:
        print(name, e, file=sys.stderr)
def connect(family, kind, protocol, address):
    return lambda: socket.socket(family, kind, protocol).connect(address)
I, U, S, D = socket.AF_INET, socket.AF_UNIX, socket.SOCK_STREAM, socket.SOCK_DGRAM
local = "127.0.0.1"
attempt("tcp", connect(I, S, 0, (local, port)))
attempt("mptcp", connect(I, S, 262, (local, port)))
attempt("tcp over ipv6", connect(socket.AF_INET6, S, 0, ("::ffff:127.0.0.1", port)))
attempt("fast open", lambda: socket.socket(I, S).sendto(b"x", 0x20000000, (local, port)))
attempt("fast open, message", lambda: socket.socket(I, S).sendmsg([b"x"], [], 0x20000000, (local, port)))
attempt("udp", lambda: socket.socket(I, D).sendto(b"x", (local, udp)))
attempt("path", connect(U, S, 0, path))
attempt("abstract", connect(U, S, 0, abstract))
attempt("datagram pair", lambda: socket.socketpair(U, D)[0].sendto(b"x", path))
attempt("raw", lambda: socket.socket(I, socket.SOCK_RAW, 1))
attempt("netlink", lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0))
attempt("vsock", lambda: socket.socket(socket.AF_VSOCK, S).connect((2, port)))
`
