package main

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"strconv"
	"strings"
)

// atom is a part of a constant expression that a mutant exchanges.
type atom struct {
	node ast.Node
	id   int
	text string
}

// constants gives each numeric constant of the file that is made of numbers a sibling for every mutant of it.
func (f *fileMutator) constants() {
	for _, declaration := range f.ast.Decls {
		d, ok := declaration.(*ast.GenDecl)
		if !ok || d.Tok != token.CONST {
			continue
		}
		for _, s := range d.Specs {
			spec := s.(*ast.ValueSpec)
			if len(spec.Names) != 1 || len(spec.Values) != 1 || !isNumber(f.pkg.info.Defs[spec.Names[0]].Type()) {
				continue
			}
			object := f.pkg.info.Defs[spec.Names[0]]
			added := ""
			for _, a := range f.atoms(spec.Values[0], literal) {
				name := object.Name() + "_" + strconv.Itoa(a.id)
				kind := ""
				if spec.Type != nil {
					kind = " " + f.text(spec.Type)
				}
				added += sprintf("; const %s%s = %s", name, kind, f.exchange(spec.Values[0], a))
				f.numbers[object] = append(f.numbers[object], sibling{a.id, name})
			}
			if d.Lparen.IsValid() {
				added = strings.ReplaceAll(added, "; const ", "; ")
			}
			if added != "" {
				f.wrap(spec, func(inner string) string { return inner + added })
			}
		}
	}
}

// atoms returns the mutants of a constant expression: numbers in it, and constants that have some themselves.
func (f *fileMutator) atoms(x ast.Expr, operator string) []atom {
	var all []atom
	ast.Inspect(x, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BasicLit:
			value, err := strconv.ParseInt(n.Value, 0, 64)
			if n.Kind != token.INT || err != nil {
				return false
			}
			for _, other := range []int64{value + 1, value - 1} {
				if other >= 0 && !isMinusTwo(x, other) {
					text := strconv.FormatInt(other, 10)
					all = append(all, atom{n, f.add(n, operator, f.text(x), f.exchange(x, atom{node: n, text: text})), text})
				}
			}
		case *ast.SelectorExpr:
			for _, s := range f.numbers[f.pkg.info.Uses[n.Sel]] {
				all = append(all, atom{n, s.id, f.text(n.X) + "." + s.name})
			}
			return false
		case *ast.Ident:
			for _, s := range f.numbers[f.pkg.info.Uses[n]] {
				all = append(all, atom{n, s.id, s.name})
			}
		}
		return true
	})
	return all
}

// isMinusTwo reports whether -1 would become -2: both mean that there is none, or no limit.
func isMinusTwo(x ast.Expr, other int64) bool {
	minus, ok := x.(*ast.UnaryExpr)
	return ok && minus.Op == token.SUB && other == 2
}

// exchange is the text of an expression with another one for a part of it.
func (f *fileMutator) exchange(x ast.Expr, a atom) string {
	from := f.offset(x.Pos())
	return string(f.data[from:f.offset(a.node.Pos())]) + a.text + string(f.data[f.offset(a.node.End()):f.offset(x.End())])
}

// number makes the mutants of a whole constant expression that is a number.
func (f *fileMutator) number(x ast.Expr) {
	value := f.pkg.info.Types[x]
	kind := f.spell(value.Type)
	if !isNumber(value.Type) || kind == "" || f.isArbitrary() || constant.ToInt(value.Value).Kind() != constant.Int || f.isKey(x) {
		return
	}
	for _, a := range f.atoms(x, literal) {
		other := f.exchange(x, a)
		f.wrap(x, func(inner string) string { return sprintf("mutant_.Pick[%s](%d, %s, %s)", kind, a.id, inner, other) })
	}
}

// isKey reports whether the expression must be constant: an index in a composite literal, or the length of an array.
func (f *fileMutator) isKey(x ast.Expr) bool {
	switch parent := f.parents[len(f.parents)-1].(type) {
	case *ast.KeyValueExpr:
		return parent.Key == x
	case *ast.ArrayType:
		return true
	}
	return false
}

func isNumber(t types.Type) bool {
	basic, ok := t.Underlying().(*types.Basic)
	return ok && basic.Info()&(types.IsInteger|types.IsFloat) != 0
}

// spell writes a type as this file can, empty if it cannot.
func (f *fileMutator) spell(t types.Type) string {
	t = types.Default(t)
	if _, ok := t.(*types.Basic); ok {
		return t.String()
	}
	named, ok := t.(*types.Named)
	if !ok {
		return ""
	}
	owner := named.Obj().Pkg()
	if owner == f.pkg.types {
		return named.Obj().Name()
	}
	for _, imported := range f.ast.Imports {
		if path, err := strconv.Unquote(imported.Path.Value); err == nil && path == owner.Path() && imported.Name == nil {
			return owner.Name() + "." + named.Obj().Name()
		}
	}
	return ""
}

// words makes the mutants of a list of strings.
func (f *fileMutator) words(list *ast.CompositeLit) {
	slice, ok := f.pkg.info.TypeOf(list).Underlying().(*types.Slice)
	if !ok || !types.Identical(slice.Elem(), types.Typ[types.String]) || f.isDeclaration() {
		return
	}
	for _, x := range list.Elts {
		if isWord(x) {
			f.word(x)
		}
	}
}

// isDeclaration reports whether the node belongs to the declaration of a criterion, which Validate judges.
func (f *fileMutator) isDeclaration() bool {
	for _, parent := range f.parents {
		if pair, ok := parent.(*ast.KeyValueExpr); ok {
			if key, ok := pair.Key.(*ast.Ident); ok && (key.Name == "Requires" || key.Name == "Consults") {
				return true
			}
		}
	}
	return false
}

func isWord(x ast.Expr) bool {
	word, ok := x.(*ast.BasicLit)
	return ok && word.Kind == token.STRING
}

func (f *fileMutator) word(x ast.Expr) {
	id := f.add(x, literal, f.text(x), f.text(x)+` + "~"`)
	f.wrap(x, func(inner string) string { return sprintf(`mutant_.Pick(%d, %s, %s+"~")`, id, inner, inner) })
}
