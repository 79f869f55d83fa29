package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"example.com/labgrader/checks"
	"example.com/labgrader/grader/gradertest"
)

// tableFile says what each criterion is tested with.
const tableFile = "checks/README.md"

// noticed counts by criterion the mutants that changed its verdict or its codes in some case.
func noticed(outcomes []outcome) map[string]int {
	counts := map[string]int{}
	for _, o := range outcomes {
		for _, name := range o.Noticed {
			counts[name]++
		}
	}
	return counts
}

const tableHead = `# What the checks are tested with

Written by ` + "`scripts/mutants -table`" + `. For each criterion:

- honest: cases below fixtures/corpus that do the step rightly, in one way or another, and in which the criterion passes;
- faulty: cases with a fault, in their own step or in another one, in which the criterion fails;
- mutants: small changes to the checks, one at a time, that made the criterion come to another verdict or another finding in
  some case, so that a test failed.

| step | criterion | honest | faulty | mutants |
|------|-----------|-------:|-------:|--------:|
`

func writeTable(name string, mutants map[string]int) error {
	paths, err := filepath.Glob("fixtures/corpus/*/*.txtar")
	if err != nil {
		return err
	}
	var cases []*gradertest.Case
	for _, path := range paths {
		c, err := gradertest.Load(path)
		if err != nil {
			return err
		}
		cases = append(cases, c)
	}
	var b bytes.Buffer
	b.WriteString(tableHead)
	for _, c := range gradertest.Counts(checks.Lab(), cases) {
		fmt.Fprintf(&b, "| %d %s | %s | %d | %d | %d |\n", c.Step, c.Check, c.Criterion, c.Honest, c.Faulty, mutants[c.Check+"."+c.Criterion])
	}
	return os.WriteFile(name, b.Bytes(), 0o644)
}
