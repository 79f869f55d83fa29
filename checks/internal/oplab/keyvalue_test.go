package oplab

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"example.com/labgrader/grader"
	"example.com/labgrader/grader/submission"
)

func TestReadEntries(t *testing.T) {
	entries, findings := ReadEntries(submission.TextOf("f.txt", "b=\na=1=2\n"), "x", "a", "b")
	assert.Empty(t, findings)
	assert.Equal(t, map[string]Entry{"a": {"1=2", 2}, "b": {"", 1}}, entries, "a value may be empty, or have another =")

	entries, findings = ReadEntries(submission.TextOf("f.txt", "words\nz=1\na=1\na=2\n"), "x", "a", "b")
	assert.Equal(t, map[string]Entry{"a": {"1", 3}}, entries, "the first one counts")
	miss := func(code, key string, line int, got string) grader.Finding {
		return grader.Misses(code).At("f.txt", line).With("key", key).With("keys", "a, b").Compare("", got)
	}
	assert.Equal(t, []grader.Finding{
		miss("x-line", "words", 1, "words"), miss("x-unknown", "z", 2, "z=1"), miss("x-twice", "a", 4, "a=2"), miss("x-missing", "b", 0, ""),
	}, findings)
}
