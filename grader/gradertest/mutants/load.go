package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
)

// source is one file of a package under test.
type source struct {
	path string // absolute
	data []byte
	ast  *ast.File
}

// pkg is a package under test, type-checked from source.
type pkg struct {
	path  string
	info  *types.Info
	types *types.Package
	files []*source
}

// listed is what go list says of a package.
type listed struct {
	ImportPath, Dir, Export string
	GoFiles                 []string
	ImportMap               map[string]string
	DepOnly                 bool
	TestGoFiles             []string
	XTestGoFiles            []string
	TestImports             []string
	XTestImports            []string
}

// list runs go list in the directory.
func list(dir string, args ...string) ([]listed, error) {
	cmd := exec.Command("go", append([]string{"list", "-json=ImportPath,Dir,Export,GoFiles,ImportMap,DepOnly,TestGoFiles,XTestGoFiles,TestImports,XTestImports"}, args...)...)
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("listing packages: %w", err)
	}
	var all []listed
	for decoder := json.NewDecoder(bytes.NewReader(out)); ; {
		var l listed
		if err := decoder.Decode(&l); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, fmt.Errorf("listing packages: %w", err)
		}
		all = append(all, l)
	}
}

// load type-checks the packages below dir from source, and takes what they import from the compiler's export data.
func load(dir string, fset *token.FileSet, patterns []string) ([]*pkg, error) {
	all, err := list(dir, append([]string{"-export", "-deps"}, patterns...)...)
	if err != nil {
		return nil, err
	}
	exports := map[string]string{}
	for _, l := range all {
		exports[l.ImportPath] = l.Export
	}
	from := &imports{checked: map[string]*types.Package{}, compiled: importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) {
		return os.Open(exports[path])
	})}
	var packages []*pkg
	for _, l := range all { // in an order in which imports come first
		if l.DepOnly {
			continue
		}
		p, err := check(l, fset, from)
		if err != nil {
			return nil, fmt.Errorf("loading %s: %w", l.ImportPath, err)
		}
		from.checked[p.path] = p.types
		packages = append(packages, p)
	}
	return packages, nil
}

// imports finds packages: those checked from source first, so that an object is one and the same everywhere.
type imports struct {
	checked  map[string]*types.Package
	compiled types.Importer
}

func (i *imports) Import(path string) (*types.Package, error) {
	if p := i.checked[path]; p != nil {
		return p, nil
	}
	return i.compiled.Import(path)
}

func check(l listed, fset *token.FileSet, from types.Importer) (*pkg, error) {
	p := &pkg{path: l.ImportPath, info: &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{},
	}}
	var files []*ast.File
	for _, name := range l.GoFiles {
		path := filepath.Join(l.Dir, name)
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		file, err := parser.ParseFile(fset, path, data, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		p.files = append(p.files, &source{path: path, data: data, ast: file})
		files = append(files, file)
	}
	var err error
	p.types, err = (&types.Config{Importer: from}).Check(l.ImportPath, fset, files, p.info)
	return p, err
}
