package sandbox

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestDaemonsDoNotSurvive(t *testing.T) {
	tests := map[string]string{
		"double setsid":         `(setsid setsid sleep "$1" >/dev/null 2>&1 &) ; (setsid sh -c 'setsid sleep "$0" & exit' "$1" &)`,
		"holds the output":      `setsid sleep "$1" & setsid -f sleep "$1"`,
		"ignores signals":       `(trap '' HUP INT TERM; setsid sleep "$1" &) ; disown -a`,
		"while the script dies": `(setsid sleep "$1" &) ; kill -9 $$`,
	}
	strongTiers(t, func(t *testing.T, tier Tier) {
		for name, script := range tests {
			t.Run(name, func(t *testing.T) {
				marker := fmt.Sprintf("98%d.%d", os.Getpid(), time.Now().UnixNano()%1e6)
				began := time.Now()
				transcript := runScript(t, tier, Spec{}, script+"; sleep .1", marker)
				assert.False(t, transcript.TimedOut)
				assert.Less(t, time.Since(began), 2*time.Second, "the daemon is not waited for")
				requireNoProcess(t, marker)
			})
		}
	})
}

func TestDeadline(t *testing.T) {
	tests := map[string]string{
		"hang":               `sleep "$1"`,
		"ignores signals":    `trap '' TERM INT HUP; while :; do sleep "$1"; done`,
		"stopped":            `kill -STOP $$; : "$1"`,
		"background, waited": `setsid sleep "$1" & wait`,
	}
	strongTiers(t, func(t *testing.T, tier Tier) {
		for name, script := range tests {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				marker := fmt.Sprintf("97%d.%d", os.Getpid(), time.Now().UnixNano()%1e6)
				began := time.Now()
				transcript := runScript(t, tier, Spec{Limits: Limits{Wall: time.Second}}, "echo begun; "+script, marker)
				assert.Less(t, time.Since(began), 3*time.Second)
				assert.True(t, transcript.TimedOut)
				assert.Equal(t, "SIGKILL", transcript.Signal)
				assert.Equal(t, -1, transcript.ExitCode)
				assert.Equal(t, "begun\n", string(transcript.Stdout.Data), "output before the deadline counts")
				requireNoProcess(t, marker)
			})
		}
	})
}

// A grader that is killed takes its runs with it.
func TestGraderKilled(t *testing.T) {
	const name = "SANDBOX_TEST_GRADER"
	if value := os.Getenv(name); value != "" {
		tier, marker, _ := strings.Cut(value, " ")
		_, _ = Run(context.Background(), Tier(tier), Spec{
			Argv: []string{"bash", "-c", `(setsid setsid sleep "$0" &); sleep "$0"`, marker}, Limits: Limits{Wall: time.Minute},
		})
		return
	}
	everyTier(t, func(t *testing.T, tier Tier) {
		marker := fmt.Sprintf("94%d.%d", os.Getpid(), time.Now().UnixNano()%1e6)
		grader := exec.Command(os.Args[0], "-test.run", "^TestGraderKilled$")
		tmp := privateDir(t)
		require.NoError(t, os.Chmod(tmp, 0o777))
		grader.Env = append(os.Environ(), name+"="+string(tier)+" "+marker, "TMPDIR="+tmp)
		require.NoError(t, grader.Start())
		require.Eventually(t, func() bool { return len(processesWith(marker)) >= 2 }, 5*time.Second, 10*time.Millisecond)
		require.NoError(t, grader.Process.Kill())
		assert.Error(t, grader.Wait())
		assert.Eventually(t, func() bool {
			left, err := os.ReadDir(tmp)
			return err == nil && len(left) == 0 && len(processesWith(marker)) == 0
		}, 2*time.Second, 10*time.Millisecond)
	})
}

// Tier C cannot keep a program from killing its guard; then there is no transcript.
func TestGuardKilledInTierC(t *testing.T) {
	marker := fmt.Sprintf("93%d.%d", os.Getpid(), time.Now().UnixNano()%1e6)
	_, err := Run(context.Background(), TierC, Spec{Argv: []string{"bash", "-c", `sleep "$0" & kill -9 $PPID; sleep "$0"`, marker}})
	assert.ErrorIs(t, err, errGuardGone)
	assert.Eventually(t, func() bool { return len(processesWith(marker)) == 0 }, 2*time.Second, 10*time.Millisecond)
}

