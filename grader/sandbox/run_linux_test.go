package sandbox

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func everyTier(t *testing.T, test func(t *testing.T, tier Tier)) {
	t.Helper()
	strongTiers(t, test)
	t.Run(string(TierC), func(t *testing.T) { test(t, TierC) })
}

func TestExit(t *testing.T) {
	tests := map[string]struct {
		argv   []string
		code   int
		signal string
		fails  string // in StartError
	}{
		"success":         {argv: []string{"true"}},
		"failure":         {argv: []string{"bash", "-c", "exit 7"}, code: 7},
		"signal":          {argv: []string{"bash", "-c", "kill -TERM $$; sleep 1"}, code: -1, signal: "SIGTERM"},
		"aborted":         {argv: []string{"bash", "-c", "kill -ABRT $$"}, code: -1, signal: "SIGABRT"},
		"not found":       {argv: []string{"no-such-program"}, code: 127, fails: "no such file"},
		"bad interpreter": {argv: []string{"./crlf.sh"}, code: 127, fails: "no such file"},
		"not executable":  {argv: []string{"./plain.sh"}, code: 126, fails: "permission denied"},
		"no program":      {argv: []string{"./text"}, code: 126, fails: "exec format error"},
		"relative":        {argv: []string{"./good.sh", "3"}, code: 3},
	}
	everyTier(t, func(t *testing.T, tier Tier) {
		for name, test := range tests {
			t.Run(name, func(t *testing.T) {
				dir := privateDir(t)
				for file, content := range map[string]string{
					"crlf.sh": "#!/bin/bash\r\necho hi\r\n", "text": "just text", "good.sh": "#!/bin/sh\nexit $1\n", "plain.sh": "#!/bin/sh\n",
				} {
					write(t, filepath.Join(dir, file), content)
					if file != "plain.sh" {
						require.NoError(t, os.Chmod(filepath.Join(dir, file), 0o755))
					}
				}
				transcript, err := Run(context.Background(), tier, Spec{
					Argv: test.argv, Dir: "/root/op-leader", Mounts: []Mount{{dir, "/root/op-leader", true}},
				})
				require.NoError(t, err)
				assert.Equal(t, test.code, transcript.ExitCode)
				assert.Equal(t, test.signal, transcript.Signal)
				assert.Contains(t, transcript.StartError, test.fails)
				assert.Equal(t, test.fails != "", transcript.StartError != "")
				assert.Empty(t, transcript.Changes)
				assert.False(t, transcript.TimedOut)
			})
		}
	})
}

func TestChanges(t *testing.T) {
	everyTier(t, func(t *testing.T, tier Tier) {
		dir, tools := privateDir(t), privateDir(t)
		for _, name := range []string{"same", "rewritten", "grown", "gone", "sub/gone", "touched", "replaced"} {
			write(t, filepath.Join(dir, name), "old "+name)
		}
		file := filepath.Join(tools, "tool")
		write(t, file, "x")
		spec := Spec{
			Dir:    "/root/op-leader",
			Mounts: []Mount{{dir, "/root/op-leader", true}, {tools, "/opt/tools", false}},
			Prepare: func(s Scene) (Setting, error) {
				return Setting{Files: map[string][]byte{"/root/op-leader/given/kubeconfig": []byte("given")}}, nil
			},
		}
		transcript := runScript(t, tier, spec, `
			echo "old same" >/dev/null; printf 'old same' >same
			echo new >rewritten; echo more >>grown; rm -r gone sub; touch touched; chmod +x touched
			rm replaced; ln -s /etc/shadow replaced
			mkdir made; echo 1 >made/file; mkfifo made/fifo; ln -s loop loop; ln -s /dev/zero zero
			cat given/kubeconfig`)
		assert.Equal(t, "given", string(transcript.Stdout.Data), string(transcript.Stderr.Data))
		target := "/root/op-leader"
		assert.Equal(t, []Change{
			{target, "gone", Removed}, {target, "grown", Changed}, {target, "loop", Created}, {target, "made", Created},
			{target, "made/fifo", Created}, {target, "made/file", Created}, {target, "replaced", Changed},
			{target, "rewritten", Changed}, {target, "sub", Removed}, {target, "sub/gone", Removed}, {target, "zero", Created},
		}, transcript.Changes)
		assert.False(t, transcript.ChangesCut)
		assert.NoDirExists(t, filepath.Join(dir, "given"), "what was placed for the run is gone")
	})
}

