package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"time"

	"example.com/labgrader/grader/gradertest/mutants/mutant"
)

// suite is the compiled tests of a package.
type suite struct {
	name    string // of the package, from the top
	binary  string
	dir     string
	skipped []string
	reach   map[int]bool // the mutants that its tests reach
	took    time.Duration
	rapid   bool // it tests properties
}

// superfluous are tests of the checks that mutants cannot fail, or only as cases do: the worker has judged them by those already.
var superfluous = []string{
	"TestImportsGoOneWay", "TestTestLibrariesAreNotInTheProgram", // run go list
	"TestCasesGetTheirVerdicts", "TestEveryCriterionIsShownToPassAndToFail", "TestEveryCodeIsShownByACase", // go through the cases
	"TestMessages", "TestEveryFindingHasItsText", "TestNoMessageGivesTheSolutionAway", // likewise
	"TestSameEvidenceSameReport",                                                                          // a property of every case, by now
	"TestReportsInEveryLanguage", "TestALanguageChangesWordsOnly", "TestTextFitsATerminalInEveryLanguage", // about texts
}

var failure = regexp.MustCompile(`(?m)^--- FAIL: (\w+)`)

// measure finds which mutants the suite's tests reach. It leaves out tests that fail without any.
func (s *suite) measure(ctx context.Context, hits string) error {
	s.skipped = superfluous
	for {
		began := time.Now()
		out, err := s.run(ctx, mutant.HitsVariable+"="+hits)
		if s.took = time.Since(began); err == nil {
			break
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		failures := failure.FindAllStringSubmatch(string(out), -1)
		if len(failures) == 0 {
			return fmt.Errorf("testing %s without mutants: %w\n%s", s.name, err, out)
		}
		for _, match := range failures {
			fmt.Fprintf(os.Stderr, "left out: %s in %s fails without mutants\n", match[1], s.name)
			s.skipped = append(s.skipped, match[1])
		}
	}
	data, err := os.ReadFile(hits)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	s.reach = map[int]bool{}
	for _, line := range strings.Fields(string(data)) {
		id, err := strconv.Atoi(line)
		if err != nil {
			return err
		}
		s.reach[id] = true
	}
	return nil
}

// limited runs a program that is killed when it has used that much time of the processor, in seconds.
const limited = `ulimit -t 60; exec "$@"`

// run runs the suite's tests.
func (s *suite) run(ctx context.Context, variable string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, "sh", "-c", limited, "sh", s.binary, "-test.failfast", "-test.short", "-test.skip", "^("+strings.Join(s.skipped, "|")+")$")
	if s.rapid {
		cmd.Args = append(cmd.Args, "-rapid.checks=25") // of 100 usually
	}
	cmd.Dir, cmd.Env = s.dir, append(os.Environ(), variable)
	cmd.WaitDelay = time.Second
	return cmd.CombinedOutput()
}
