package main

import (
	"go/ast"
	"go/token"
	"go/types"
)

// force makes the two mutants of a condition that make it true and false.
func (f *fileMutator) force(x ast.Expr, operator string) {
	text := f.text(x)
	f.call(x, "True", f.add(x, operator, text, "true"))
	f.call(x, "False", f.add(x, operator, text, "false"))
}

// binary makes the mutants of an expression with two operands, apart from those that its parent makes of it.
func (f *fileMutator) binary(x *ast.BinaryExpr) {
	if f.isConstant(x) {
		return
	}
	switch x.Op {
	case token.LAND:
		f.junction(x, "And", "True", token.LOR)
	case token.LOR:
		f.junction(x, "Or", "False", token.LAND)
	case token.LSS:
		f.ordered(x, "Less", x.X, x.Y, token.LEQ)
	case token.LEQ:
		f.ordered(x, "AtMost", x.X, x.Y, token.LSS)
	case token.GTR:
		f.ordered(x, "Less", x.Y, x.X, token.GEQ)
	case token.GEQ:
		f.ordered(x, "AtMost", x.Y, x.X, token.GTR)
	case token.ADD:
		f.arithmetic(x, "Sum", token.SUB)
	case token.SUB:
		f.arithmetic(x, "Difference", token.ADD)
	}
	if comparison(x) && !f.isWhole() {
		f.call(x, "Not", f.add(x, negation, f.text(x), "!("+f.text(x)+")"))
	}
}

func comparison(x *ast.BinaryExpr) bool {
	switch x.Op {
	case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
		return true
	}
	return false
}

// junction makes the mutants of && and ||: the other one, and each operand left out.
func (f *fileMutator) junction(x *ast.BinaryExpr, function, neutral string, other token.Token) {
	id := f.add(x, logic, x.Op.String(), other.String())
	f.instead[x] = func() string {
		return sprintf("mutant_.%s(%d, %s, func() bool { return %s })", function, id, f.render(x.X), f.render(x.Y))
	}
	for _, operand := range []ast.Expr{x.X, x.Y} {
		if inner, ok := ast.Unparen(operand).(*ast.BinaryExpr); ok && inner.Op == x.Op {
			continue // its own operands are left out one by one
		}
		f.call(operand, neutral, f.add(operand, clause, f.text(operand), ""))
	}
}

func (f *fileMutator) ordered(x *ast.BinaryExpr, function string, a, b ast.Expr, other token.Token) {
	id := f.add(x, boundary, f.text(x), f.text(x.X)+" "+other.String()+" "+f.text(x.Y))
	f.instead[x] = func() string { return sprintf("mutant_.%s(%d, %s, %s)", function, id, f.render(a), f.render(b)) }
}

func (f *fileMutator) arithmetic(x *ast.BinaryExpr, function string, other token.Token) {
	basic, ok := f.pkg.info.TypeOf(x).Underlying().(*types.Basic)
	if !ok || basic.Info()&types.IsNumeric == 0 || f.isArbitrary() {
		return
	}
	id := f.add(x, sum, f.text(x), f.text(x.X)+" "+other.String()+" "+f.text(x.Y))
	f.instead[x] = func() string {
		return sprintf("mutant_.%s(%d, %s, %s)", function, id, f.render(x.X), f.render(x.Y))
	}
}

// isWhole reports whether a parent forces the expression being visited true and false: it is a condition, a clause of one, or returned.
func (f *fileMutator) isWhole() bool {
	for i := len(f.parents) - 1; i >= 0; i-- {
		switch parent := f.parents[i].(type) {
		case *ast.ParenExpr:
			continue
		case *ast.BinaryExpr:
			return parent.Op == token.LAND || parent.Op == token.LOR
		case *ast.IfStmt, *ast.ReturnStmt:
			return true
		case *ast.CaseClause:
			return i >= 2 && isTagless(f.parents[i-2])
		}
		return false
	}
	return false
}

func isTagless(n ast.Node) bool {
	s, ok := n.(*ast.SwitchStmt)
	return ok && s.Tag == nil
}

// isArbitrary reports whether the expression being visited is a number that may be another one as well: the capacity of a make, or
// what bounds the random values and dates of a trial's world.
func (f *fileMutator) isArbitrary() bool {
	for _, parent := range f.parents {
		if call, ok := parent.(*ast.CallExpr); ok {
			switch f.text(call.Fun) {
			case "make", "time.Date", "r.IntN", "rand.NewPCG":
				return true
			}
		}
	}
	return false
}

func (f *fileMutator) isConstant(x ast.Expr) bool { return f.pkg.info.Types[x].Value != nil }
