package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"golang.org/x/sys/unix"
)

// await follows the run to its end.
func (r *run) await(wall context.Context) (Transcript, error) {
	t := Transcript{Argv: r.spec.Argv, Tier: r.tier, Changes: []Change{}}
	entry, _, err := r.session.next()
	if err != nil || entry.Kind != entered {
		return t, r.failure(entry, err)
	}
	first, _, err := r.session.next()
	if err != nil {
		return t, r.lost(entry.PID, wall)
	}
	switch first.Kind {
	case started:
		began := time.Now()
		last, _, err := r.session.next()
		t.Duration = time.Since(began)
		switch {
		case err != nil && r.tier == TierA && wall.Err() != nil:
			last = report{Status: killedStatus, Stopped: true} // the guard was killed, and all the rest with it
		case err != nil:
			return t, r.lost(entry.PID, wall)
		}
		t.TimedOut = last.Stopped
		t.ExitCode = last.Status.ExitStatus()
		if last.Status.Signaled() {
			t.Signal = unix.SignalName(last.Status.Signal())
		}
	case unstartable:
		t.StartError = first.Detail
		t.ExitCode = 126
		if first.Errno == unix.ENOENT {
			t.ExitCode = 127
		}
	default:
		return t, r.failure(first, nil)
	}
	r.session.wait()
	t.Stdout, t.Stderr = <-r.session.stdout.output, <-r.session.stderr.output
	t.Unmapped = r.layout.unmapped(r.setting.Files)
	r.compare(&t)
	return t, nil
}

// failure is the error of a report that is not the one to be expected, or of none.
func (r *run) failure(got report, err error) error {
	if err != nil {
		return err
	}
	return got.asError(r.tier)
}

// lost ends what it can of a run whose guard is gone, in tier A everything.
func (r *run) lost(entry int, wall context.Context) error {
	if r.tier != TierA {
		killSession(entry)
		return errGuardGone
	}
	if wall.Err() != nil {
		return io.EOF // see explain
	}
	return errGuardGone
}

// errGuardGone is the end of a run whose guard was killed by its program, in tier C, or by the machine.
var errGuardGone = errors.New("its guard was gone before the program's end was known")

// killedStatus is the wait status of a process that SIGKILL ended.
const killedStatus = 9

// snapshots looks at all writable mounts.
func (r *run) snapshots() map[string]snapshot {
	list := map[string]snapshot{}
	for _, m := range r.layout.mounts {
		if m.Writable {
			list[m.Target] = takeSnapshot(m.Source)
		}
	}
	return list
}

func (r *run) compare(t *Transcript) {
	after := r.snapshots()
	for _, target := range slices.Sorted(maps.Keys(after)) {
		t.Changes = append(t.Changes, after[target].changesSince(r.before[target], target)...)
		t.ChangesCut = t.ChangesCut || after[target].cut || r.before[target].cut
	}
}

// explain says more about a guard that is gone without a word.
func (r *run) explain(wall context.Context, err error) error {
	if !errors.Is(err, io.EOF) {
		var step *stepError
		if errors.As(err, &step) && step.unsupported {
			return failureReport(err).asError(r.tier)
		}
		return err
	}
	if wall.Err() != nil {
		return errors.New("the deadline passed before the program had started")
	}
	r.session.wait()
	if text := r.session.diagnosis.String(); text != "" {
		return fmt.Errorf("its guard ended unexpectedly: %.2000s", text)
	}
	return errors.New("its guard ended unexpectedly")
}
