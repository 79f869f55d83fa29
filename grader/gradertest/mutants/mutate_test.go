package main

import (
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const sample = `package sample

const most = 3 // tries

func tries(words []string, n int) (string, bool) {
	if n < most && len(words) > 0 {
		n++
		return words[n-1], true
	}
	return "", false
}
`

func mutateSample(t *testing.T) (points []string, rewritten string) {
	t.Helper()
	dir := t.TempDir()
	for name, content := range map[string]string{"go.mod": "module sample\n\ngo 1.26\n", "sample.go": sample} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644))
	}
	m := &mutator{top: dir, fset: token.NewFileSet(), numbers: map[types.Object][]sibling{}}
	packages, err := load(dir, m.fset, []string{"."})
	require.NoError(t, err)
	require.NoError(t, m.mutate(packages))
	for _, p := range m.points {
		points = append(points, p.String())
	}
	data, err := os.ReadFile(filepath.Join(dir, "sample.go"))
	require.NoError(t, err)
	return points, string(data)
}

func TestMutants(t *testing.T) {
	points, _ := mutateSample(t)
	assert.ElementsMatch(t, []string{
		`sample.go:3 literal: 3 -> 4`,
		`sample.go:3 literal: 3 -> 2`,
		`sample.go:6 condition: n < most && len(words) > 0 -> true`,
		`sample.go:6 condition: n < most && len(words) > 0 -> false`,
		`sample.go:6 logic: && -> ||`,
		`sample.go:6 clause: n < most -> `,
		`sample.go:6 clause: len(words) > 0 -> `,
		`sample.go:6 boundary: n < most -> n <= most`,
		`sample.go:6 boundary: len(words) > 0 -> len(words) >= 0`,
		`sample.go:6 literal: 0 -> 1`,
		`sample.go:7 dropped: n++ -> `,
		`sample.go:8 returned: return words[n-1], true -> zero values`,
		`sample.go:8 sum: n-1 -> n + 1`,
		`sample.go:8 literal: 1 -> 2`,
		`sample.go:8 literal: 1 -> 0`,
		`sample.go:10 condition: return false -> true`,
	}, points)
}

// Positions in the rewritten source are those of the original, so that the compiler's complaints and panics can be read.
func TestNoLineIsAdded(t *testing.T) {
	_, rewritten := mutateSample(t)
	assert.Equal(t, strings.Count(sample, "\n"), strings.Count(rewritten, "\n"))
	assert.Contains(t, rewritten, "const most = 3; const most_1 = 4; const most_2 = 2 // tries")
	assert.Contains(t, rewritten, "mutant_.Pick[int](2, mutant_.Pick[int](1, most, most_1), most_2)")
}