func TestForkBomb(t *testing.T) {
	strongTiers(t, func(t *testing.T, tier Tier) {
		marker := fmt.Sprintf("bomb-%d-%d", os.Getpid(), time.Now().UnixNano())
		limits := Limits{Wall: 1500 * time.Millisecond, Processes: 64}
		transcript := runScript(t, tier, Spec{Limits: limits}, `b() { b | b & }; b; b; while :; do sleep .01; done`, marker)
		assert.True(t, transcript.TimedOut)
		assert.Contains(t, string(transcript.Stderr.Data), "Resource temporarily unavailable")
		requireNoProcess(t, marker)
	})
}

func TestOutputFlood(t *testing.T) {
	strongTiers(t, func(t *testing.T, tier Tier) {
		limits := Limits{Wall: time.Second, OutputBytes: 5}
		transcript := runScript(t, tier, Spec{Limits: limits}, `yes 1234 & yes abcd >&2`)
		assert.True(t, transcript.TimedOut)
		assert.Equal(t, Output{Data: []byte("1234\n"), Cut: true}, transcript.Stdout)
		assert.Equal(t, Output{Data: []byte("abcd\n"), Cut: true}, transcript.Stderr)
	})
}

func TestBigFiles(t *testing.T) {
	tests := map[string]string{
		"written":          `head -c 1073741824 /dev/zero >big`,
		"sparse":           `truncate -s 1G big`,
		"in the temporary": `head -c 1073741824 /dev/zero >"${TMPDIR:-/tmp}/big"`,
		"in the home":      `head -c 1073741824 /dev/zero >"$HOME/big"`,
	}
	strongTiers(t, func(t *testing.T, tier Tier) {
		for name, script := range tests {
			t.Run(name, func(t *testing.T) {
				dir := privateDir(t)
				spec := Spec{
					Dir: "/root/op-leader", Mounts: []Mount{{dir, "/root/op-leader", true}}, Limits: Limits{FileBytes: 1 << 20},
				}
				transcript := runScript(t, tier, spec, script)
				assert.NotZero(t, transcript.ExitCode)
				assert.False(t, transcript.TimedOut)
				if info, err := os.Stat(filepath.Join(dir, "big")); err == nil {
					assert.LessOrEqual(t, info.Size(), int64(1<<20))
				}
			})
		}
	})
}

func TestParentCannotBeReached(t *testing.T) {
	strongTiers(t, func(t *testing.T, tier Tier) {
		secret := fmt.Sprintf("secret-%d", time.Now().UnixNano())
		victim := exec.Command("sleep", "60")
		victim.Env = []string{"SECRET=" + secret}
		require.NoError(t, victim.Start())
		defer func() { _ = victim.Wait() }()
		defer func() { _ = victim.Process.Kill() }()
		threads, err := os.ReadDir("/proc/self/task")
		require.NoError(t, err)
		args := []string{strconv.Itoa(os.Getpid()), strconv.Itoa(victim.Process.Pid)}
		for _, thread := range threads {
			args = append(args, thread.Name())
		}
		transcript := runScript(t, tier, Spec{}, `
			for pid in $PPID "$@" $(seq $((PPID + 1)) $(($$ - 1))); do
				kill -9 $pid; kill -STOP $pid
				prlimit --pid $pid --core=0:0
				cat /proc/$pid/environ /proc/$pid/task/*/environ /proc/$pid/root/etc/shadow /proc/$pid/cwd/*
				ls -l /proc/$pid/fd /proc/$pid/fd/*
			done 2>&1
			cat /proc/*/environ 2>&1
			echo alive`, args...)
		assert.Equal(t, 0, transcript.ExitCode)
		assert.Contains(t, string(transcript.Stdout.Data), "alive")
		assert.NotContains(t, string(transcript.Stdout.Data), secret)
		assert.NotRegexp(t, "(?m)^root:", string(transcript.Stdout.Data), "the shadow file")
		state := statFields(victim.Process.Pid)
		require.NotEmpty(t, state, "the victim lives")
		assert.Equal(t, "S", state[0], "the victim lives")
	})
}