func TestChangesOfHostileTrees(t *testing.T) {
	strongTiers(t, func(t *testing.T, tier Tier) {
		dir := privateDir(t)
		spec := Spec{Dir: "/root/op-leader", Mounts: []Mount{{dir, "/root/op-leader", true}}}
		transcript := runScript(t, tier, spec, `
			(for i in {1..100}; do mkdir deep_____________________________________________ && cd deep* || exit; done)
			mkdir closed; touch closed/file; chmod 0 closed`)
		assert.Equal(t, 0, transcript.ExitCode, string(transcript.Stderr.Data))
		assert.True(t, transcript.ChangesCut)
		assert.Contains(t, transcript.Changes, Change{"/root/op-leader", "closed", Created})
	})
}

func TestMountsAndFiles(t *testing.T) {
	strongTiers(t, func(t *testing.T, tier Tier) {
		dir, home, tools := privateDir(t), privateDir(t), privateDir(t)
		write(t, filepath.Join(dir, "expiry.sh"), "#!/bin/bash\necho ok\n")
		write(t, filepath.Join(home, ".kube/cache/x"), "warm")
		write(t, filepath.Join(tools, "bin/kubectl"), "#!/bin/sh\necho kubectl $KUBECONFIG\n")
		tool := filepath.Join(tools, "bin/kubectl")
		require.NoError(t, os.Chmod(tool, 0o755))
		// Where root keeps its things, others cannot go.
		require.NoError(t, os.Chmod(filepath.Dir(tools), 0o700))
		require.NoError(t, os.Symlink(tool, filepath.Join(dir, "..", "alias")))
		var scene Scene
		spec := Spec{
			Dir: "/root/op-leader",
			Mounts: []Mount{
				{dir, "/root/op-leader", true}, {home, "/root", true}, {filepath.Dir(tool), "/opt/tools", false},
				{filepath.Join(dir, "..", "alias"), "/opt/one/kubectl", false},
			},
			Prepare: func(s Scene) (Setting, error) {
				scene = s
				return Setting{
					Env: map[string]string{"PATH": s.Path("/opt/tools") + ":" + DefaultPath, "TZ": "Asia/Seoul", "KUBECONFIG": "k"},
					Files: map[string][]byte{
						"/root/.kube/config": []byte("from home\n"), "/etc/kubernetes/admin.conf": []byte("from etc\n"),
					},
				}, nil
			},
		}
		transcript := runScript(t, tier, spec, `
			pwd -P; bash ./expiry.sh; kubectl; cat ~/.kube/config ~/.kube/cache/x; echo; date +%Z
			cat "$1"; "$2"; echo x >"$(command -v kubectl)"; rm -f "$(command -v kubectl)"; kubectl; echo new >~/made`,
			"/etc/kubernetes/admin.conf", "/opt/one/kubectl")
		inPlace := "/root/op-leader\nok\nkubectl k\nfrom home\nwarm\nKST\nfrom etc\nkubectl k\nkubectl k\n"
		if tier == TierA {
			assert.Equal(t, inPlace, string(transcript.Stdout.Data), string(transcript.Stderr.Data))
			assert.Empty(t, transcript.Unmapped)
			assert.Equal(t, "/opt/tools", scene.Path("/opt/tools"))
		} else {
			assert.Equal(t, dir+"\nok\nkubectl k\nfrom home\nwarm\nKST\nkubectl k\n", string(transcript.Stdout.Data), string(transcript.Stderr.Data))
			assert.Equal(t, []string{
				"/etc/kubernetes/admin.conf", "/opt/one/kubectl", "/opt/tools", "/root", "/root/.kube/config", "/root/op-leader", "/tmp",
			}, transcript.Unmapped)
			assert.Equal(t, dir+"/x", scene.Path("/root/op-leader/x"))
			assert.Equal(t, home+"/.kube/config", scene.Path("/root/.kube/config"))
			assert.Equal(t, "/usr/bin/env", scene.Path("/usr/bin/env"))
			assert.NoFileExists(t, scene.Path("/etc/kubernetes/admin.conf"), "the private directories are gone")
		}
		assert.Equal(t, []Change{{"/root", "made", Created}}, transcript.Changes)
		assert.NoFileExists(t, filepath.Join(home, ".kube/config"))
		assert.NoDirExists(t, filepath.Join(home, "op-leader"))
		assert.FileExists(t, tool)
	})
}

