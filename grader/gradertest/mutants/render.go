package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"os"
	"slices"
	"strings"
)

const runtimePackage = "example.com/labgrader/grader/gradertest/mutants/mutant"

// edits are changes to a file by node, so that one inside another needs no care. They never add a line.
type edits struct {
	*source
	fset *token.FileSet
	// instead holds what stands in for a node, made of its rendered parts; around holds what is put round that.
	instead map[ast.Node]func() string
	around  map[ast.Node][]func(inner string) string
	dirty   map[ast.Node]bool // has an edit in it, or is edited
}

func newEdits(s *source, fset *token.FileSet) *edits {
	return &edits{source: s, fset: fset, instead: map[ast.Node]func() string{}, around: map[ast.Node][]func(string) string{}, dirty: map[ast.Node]bool{}}
}

func (e *edits) wrap(n ast.Node, f func(inner string) string) { e.around[n] = append(e.around[n], f) }

// call puts a call of the run-time package round an expression.
func (e *edits) call(n ast.Node, function string, id int) {
	e.wrap(n, func(inner string) string { return fmt.Sprintf("mutant_.%s(%d, %s)", function, id, inner) })
}

func (e *edits) offset(pos token.Pos) int { return e.fset.Position(pos).Offset }

// text is the node as it was written.
func (e *edits) text(n ast.Node) string { return string(e.data[e.offset(n.Pos()):e.offset(n.End())]) }

// render is the node with all edits.
func (e *edits) render(n ast.Node) string {
	text := ""
	if instead := e.instead[n]; instead != nil {
		text = instead()
	} else {
		text = e.inside(n)
	}
	for _, around := range e.around[n] {
		text = around(text)
	}
	return text
}

func (e *edits) inside(n ast.Node) string {
	var b strings.Builder
	pos := e.offset(n.Pos())
	for _, child := range children(n) {
		if e.dirty[child] {
			b.Write(e.data[pos:e.offset(child.Pos())])
			b.WriteString(e.render(child))
			pos = e.offset(child.End())
		}
	}
	b.Write(e.data[pos:e.offset(n.End())])
	return b.String()
}

// mark notes which nodes have edits in them.
func (e *edits) mark(n ast.Node) bool {
	dirty := e.instead[n] != nil || len(e.around[n]) > 0
	for _, child := range children(n) {
		dirty = e.mark(child) || dirty
	}
	e.dirty[n] = dirty
	return dirty
}

// write overwrites the file if it has edits.
func (e *edits) write() error {
	if !e.mark(e.ast) {
		return nil
	}
	e.wrap(e.ast.Name, func(name string) string { return name + fmt.Sprintf("; import mutant_ %q", runtimePackage) })
	e.dirty[e.ast.Name] = true
	begin, end := e.data[:e.offset(e.ast.Pos())], e.data[e.offset(e.ast.End()):]
	return os.WriteFile(e.path, slices.Concat(begin, []byte(e.render(e.ast)), end), 0o644)
}

// children returns the nodes directly below n, in the order of the source.
func children(n ast.Node) []ast.Node {
	var all []ast.Node
	ast.Inspect(n, func(m ast.Node) bool {
		if m == nil || m == n {
			return m == n
		}
		if _, comment := m.(*ast.CommentGroup); !comment {
			all = append(all, m)
		}
		return false
	})
	slices.SortStableFunc(all, func(a, b ast.Node) int { return int(a.Pos() - b.Pos()) })
	return all
}
