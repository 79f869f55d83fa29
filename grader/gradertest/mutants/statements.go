package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

var sprintf = fmt.Sprintf

// short fits a piece of source on a line of the list of survivors.
func short(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if runes := []rune(s); len(runes) > 90 {
		return string(runes[:90]) + "…"
	}
	return s
}

// visit makes the mutants of a node and all below it.
func (f *fileMutator) visit(n ast.Node) {
	if n == nil {
		return
	}
	switch n := n.(type) {
	case *ast.IfStmt:
		f.force(n.Cond, condition)
	case *ast.ForStmt:
		if n.Cond != nil { // forced true it would never end
			f.call(n.Cond, "False", f.add(n.Cond, condition, f.text(n.Cond), "false"))
		}
	case *ast.SwitchStmt:
		f.cases(n)
	case *ast.BlockStmt:
		f.statements(n.List)
	case *ast.CaseClause:
		f.statements(n.Body)
	case *ast.BinaryExpr:
		f.binary(n)
	case *ast.UnaryExpr:
		if n.Op == token.NOT && !f.isWhole() {
			f.call(n, "Not", f.add(n, negation, f.text(n), f.text(n.X)))
		}
	case *ast.CompositeLit:
		f.words(n)
	case *ast.KeyValueExpr:
		if key, ok := n.Key.(*ast.Ident); ok && (key.Name == "Points" || key.Name == "Step") {
			return
		}
	case *ast.GenDecl: // of constants in a function
		return
	}
	if x, ok := n.(ast.Expr); ok && f.isConstant(x) {
		f.number(x)
		return
	}
	if function, ok := n.(*ast.FuncLit); ok {
		f.functions = append(f.functions, function.Type)
		defer func() { f.functions = f.functions[:len(f.functions)-1] }()
	}
	f.parents = append(f.parents, n)
	for _, child := range children(n) {
		f.visit(child)
	}
	f.parents = f.parents[:len(f.parents)-1]
}

// cases makes the mutants of a switch: conditions of a tagless one, words of one with a tag.
func (f *fileMutator) cases(s *ast.SwitchStmt) {
	for _, c := range s.Body.List {
		for _, x := range c.(*ast.CaseClause).List {
			switch {
			case s.Tag == nil:
				f.force(x, condition)
			case isWord(x):
				f.word(x)
			}
		}
	}
}

// statements makes the mutants of the statements of a block.
func (f *fileMutator) statements(list []ast.Stmt) {
	for _, s := range list {
		switch s := s.(type) {
		case *ast.ExprStmt, *ast.BranchStmt:
			f.drop(s)
		case *ast.IncDecStmt:
			f.drop(s)
		case *ast.AssignStmt:
			if s.Tok != token.DEFINE && !isBlank(s) {
				f.drop(s)
			}
			f.compound(s)
		case *ast.ReturnStmt:
			f.result(s)
		}
	}
}

func isBlank(s *ast.AssignStmt) bool {
	name, ok := s.Lhs[0].(*ast.Ident)
	return ok && name.Name == "_" && len(s.Lhs) == 1
}

func (f *fileMutator) drop(s ast.Stmt) {
	id := f.add(s, dropped, f.text(s), "")
	f.wrap(s, func(inner string) string { return sprintf("if !mutant_.On(%d) { %s }", id, inner) })
}

// compound makes the mutant of += and -= of numbers.
func (f *fileMutator) compound(s *ast.AssignStmt) {
	other := map[token.Token]token.Token{token.ADD_ASSIGN: token.SUB_ASSIGN, token.SUB_ASSIGN: token.ADD_ASSIGN}[s.Tok]
	basic, ok := f.pkg.info.TypeOf(s.Lhs[0]).(*types.Basic)
	if other == 0 || !ok || basic.Info()&types.IsNumeric == 0 {
		return
	}
	id := f.add(s, sum, s.Tok.String(), other.String())
	f.wrap(s, func(inner string) string {
		return sprintf("if mutant_.On(%d) { %s } else { %s }", id, f.text(s.Lhs[0])+other.String()+f.render(s.Rhs[0]), inner)
	})
}

// result makes the mutants of a return: zero values, and booleans that are another one.
func (f *fileMutator) result(s *ast.ReturnStmt) {
	function := f.functions[len(f.functions)-1]
	var zeros []string
	booleans := 0
	if function.Results != nil {
		for _, field := range function.Results.List {
			for range max(1, len(field.Names)) {
				zeros = append(zeros, "*new("+f.text(field.Type)+")")
			}
		}
	}
	different := false // from zero values
	for _, x := range s.Results {
		basic, ok := f.pkg.info.TypeOf(x).Underlying().(*types.Basic)
		switch isBoolean := ok && basic.Info()&types.IsBoolean != 0; {
		case isBoolean && f.isConstant(x) && f.text(x) == "false":
			f.call(x, "True", f.add(x, condition, "return false", "true"))
			booleans++
		case isBoolean && !f.isConstant(x):
			f.force(x, condition)
			booleans++
		case !isZero(x):
			different = true
		}
	}
	if !different || len(zeros) == 0 {
		return
	}
	id := f.add(s, returned, f.text(s), "zero values")
	f.wrap(s, func(inner string) string {
		return sprintf("if mutant_.On(%d) { return %s }; %s", id, strings.Join(zeros, ", "), inner)
	})
}

// isZero reports whether an expression is written as a zero value.
func isZero(x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.Ident:
		return x.Name == "nil" || x.Name == "false"
	case *ast.BasicLit:
		return x.Value == "0" || x.Value == `""`
	case *ast.CompositeLit:
		return len(x.Elts) == 0
	}
	return false
}
