package submission_test

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"example.com/labgrader/grader"
	"example.com/labgrader/grader/submission"
)

var seeds = []string{
	"", "a: 1\n", "\ufeffa: 1\r\n---\r\nb: [1, 2]\r\n", "--- # c\n{a: &x 1, b: *x}\n---\n", "kind: List\nitems:\n- a: 1\n- 2\n",
	"{\n\t\"a\": 1\n}", "\x1b[31ma\x1b[0m  \n\n", "\xff\xfea\x00", "a: &a [*a]\n", "<<: {a: 1}\n", "? [a]\n: b\n", "a: !!binary x\n",
	"a: !!float 3\n", "%TAG ! x\n---\na: 1\n", "a: |+2\n   x\n", "-1: .nan\n.inf: 1\n", "a: 'x\n---\n'\n", "- - - -",
}

// requireFinding requires that an error says what is wrong with the file: nothing in a file is trouble of the grader.
func requireFinding(t *testing.T, err error, content string) {
	t.Helper()
	var finding grader.Finding
	require.True(t, errors.As(err, &finding), "%v", err)
	require.Equal(t, grader.Missed, finding.Kind)
	require.Equal(t, fileName, finding.Source.File)
	require.GreaterOrEqual(t, finding.Source.Line, 0)
	// A problem may be found behind the last line.
	require.LessOrEqual(t, finding.Source.Line, strings.Count(content, "\n")+strings.Count(content, "\r")+2)
}

func FuzzText(f *testing.F) {
	for _, seed := range seeds {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, content string) {
		text, err := openText(t, content)
		if err != nil {
			requireFinding(t, err, content)
			return
		}
		require.NotEmpty(t, text.Lines)
		require.NotEmpty(t, text.Lines[len(text.Lines)-1].Text)
		for i, line := range text.Lines {
			require.Equal(t, i+1, line.Number)
			require.True(t, utf8.ValidString(line.Text))
			require.Equal(t, strings.TrimRight(line.Text, " \t\r\n"), line.Text)
			require.NotContains(t, line.Text, "\n")
		}
		require.LessOrEqual(t, len(text.String()), len(content))
	})
}

func FuzzDocuments(f *testing.F) {
	for _, seed := range seeds {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, content string) {
		documents, err := openWith(t, submission.OpenDocuments, content)
		objects, objectsErr := openWith(t, submission.OpenObjects, content)
		require.Equal(t, err, objectsErr)
		if err != nil {
			requireFinding(t, err, content)
			return
		}
		require.NotEmpty(t, documents)
		for _, d := range append(documents, objects...) {
			require.NotNil(t, d.Object)
			require.GreaterOrEqual(t, d.Line(), 1)
			for key := range d.Object {
				require.GreaterOrEqual(t, d.Line(key, "0"), d.Line())
			}
			d.DeepCopy() // panics on values that no API object has
		}
	})
}
