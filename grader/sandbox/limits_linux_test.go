package sandbox

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestLimits(t *testing.T) {
	needsPython(t)
	tests := map[string]struct {
		limits Limits
		script string
		tiers  []Tier
		check  func(t *testing.T, transcript Transcript)
	}{
		"cpu": {
			limits: Limits{CPU: time.Second},
			script: `while :; do :; done`,
			check:  func(t *testing.T, transcript Transcript) { assert.Equal(t, "SIGXCPU", transcript.Signal) },
		},
		"memory": {
			limits: Limits{MemoryBytes: 64 << 20},
			script: `/usr/bin/python3 -c 'x = bytearray(40 << 20); print("small"); x = bytearray(200 << 20); print("large")'`,
			check:  outputIs("small\n"),
		},
		"address space": {
			limits: Limits{MemoryBytes: 64 << 20},
			script: `/usr/bin/python3 -c 'import mmap; mmap.mmap(-1, 100 << 20); print("small"); mmap.mmap(-1, 400 << 20); print("large")'`,
			check:  outputIs("small\n"),
		},
		"processes": {
			limits: Limits{Processes: 30},
			script: `/usr/bin/python3 -c '
import os, time
for n in range(60):
    try:
        if os.fork() == 0: time.sleep(9)
    except BlockingIOError: break
print(15 < n <= 30)'`,
			check: outputIs("True\n"),
		},
		"open files": {
			limits: Limits{OpenFiles: 20},
			script: `/usr/bin/python3 -c 'l = [open("/dev/null") for i in range(10)]; print("few"); l += [open("/dev/null") for i in range(20)]; print("many")'`,
			check:  outputIs("few\n"),
		},
		"raised by the program": {
			limits: Limits{OpenFiles: 20},
			script: `ulimit -n 30 || ulimit -Hn`,
			check:  outputIs("20\n"),
		},
		"temporary directory": {
			limits: Limits{TmpBytes: 1 << 20},
			script: `head -c 900000 /dev/zero >/tmp/a && echo fits; head -c 900000 /dev/zero >~/b || echo full`,
			tiers:  []Tier{TierA},
			check:  outputIs("fits\nfull\n"),
		},
		"defaults let programs be": {
			script: `ulimit -f; /usr/bin/python3 -c 'x = bytearray(500 << 20)' && seq 50 | xargs -P 50 -n 1 echo | wc -l`,
			check:  outputIs("16384\n50\n"),
		},
	}
	strongTiers(t, func(t *testing.T, tier Tier) {
		for name, test := range tests {
			if test.tiers != nil && test.tiers[0] != tier {
				continue
			}
			t.Run(name, func(t *testing.T) {
				test.check(t, runScript(t, tier, Spec{Limits: test.limits}, test.script))
			})
		}
	})
}

func outputIs(want string) func(*testing.T, Transcript) {
	return func(t *testing.T, transcript Transcript) {
		t.Helper()
		assert.Equal(t, want, string(transcript.Stdout.Data), string(transcript.Stderr.Data))
		assert.False(t, transcript.TimedOut)
	}
}

// Runs side by side leave each other room.
func TestSideBySide(t *testing.T) {
	strongTiers(t, func(t *testing.T, tier Tier) {
		for i := range 3 {
			t.Run(string(rune('a'+i)), func(t *testing.T) {
				t.Parallel()
				transcript := runScript(t, tier, Spec{}, `for i in {1..25}; do sleep .3 & done 2>&1; wait; echo all`)
				assert.Equal(t, "all\n", string(transcript.Stdout.Data))
			})
		}
	})
}

func TestUnusableSpecs(t *testing.T) {
	dir := privateDir(t)
	write(t, filepath.Join(dir, "file"), "x")
	ok := []string{"true"}
	tests := map[string]struct {
		spec Spec
		want string
	}{
		"no program":        {Spec{}, "no program"},
		"negative limit":    {Spec{Argv: ok, Limits: Limits{CPU: -1}}, "negative"},
		"relative source":   {Spec{Argv: ok, Mounts: []Mount{{"x", "/x", false}}}, "not absolute"},
		"missing source":    {Spec{Argv: ok, Mounts: []Mount{{dir + "/none", "/x", false}}}, "no such file"},
		"relative target":   {Spec{Argv: ok, Mounts: []Mount{{dir, "x", false}}}, "clean absolute path"},
		"unclean target":    {Spec{Argv: ok, Mounts: []Mount{{dir, "/x/../usr", false}}}, "clean absolute path"},
		"system target":     {Spec{Argv: ok, Mounts: []Mount{{dir, "/usr/local/bin", false}}}, "system directory"},
		"root target":       {Spec{Argv: ok, Mounts: []Mount{{dir, "/", false}}}, "cannot be replaced"},
		"two of one target": {Spec{Argv: ok, Mounts: []Mount{{dir, "/x", false}, {dir, "/x", true}}}, "two mounts"},
		"file in read-only": {Spec{Argv: ok, Mounts: []Mount{{dir, "/x", false}}, Prepare: files("/x/new")}, "read-only"},
		"file that exists":  {Spec{Argv: ok, Mounts: []Mount{{dir, "/x", true}}, Prepare: files("/x/file")}, "exists"},
		"bad variable":      {Spec{Argv: ok, Prepare: variable("A=B")}, "environment"},
		"missing directory": {Spec{Argv: ok, Dir: "/none"}, "working directory"},
		"failing prepare": {Spec{Argv: ok, Prepare: func(Scene) (Setting, error) {
			return Setting{}, os.ErrDeadlineExceeded
		}}, "preparing the run"},
	}
	everyTier(t, func(t *testing.T, tier Tier) {
		for name, test := range tests {
			t.Run(name, func(t *testing.T) {
				_, err := Run(context.Background(), tier, test.spec)
				assert.ErrorContains(t, err, "starting the sandbox: ")
				assert.ErrorContains(t, err, test.want)
			})
		}
	})
}

func files(name string) func(Scene) (Setting, error) {
	return func(Scene) (Setting, error) { return Setting{Files: map[string][]byte{name: []byte("x")}}, nil }
}

func variable(name string) func(Scene) (Setting, error) {
	return func(Scene) (Setting, error) { return Setting{Env: map[string]string{name: "x"}}, nil }
}

// A submission must not lead the grader's own writing astray.
func TestPlacingFollowsNoLinkOut(t *testing.T) {
	everyTier(t, func(t *testing.T, tier Tier) {
		dir, outside := privateDir(t), privateDir(t)
		if err := os.Symlink(outside, filepath.Join(dir, ".kube")); err != nil {
			t.Fatal(err)
		}
		spec := Spec{Argv: []string{"true"}, Mounts: []Mount{{dir, "/root/op-leader", true}}, Prepare: files("/root/op-leader/.kube/config")}
		_, err := Run(context.Background(), tier, spec)
		assert.ErrorContains(t, err, "placing /root/op-leader/.kube/config")
		assert.NoFileExists(t, filepath.Join(outside, "config"))
	})
}
