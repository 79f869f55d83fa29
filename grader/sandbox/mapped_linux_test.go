package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// requireMapping skips a test where namespaces are not allowed, once the error says so.
func requireMapping(t *testing.T) {
	t.Helper()
	dir := privateDir(t)
	err := RunMapped(context.Background(), Mapped{Argv: []string{"true"}, Source: dir, Target: dir})
	if err == nil {
		return
	}
	assert.Regexp(t, "(user namespaces|mount namespace): ", err.Error())
	t.Skipf("this machine does not allow namespaces: %v", err)
}

func mapped(t *testing.T, m Mapped, script string, args ...string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	m.Argv = append([]string{"bash", "-c", script, "script"}, args...)
	m.Stdout, m.Stderr = &out, &out
	err := RunMapped(context.Background(), m)
	return out.String(), err
}

func TestMappedTarget(t *testing.T) {
	requireMapping(t)
	source := privateDir(t)
	write(t, filepath.Join(source, "file"), "shown")
	existing := privateDir(t)
	write(t, filepath.Join(existing, "real"), "real")
	closed := privateDir(t)
	require.NoError(t, os.Chmod(closed, 0))
	tests := map[string]string{
		"the lab's":          "/root/op-leader",
		"existing":           existing,
		"missing":            filepath.Join(existing, "none"),
		"missing deep below": filepath.Join(existing, "none/of/these"),
		"below a closed one": filepath.Join(closed, "op-leader"),
		"in /etc":            "/etc/sandbox-test/dir",
	}
	for name, target := range tests {
		t.Run(name, func(t *testing.T) {
			_, statErr := os.Stat(target)
			out, err := mapped(t, Mapped{Source: source, Target: target}, `pwd; cat file; echo "$1" >written; ls "$2"`, name, target)
			require.NoError(t, err, out)
			assert.Equal(t, target+"\nshownfile\nwritten\n", out)
			data, err := os.ReadFile(filepath.Join(source, "written"))
			require.NoError(t, err)
			assert.Equal(t, name+"\n", string(data), "it is the same directory")
			require.NoError(t, os.Remove(filepath.Join(source, "written")))
			_, nowErr := os.Stat(target)
			assert.Equal(t, statErr == nil, nowErr == nil, "the real target is as it was")
			list, err := os.ReadDir(existing)
			require.NoError(t, err)
			assert.Len(t, list, 1)
		})
	}
}

func TestMappedEnvironmentIsOrdinary(t *testing.T) {
	requireMapping(t)
	t.Setenv("SANDBOX_TEST", "inherited")
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	_, port, err := net.SplitHostPort(l.Addr().String())
	require.NoError(t, err)
	out, err := mapped(t, Mapped{Source: privateDir(t), Target: "/root/op-leader", Dir: "/"}, `
		pwd; echo $SANDBOX_TEST; id -u; exec 3<>/dev/tcp/127.0.0.1/$1 && echo connected
		[ $(id -u) = 0 ] || grep -c -E 'Cap(Prm|Eff|Amb):.0000000000000000' /proc/self/status`, port)
	require.NoError(t, err, out)
	want := fmt.Sprintf("/\ninherited\n%d\nconnected\n", os.Getuid())
	if os.Getuid() != 0 {
		want += "3\n"
	}
	assert.Equal(t, want, out)
	out, err = mapped(t, Mapped{Source: privateDir(t), Target: "/root/op-leader", Env: []string{"PATH=" + DefaultPath}}, `echo "<$SANDBOX_TEST>"`)
	require.NoError(t, err, out)
	assert.Equal(t, "<>\n", out)
}

func TestMappedKeepsPaths(t *testing.T) {
	requireMapping(t)
	parent := privateDir(t)
	write(t, filepath.Join(parent, "cache/tools/kubectl"), "tool")
	write(t, filepath.Join(parent, "kube/config"), "config")
	write(t, filepath.Join(parent, "other"), "x")
	m := Mapped{
		Source: privateDir(t), Target: filepath.Join(parent, "op-leader"),
		Keep: []string{filepath.Join(parent, "cache/tools"), filepath.Join(parent, "kube/config"), "/usr"},
	}
	out, err := mapped(t, m, `cd ..; find . -type f -o -type d | sort; cat cache/tools/kubectl kube/config`)
	require.NoError(t, err, out)
	assert.Equal(t, ".\n./cache\n./cache/tools\n./cache/tools/kubectl\n./kube\n./kube/config\n./op-leader\ntoolconfig", out)
	m.Keep = []string{filepath.Join(parent, "missing")}
	_, err = mapped(t, m, "true")
	assert.ErrorContains(t, err, "missing: no such file or directory")
}

func TestMappedErrors(t *testing.T) {
	requireMapping(t)
	dir := privateDir(t)
	_, err := mapped(t, Mapped{Source: dir, Target: dir}, "exit 3")
	var exit *exec.ExitError
	require.ErrorAs(t, err, &exit)
	assert.Equal(t, 3, exit.ExitCode())
	tests := map[string]struct {
		m    Mapped
		want string
	}{
		"no command":          {Mapped{Source: dir, Target: dir}, "no command"},
		"command not found":   {Mapped{Argv: []string{"no-such-program"}, Source: dir, Target: dir}, "executing no-such-program: "},
		"no source":           {Mapped{Argv: []string{"true"}, Source: dir + "/none", Target: dir}, "no such file"},
		"relative source":     {Mapped{Argv: []string{"true"}, Source: "x", Target: dir}, "usable absolute paths"},
		"nothing to cover":    {Mapped{Argv: []string{"true"}, Source: dir, Target: "/none-such/dir"}, "cannot be covered"},
		"no such working dir": {Mapped{Argv: []string{"true"}, Source: dir, Target: dir, Dir: "/none-such"}, "entering /none-such"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			assert.ErrorContains(t, RunMapped(context.Background(), test.m), test.want)
		})
	}
}

func TestMappedContext(t *testing.T) {
	requireMapping(t)
	gone := errors.New("nobody waits any more")
	ctx, cancel := context.WithCancelCause(context.Background())
	time.AfterFunc(300*time.Millisecond, func() { cancel(gone) })
	marker := fmt.Sprintf("95%d.%d", os.Getpid(), time.Now().UnixNano()%1e6)
	var out strings.Builder
	began := time.Now()
	err := RunMapped(ctx, Mapped{
		Argv: []string{"bash", "-c", `sleep "$0" & sleep "$0"`, marker}, Source: privateDir(t), Target: "/root/op-leader", Stdout: &out,
	})
	assert.ErrorIs(t, err, gone)
	assert.Less(t, time.Since(began), 2*time.Second)
	requireNoProcess(t, marker)
}
