package main

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// self is this program, which is also the worker when it is built from the instrumented copy.
const self = "./grader/gradertest/mutants"

// copyModule copies the module at top to a directory, so that nobody's work in it disturbs the run, nor the run theirs.
func copyModule(top, dir string) error {
	err := filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(top, path)
		switch {
		case err != nil:
			return err
		case d.IsDir() && name == ".git":
			return filepath.SkipDir
		case d.IsDir():
			return os.MkdirAll(filepath.Join(dir, name), 0o755)
		case !d.Type().IsRegular():
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(dir, name), data, info.Mode().Perm())
	})
	if err != nil {
		return fmt.Errorf("copying the module: %w", err)
	}
	return nil
}

// suites are the packages whose tests judge mutants. Those of the control plane's tests are not among them.
var suites = []string{"./grader", "./checks/...", "./grader/catalogue", "./grader/render", "./grader/submission"}

// build compiles the worker and the suites of the instrumented copy.
func build(dir, bin string) (worker string, all []*suite, err error) {
	worker = filepath.Join(bin, "worker")
	if err := command(dir, "go", "build", "-o", worker, self); err != nil {
		return "", nil, fmt.Errorf("building the mutants: %w", err)
	}
	packages, err := list(dir, suites...)
	if err != nil {
		return "", nil, err
	}
	for _, p := range packages {
		if len(p.TestGoFiles)+len(p.XTestGoFiles) == 0 {
			continue
		}
		name := strings.TrimPrefix(p.ImportPath, module)
		s := &suite{name: name, binary: filepath.Join(bin, strings.ReplaceAll(name, "/", "-")+".test"), dir: p.Dir}
		s.rapid = slices.Contains(slices.Concat(p.TestImports, p.XTestImports), "pgregory.net/rapid")
		if err := command(dir, "go", "test", "-c", "-vet=off", "-o", s.binary, p.ImportPath); err != nil {
			return "", nil, fmt.Errorf("building the tests of %s: %w", name, err)
		}
		all = append(all, s)
	}
	return worker, all, nil
}

func command(dir, name string, args ...string) error {
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, os.Stderr, os.Stderr
	return cmd.Run()
}
