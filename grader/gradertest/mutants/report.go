package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// String shows a mutant on a line.
func (p point) String() string {
	return fmt.Sprintf("%s:%d %s: %s -> %s", p.File, p.Line, p.Operator, p.Old, p.New)
}

// tally counts what became of mutants.
type tally struct{ mutants, killed, survived, unreached int }

func (t *tally) add(o outcome) {
	t.mutants++
	switch {
	case o.Killer != "":
		t.killed++
	case o.Reached:
		t.survived++
	default:
		t.unreached++
	}
}

func (t *tally) score() float64 { return 100 * float64(t.killed) / float64(t.mutants) }

// report gives the figures, and each mutant that no test noticed.
func report(points []point, outcomes []outcome) string {
	out := &strings.Builder{}
	total := &tally{}
	by := map[string]*tally{}
	var order []string
	for i, p := range points {
		name := strings.TrimPrefix(p.Package, module)
		if by[name] == nil {
			by[name] = &tally{}
			order = append(order, name)
		}
		by[name].add(outcomes[i])
		total.add(outcomes[i])
	}
	fmt.Fprintf(out, "%-24s %8s %8s %9s %12s %7s\n", "package", "mutants", "killed", "survived", "not reached", "score")
	for _, name := range order {
		line(out, name, by[name])
	}
	out.WriteString("\n")
	var left []int
	for i := range points {
		if outcomes[i].Killer == "" {
			left = append(left, i)
		}
	}
	slices.SortStableFunc(left, func(a, b int) int {
		return cmp.Or(cmp.Compare(points[a].Package, points[b].Package), cmp.Compare(points[a].File, points[b].File), points[a].Line-points[b].Line)
	})
	for _, i := range left {
		kind := "survived"
		if !outcomes[i].Reached {
			kind = "not reached"
		}
		fmt.Fprintf(out, "%-11s %s\n", kind, points[i])
	}
	out.WriteString("\n")
	line(out, "total", total)
	return out.String()
}

func line(out *strings.Builder, name string, t *tally) {
	fmt.Fprintf(out, "%-24s %8d %8d %9d %12d %6.1f%%\n", name, t.mutants, t.killed, t.survived, t.unreached, t.score())
}
