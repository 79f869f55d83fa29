package main

import (
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
)

// point is one mutant: what stands where, and what stands there instead.
type point struct {
	ID       int
	Package  string
	File     string // from the top of the module
	Line     int
	Operator string
	Old, New string
}

// Operators. Left out are mutants that another one here implies: a comparison or a ! that is a whole condition or clause is not
// also negated, since it is forced true and false; the code of a finding is not exchanged, since the statement with it is
// dropped, and every case compares codes. Left out are also mutants that cannot matter: capacities, bounds of random values,
// -2 for -1, texts of errors and of Finding.Error, which are for logs; and what is not code but data that Validate adds up or a
// case cannot tell from a rewording: points, step numbers, documentation, regular expressions, and variables of a package.
const (
	boundary  = "boundary"  // < and <=, > and >=
	negation  = "negation"  // a comparison that is no condition by itself, and !
	logic     = "logic"     // && and ||
	clause    = "clause"    // one operand of && or || left out
	condition = "condition" // forced true, forced false; also a boolean that is returned
	sum       = "sum"       // + and - of numbers
	literal   = "literal"   // a whole number one more, one less, also in a constant; a word of a list or case another one
	dropped   = "dropped"   // a statement left out
	returned  = "returned"  // zero values returned instead
)

// mutator finds the points of packages and edits their files.
type mutator struct {
	top    string
	fset   *token.FileSet
	points []point
	// numbers holds the mutants of constants: by constant, and of each the name of its sibling with another value.
	numbers map[types.Object][]sibling
}

// sibling is a constant beside another one, with a mutant's value.
type sibling struct {
	id   int
	name string
}

// fileMutator is the mutator at work on one file.
type fileMutator struct {
	*mutator
	*edits
	pkg *pkg
	// results of the functions around, innermost last.
	functions []*ast.FuncType
	parents   []ast.Node
}

func (m *mutator) mutate(packages []*pkg) error {
	for _, p := range packages {
		var files []*fileMutator
		for _, s := range p.files {
			files = append(files, &fileMutator{mutator: m, edits: newEdits(s, m.fset), pkg: p})
		}
		for _, f := range files { // before any use
			f.constants()
		}
		for _, f := range files {
			for _, declaration := range f.ast.Decls {
				if function, ok := declaration.(*ast.FuncDecl); ok && function.Body != nil && function.Name.Name != "Error" {
					f.functions = []*ast.FuncType{function.Type}
					f.visit(function.Body)
				}
			}
			if err := f.write(); err != nil {
				return err
			}
		}
	}
	return nil
}

// add notes a mutant and returns its number.
func (f *fileMutator) add(n ast.Node, operator, before, after string) int {
	position := f.mutator.fset.Position(n.Pos())
	name, err := filepath.Rel(f.top, position.Filename)
	if err != nil {
		name = position.Filename
	}
	id := len(f.points) + 1
	f.points = append(f.points, point{ID: id, Package: f.pkg.path, File: name, Line: position.Line, Operator: operator, Old: short(before), New: short(after)})
	return id
}
