package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"example.com/labgrader/checks"
	"example.com/labgrader/grader/catalogue"
	"example.com/labgrader/grader/gradertest"
	"example.com/labgrader/grader/gradertest/mutants/mutant"
)

// question is what the worker is asked: to judge a mutant.
type question struct {
	ID    int
	Step  string // whose cases are likely to kill it, and come first
	Whole bool   // the mutant is the engine's: grade a case as it is, not only the steps that reach the mutant
	All   bool   // by every case, not until the first one that kills it
}

// answer says whether cases reach the mutant, which one killed it first, and which criteria it changed. The first one, before
// any question, says which cases were left out, since they are not as they state without mutants.
type answer struct {
	LeftOut []string
	Reached bool
	Killer  string
	Noticed []string
}

// isWorker reports whether the program was started as a worker.
func isWorker() bool { return len(os.Args) == 2 && os.Args[1] == "worker" }

// A mutant may ask for ever more memory, in bytes, or never end: it ends the worker then. Time is of the processor, since
// others may use it too.
const (
	memory  = 4 << 30
	seconds = 20
)

// work judges mutants by the cases, which it reads once. It is the instrumented program.
func work(in io.Reader, out io.Writer) error {
	if err := unix.Setrlimit(unix.RLIMIT_AS, &unix.Rlimit{Cur: memory, Max: memory}); err != nil {
		return fmt.Errorf("bounding the memory: %w", err)
	}
	debug.SetGCPercent(400)
	w := &worker{reached: map[int][]visit{}}
	leftOut, err := w.load()
	if err != nil {
		return err
	}
	answers := json.NewEncoder(out)
	if err := answers.Encode(answer{LeftOut: leftOut}); err != nil {
		return err
	}
	questions := json.NewDecoder(bufio.NewReader(in))
	for {
		var q question
		if err := questions.Decode(&q); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		done := make(chan struct{})
		go endUnless(done, used()+seconds*time.Second)
		a := w.judge(q)
		close(done)
		if err := answers.Encode(a); err != nil {
			return err
		}
	}
}

// endUnless ends the program when it has used so much time of the processor, unless what it does is done.
func endUnless(done <-chan struct{}, limit time.Duration) {
	for {
		select {
		case <-done:
			return
		case <-time.After(time.Second):
			if used() > limit {
				os.Exit(3)
			}
		}
	}
}

func used() time.Duration {
	var usage unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

type worker struct {
	reached map[int][]visit // by mutant
}

// visit says by which of its steps a case reaches a mutant.
type visit struct {
	*replay
	reachedBy []int
}

// load reads the cases and grades them step by step, since to judge a mutant it is enough to grade the steps that reach it.
func (w *worker) load() (leftOut []string, err error) {
	paths, err := filepath.Glob("fixtures/corpus/*/*.txtar")
	if err != nil {
		return nil, err
	}
	lab := checks.Lab()
	texts, err := catalogue.New(lab)
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for _, path := range paths {
		c, err := gradertest.Load(path)
		if err != nil {
			return nil, err
		}
		if wrong := c.Compare(lab); len(wrong) > 0 {
			leftOut = append(leftOut, path+" is not as it states: "+wrong[0])
			continue
		}
		r := &replay{Case: c, texts: texts}
		r.exemplify(c.Grade(lab), seen)
		mutant.Record(func(id int) { w.reach(id, r) })
		r.steps, r.criteria = r.outcome(c.Grade(lab))
		mutant.Record(nil)
		steps := c.Want.Steps
		if len(steps) == 0 {
			for _, check := range lab.Checks {
				steps = append(steps, check.Step)
			}
		}
		for _, step := range steps {
			mutant.Record(func(id int) { w.reach(id, r, step) })
			r.grade([]int{step})
			mutant.Record(nil)
		}
	}
	return leftOut, nil
}

func (w *worker) reach(id int, r *replay, steps ...int) {
	list := w.reached[id]
	if len(list) == 0 || list[len(list)-1].replay != r {
		list = append(list, visit{replay: r})
	}
	last := &list[len(list)-1]
	for _, step := range steps {
		if !slices.Contains(last.reachedBy, step) {
			last.reachedBy = append(last.reachedBy, step)
		}
	}
	w.reached[id] = list
}

func (w *worker) judge(q question) answer {
	visits := w.reached[q.ID]
	a := answer{Reached: len(visits) > 0}
	slices.SortStableFunc(visits, func(a, b visit) int { return a.rank(q.Step) - b.rank(q.Step) })
	for _, v := range visits {
		mutant.Select(q.ID)
		killed, changed := v.judge(q.Whole)
		mutant.Select(0)
		if !killed {
			continue
		}
		if a.Killer == "" {
			a.Killer = v.Path
		}
		if !q.All {
			break
		}
		for _, name := range changed {
			if !slices.Contains(a.Noticed, name) {
				a.Noticed = append(a.Noticed, name)
			}
		}
	}
	return a
}
