package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"example.com/labgrader/grader/gradertest/mutants/mutant"
)

// outcome is what became of a mutant.
type outcome struct {
	Killer  string   // a case, a package or why; empty if it survived
	Reached bool     // by any test
	Noticed []string // criteria
}

// run judges the mutants.
type run struct {
	dir, worker string
	suites      []*suite
	points      []point
	outcomes    []outcome
	all         bool // by every case, for the table
	workers     int
}

// judge judges all mutants: by the cases, which takes milliseconds, and what survives by the suites, one after another.
func (r *run) judge(ctx context.Context) error {
	r.outcomes = make([]outcome, len(r.points))
	every := make([]int, len(r.points))
	for i := range every {
		every[i] = i
	}
	began := time.Now()
	if err := r.share(every, func(queue <-chan int) error { return r.byCases(ctx, queue) }); err != nil {
		return err
	}
	r.progress("cases", began)
	for i, s := range r.suites {
		if err := s.measure(ctx, filepath.Join(r.dir, "hits-"+strconv.Itoa(i))); err != nil {
			return err
		}
	}
	slices.SortFunc(r.suites, func(a, b *suite) int { return int(a.took - b.took) })
	for _, s := range r.suites {
		began := time.Now()
		var left []int
		for i, o := range r.outcomes {
			if o.Killer == "" && s.reach[r.points[i].ID] {
				left = append(left, i)
			}
		}
		err := r.share(left, func(queue <-chan int) error {
			for i := range queue {
				r.outcomes[i].Reached = true
				if _, err := s.run(ctx, mutant.Variable+"="+strconv.Itoa(r.points[i].ID)); err != nil {
					r.outcomes[i].Killer = "tests of " + s.name
				}
			}
			return ctx.Err()
		})
		if err != nil {
			return err
		}
		r.progress("tests of "+s.name, began)
	}
	return nil
}

func (r *run) progress(by string, began time.Time) {
	left := 0
	for _, o := range r.outcomes {
		if o.Killer == "" {
			left++
		}
	}
	fmt.Fprintf(os.Stderr, "%s: %d of %d mutants left after %s\n", by, left, len(r.points), time.Since(began).Round(time.Second))
}

// share has several goroutines work on the mutants, by their index. The first error ends the work.
func (r *run) share(indexes []int, work func(queue <-chan int) error) error {
	queue := make(chan int)
	errs := make([]error, r.workers)
	stop := make(chan struct{})
	var once sync.Once
	var group sync.WaitGroup
	for n := range r.workers {
		group.Go(func() {
			if errs[n] = work(queue); errs[n] != nil {
				once.Do(func() { close(stop) })
			}
		})
	}
	for n, i := range indexes {
		if n > 0 && n%500 == 0 {
			fmt.Fprintf(os.Stderr, "judged %d of %d\n", n, len(indexes))
		}
		select {
		case queue <- i:
			continue
		case <-stop:
		}
		break
	}
	close(queue)
	group.Wait()
	return errors.Join(errs...)
}

// byCases judges mutants by a worker, and a new one whenever a mutant ended the last.
func (r *run) byCases(ctx context.Context, queue <-chan int) error {
	var p *process
	defer func() { p.stop() }()
	for i := range queue {
		if err := ctx.Err(); err != nil {
			return err
		}
		if p == nil {
			var err error
			if p, err = start(r.worker, r.dir); err != nil {
				return err
			}
		}
		check := strings.HasPrefix(r.points[i].File, "checks/")
		a, alive := p.ask(question{ID: r.points[i].ID, Step: path.Base(r.points[i].Package), Whole: !check, All: check && r.all})
		r.outcomes[i] = outcome{Killer: a.Killer, Reached: a.Reached, Noticed: a.Noticed}
		if !alive {
			r.outcomes[i] = outcome{Killer: "it did not end, or ended the program", Reached: true}
			p.stop()
			p = nil
		}
	}
	return nil
}
