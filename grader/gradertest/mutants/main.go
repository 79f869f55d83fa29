// Command mutants changes the checks and the engine of the grader in small ways, one at a time, and counts which of the changes,
// mutants, the fast tests notice. All mutants are compiled into one program at once and switched on at run time.
//
// Its one rule: a mutant counts as killed only by a test that fails, or by not ending.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"go/token"
	"go/types"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"syscall"
	"time"
)

const module = "example.com/labgrader/"

func main() {
	if isWorker() {
		if err := work(os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	o := options{}
	flag.BoolVar(&o.table, "table", false, "also write "+tableFile)
	flag.BoolVar(&o.list, "list", false, "list the mutants and judge none")
	flag.BoolVar(&o.verbose, "v", false, "also say of every mutant what killed it, on standard error")
	flag.StringVar(&o.skip, "skip", "", "leave out packages whose path this regular expression matches")
	flag.IntVar(&o.workers, "workers", 2, "how many mutants are judged at the same time")
	flag.Parse()
	o.patterns = flag.Args()
	if len(o.patterns) == 0 {
		o.patterns = []string{"./checks/...", "./grader", "./grader/submission"}
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := o.run(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
}

type options struct {
	table, list bool
	verbose     bool
	skip        string
	workers     int
	patterns    []string
}

func (o options) run(ctx context.Context) (err error) {
	top, err := os.Getwd()
	if err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "grader-mutants-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	dir, bin := filepath.Join(work, "module"), filepath.Join(work, "bin")
	if err := copyModule(top, dir); err != nil {
		return err
	}
	began := time.Now()
	m := &mutator{top: dir, fset: token.NewFileSet(), numbers: map[types.Object][]sibling{}}
	packages, err := load(dir, m.fset, o.patterns)
	if err != nil {
		return err
	}
	if o.skip != "" {
		skip, err := regexp.Compile(o.skip)
		if err != nil {
			return err
		}
		packages = slices.DeleteFunc(packages, func(p *pkg) bool { return skip.MatchString(p.path) })
	}
	if err := m.mutate(packages); err != nil {
		return err
	}
	if o.list {
		for _, p := range m.points {
			fmt.Println(p)
		}
		return nil
	}
	if err := os.Mkdir(bin, 0o755); err != nil {
		return err
	}
	worker, suites, err := build(dir, bin)
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "%d mutants compiled in %s\n", len(m.points), time.Since(began).Round(time.Second))
	r := &run{dir: dir, worker: worker, suites: suites, points: m.points, all: o.table, workers: o.workers}
	if err := r.judge(ctx); err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "judged after %s\n", time.Since(began).Round(time.Second))
	if o.table {
		if err := writeTable(filepath.Join(top, tableFile), noticed(r.outcomes)); err != nil {
			return err
		}
	}
	if o.verbose {
		for i, p := range m.points {
			fmt.Fprintf(os.Stderr, "%s: %s\n", p, r.outcomes[i].Killer)
		}
	}
	_, err = fmt.Print(report(m.points, r.outcomes))
	return err
}