func TestFilesOutside(t *testing.T) {
	strongTiers(t, func(t *testing.T, tier Tier) {
		secret := fmt.Sprintf("secret-%d", time.Now().UnixNano())
		outside := privateDir(t)
		require.NoError(t, os.Chmod(outside, 0o777))
		kubeconfig := filepath.Join(outside, "kubeconfig")
		write(t, kubeconfig, secret)
		require.NoError(t, os.Chmod(kubeconfig, 0o666))
		dir := privateDir(t)
		require.NoError(t, os.Symlink(kubeconfig, filepath.Join(dir, "link")))
		if programUID(tier) >= 0 { // the worst case: a file of the very user that runs the program
			require.NoError(t, os.Chown(kubeconfig, UnprivilegedID, UnprivilegedID))
		}
		before := outsideState(t, outside)
		spec := Spec{Dir: "/root/op-leader", Mounts: []Mount{{dir, "/root/op-leader", true}}}
		transcript := runScript(t, tier, spec, `
			exec 2>&1
			cat /etc/shadow /etc/sudoers "$1/kubeconfig" link /proc/self/root"$1/kubeconfig"
			ls / /root /home /var "$1"
			ln "$1/kubeconfig" hard; cat hard; cp -l "$1/kubeconfig" hard2
			echo x >"$1/new"; echo x >>"$1/kubeconfig"; echo x >link; : >"$1/kubeconfig"
			truncate -s 0 "$1/kubeconfig"; mkdir "$1/dir"; rm -f "$1/kubeconfig"; mv "$1/kubeconfig" "$1/moved"
			ln -s / "$1/link"; mkfifo "$1/fifo"; touch /usr/x /etc/x /dev/x /x
			echo x >/proc/sys/kernel/core_pattern; mount -t tmpfs none /usr; unshare -Urm true
			echo done`, outside)
		out := string(transcript.Stdout.Data)
		assert.Contains(t, out, "done")
		assert.NotContains(t, out, secret)
		assert.NotRegexp(t, "(?m)^root:", out, "the shadow file")
		assert.Equal(t, before, outsideState(t, outside))
	})
}

// The metadata of a file of the program's own user is the one thing that Landlock does not protect; as
// root that user owns nothing but the run's files.
func TestMetadataOutside(t *testing.T) {
	if programUID(TierB) >= 0 {
		t.Skip("as root the program runs as a user of its own; run as an ordinary user to see this")
	}
	strongTiers(t, func(t *testing.T, tier Tier) {
		outside := privateDir(t)
		write(t, filepath.Join(outside, "file"), "x")
		before := outsideState(t, outside)
		runScript(t, tier, Spec{}, `chmod 0 "$1" "$1/file"; touch -d @1 "$1/file"; setfattr -n user.x -v y "$1/file"; chmod 0 /proc/self/cwd"$1"`, outside)
		assert.Equal(t, before, outsideState(t, outside))
	})
}

func outsideState(t *testing.T, dir string) []string {
	t.Helper()
	var state []string
	require.NoError(t, filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
		if err == nil {
			data, _ := os.ReadFile(path)
			state = append(state, fmt.Sprint(path, info.Mode(), info.ModTime(), info.Size(), string(data)))
		}
		return err
	}))
	return state
}

func TestNothingIsInherited(t *testing.T) {
	t.Setenv("LABGRADER_TEST_SECRET", "secret")
	leak, err := os.Open("/etc/hosts")
	require.NoError(t, err)
	defer leak.Close()
	for _, tier := range []Tier{TierA, TierB, TierC} {
		t.Run(string(tier), func(t *testing.T) {
			requireTier(t, tier)
			transcript := runScript(t, tier, Spec{}, `env; for fd in {0..50}; do [ -e /dev/fd/$fd ] && echo fd $fd; done`)
			out := string(transcript.Stdout.Data)
			assert.NotContains(t, out, "secret")
			assert.NotContains(t, out, "BASH_ENV")
			assert.Equal(t, 3, strings.Count(out, "fd "), out)
		})
	}
}

func TestProgramsUser(t *testing.T) {
	strongTiers(t, func(t *testing.T, tier Tier) {
		transcript := runScript(t, tier, Spec{}, `id -u; id -G; grep -E 'Cap(Prm|Eff|Bnd|Amb)|NoNewPrivs|Seccomp:' /proc/self/status || true`)
		lines := strings.Fields(string(transcript.Stdout.Data))
		require.GreaterOrEqual(t, len(lines), 2)
		switch {
		case tier == TierA:
			assert.Equal(t, "0", lines[0])
			out := string(transcript.Stdout.Data)
			for _, set := range []string{"CapPrm", "CapEff", "CapBnd", "CapAmb"} {
				assert.Contains(t, out, set+":\t0000000000000000\n")
			}
			assert.Contains(t, out, "NoNewPrivs:\t1\n")
			assert.Contains(t, out, "Seccomp:\t2\n")
		case programUID(tier) >= 0:
			id := strconv.Itoa(UnprivilegedID)
			assert.Equal(t, []string{id, id}, lines[:2], "no supplementary groups")
		}
	})
}
