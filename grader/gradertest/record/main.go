// Command record plays cases on a real control plane: it writes their evidence, or with -check compares only.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"

	"example.com/labgrader/checks"
	"example.com/labgrader/grader/controlplane"
	"example.com/labgrader/grader/gradertest"
	"example.com/labgrader/grader/sandbox"
	"example.com/labgrader/grader/solve"
)

func main() {
	sandbox.Main()
	check := flag.Bool("check", false, "write nothing: play and compare")
	stale := flag.Bool("stale", false, "play only cases whose recording is missing or stale")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, *check, *stale, flag.Args())
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "record:", err)
		os.Exit(1)
	}
}

// solution is the reference solution, from the top of the checkout.
const solution = "fixtures/solution/solve.sh"

func run(ctx context.Context, check, stale bool, paths []string) (err error) {
	if len(paths) == 0 {
		if paths, err = filepath.Glob("fixtures/corpus/*/*.txtar"); err != nil {
			return err
		}
	}
	cases, err := load(paths, stale)
	if err != nil || len(cases) == 0 {
		return err
	}
	assets, err := controlplane.Assets(ctx, "", ".")
	if err != nil {
		return err
	}
	began := time.Now()
	wrong, err := playAll(ctx, assets, cases, check)
	if err != nil {
		return err
	}
	fmt.Printf("%d passed, %d failed\n", len(cases)-wrong, wrong)
	fmt.Fprintf(os.Stderr, "played in %s\n", time.Since(began).Round(time.Second))
	if wrong > 0 {
		return fmt.Errorf("%d of %d cases are not as they state", wrong, len(cases))
	}
	return nil
}

// playAll plays the cases side by side, on as many control planes as there are processors, since every case uses the same names
// of objects. It returns how many are not as they state.
func playAll(ctx context.Context, assets string, cases []*gradertest.Case, check bool) (int, error) {
	queue := make(chan *gradertest.Case, len(cases))
	for _, c := range cases {
		queue <- c
	}
	close(queue)
	var wrong atomic.Int32
	group, ctx := errgroup.WithContext(ctx)
	for range min(runtime.NumCPU(), len(cases)) {
		group.Go(func() error {
			return onOwnPlane(assets, func(session *solve.Session) error {
				for c := range queue {
					if ctx.Err() != nil {
						return ctx.Err()
					}
					if !play(ctx, session, c, check) {
						wrong.Add(1)
					}
				}
				return nil
			})
		})
	}
	err := group.Wait()
	return int(wrong.Load()), err
}

// onOwnPlane calls do with a session on a control plane that is stopped afterwards.
func onOwnPlane(assets string, do func(*solve.Session) error) (err error) {
	plane, err := controlplane.Start(assets)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, plane.Stop()) }()
	session, err := solve.New(plane)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, session.Close()) }()
	return do(session)
}

func load(paths []string, stale bool) ([]*gradertest.Case, error) {
	source, err := os.ReadFile(solution)
	if err != nil {
		return nil, err
	}
	var cases []*gradertest.Case
	for _, path := range paths {
		c, err := gradertest.Load(path)
		if err != nil {
			return nil, err
		}
		if !stale || c.Stale(source) {
			cases = append(cases, c)
		}
	}
	return cases, nil
}

// play reports whether the case is as it states. A recording that is not is never written.
func play(ctx context.Context, session *solve.Session, c *gradertest.Case, check bool) bool {
	lab := checks.Lab()
	wrong := []string{}
	if err := c.Play(ctx, lab, session, solution); err != nil {
		wrong = append(wrong, err.Error())
	} else {
		wrong = c.Compare(lab)
	}
	if len(wrong) == 0 && !check {
		if err := c.Save(); err != nil {
			wrong = append(wrong, err.Error())
		}
	}
	if len(wrong) == 0 {
		fmt.Printf("ok    %s\n", c.Path)
		return true
	}
	var lines strings.Builder // printed at once, so that those of two cases do not mix
	for _, problem := range wrong {
		fmt.Fprintf(&lines, "WRONG %s: %s\n", c.Path, problem)
	}
	fmt.Print(lines.String())
	return false
}