func TestPrivateDirectories(t *testing.T) {
	strongTiers(t, func(t *testing.T, tier Tier) {
		name := fmt.Sprintf("sandbox-%d", time.Now().UnixNano())
		transcript := runScript(t, tier, Spec{}, `
			echo 1 >~/file && cat ~/file; f=$(mktemp) && echo 2 >"$f" && cat "$f" && mv "$f" ~/moved && cat ~/moved
			mkdir -p ~/d && mv ~/moved ~/d/ && cat ~/d/moved
			cat <<<3; cat <(echo 4); echo 5 >/dev/stdout; echo 6 >/dev/stderr; echo 7 | tee /dev/stderr | sort
			echo x >/dev/null; head -c 1 /dev/zero | wc -c; head -c 4 /dev/urandom | wc -c; cat /dev/stdin; echo x >"/tmp/$1"`, name)
		assert.Equal(t, "1\n2\n2\n2\n3\n4\n5\n7\n1\n4\n", string(transcript.Stdout.Data), string(transcript.Stderr.Data))
		assert.Contains(t, string(transcript.Stderr.Data), "6\n7\n")
		assert.NoFileExists(t, "/tmp/"+name)
	})
}

func TestListener(t *testing.T) {
	everyTier(t, func(t *testing.T, tier Tier) {
		spec := Spec{
			Serve: func(l net.Listener) {
				server := http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					_, _ = io.WriteString(w, "hello "+r.URL.Path)
				})}
				_ = server.Serve(l)
				_ = server.Close()
			},
			Prepare: func(s Scene) (Setting, error) {
				return Setting{Env: map[string]string{"SERVER": s.Addr.String()}}, nil
			},
		}
		transcript := runScript(t, tier, spec, `
			exec 3<>/dev/tcp/${SERVER%:*}/${SERVER#*:} && printf 'GET /bash HTTP/1.0\r\n\r\n' >&3 && tail -n 1 <&3; echo
			[ ! -x /usr/bin/python3 ] || /usr/bin/python3 -c '
import os, urllib.request
for host in os.environ["SERVER"], os.environ["SERVER"].replace("127.0.0.1", "localhost"):
    print(urllib.request.urlopen(f"http://{host}/python").read().decode())'`)
		out := string(transcript.Stdout.Data)
		assert.Contains(t, out, "hello /bash", string(transcript.Stderr.Data))
		if _, err := os.Stat("/usr/bin/python3"); err == nil {
			assert.Equal(t, 2, strings.Count(out, "hello /python"), string(transcript.Stderr.Data))
		}
	})
}

func TestOutput(t *testing.T) {
	tests := map[string]struct {
		script string
		want   Output
	}{
		"nothing":  {"true", Output{Data: []byte{}}},
		"exact":    {"printf 12345", Output{Data: []byte("12345")}},
		"one more": {"printf 123456", Output{[]byte("12345"), true}},
		"much":     {"head -c 5000000 /dev/zero | tr '\\0' x; echo end >&2", Output{[]byte("xxxxx"), true}},
		"late":     {"bash -c 'exec > >(sleep 0.2; cat); echo late'", Output{Data: []byte("late\n")}},
		"binary":   {`printf '\x00\xff\x1b['`, Output{Data: []byte("\x00\xff\x1b[")}},
	}
	everyTier(t, func(t *testing.T, tier Tier) {
		for name, test := range tests {
			t.Run(name, func(t *testing.T) {
				transcript := runScript(t, tier, Spec{Limits: Limits{OutputBytes: 5}}, test.script)
				assert.Equal(t, test.want, transcript.Stdout)
				assert.Zero(t, transcript.ExitCode)
			})
		}
	})
}

func TestTranscriptIsDeterministic(t *testing.T) {
	strongTiers(t, func(t *testing.T, tier Tier) {
		var first string
		for range 3 {
			dir := privateDir(t)
			spec := Spec{Dir: "/root/op-leader", Mounts: []Mount{{dir, "/root/op-leader", true}}}
			transcript := runScript(t, tier, spec, `touch {z,a,m}{1..9}; echo out; echo err >&2; echo $$ >/dev/null; exit 3`)
			transcript.Duration = 0
			data, err := json.Marshal(transcript)
			require.NoError(t, err)
			if first == "" {
				first = string(data)
			}
			assert.Equal(t, first, string(data))
		}
		assert.Contains(t, first, `"exitCode":3,"timedOut":false`)
	})
}

func TestContext(t *testing.T) {
	everyTier(t, func(t *testing.T, tier Tier) {
		gone := fmt.Errorf("nobody waits any more")
		ctx, cancel := context.WithCancelCause(context.Background())
		time.AfterFunc(300*time.Millisecond, func() { cancel(gone) })
		marker := fmt.Sprintf("96%d.%d", os.Getpid(), time.Now().UnixNano()%1e6)
		began := time.Now()
		_, err := Run(ctx, tier, Spec{Argv: []string{"bash", "-c", `setsid sleep "$0" & wait`, marker}})
		assert.ErrorIs(t, err, gone)
		assert.Less(t, time.Since(began), 2*time.Second)
		requireNoProcess(t, marker)
	})
}
