package submission_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/labgrader/grader"
	"example.com/labgrader/grader/submission"
)

func TestInvalidYAMLIsAFindingWithItsLine(t *testing.T) {
	for name, c := range map[string]struct {
		content string
		line    int
		problem string // none: it is YAML, but no object
	}{
		"first line":                  {"a: @x\n", 1, "found character that cannot start any token"},
		"third line":                  {"a: 1\nb: 2\nc: @x\n", 3, "found character that cannot start any token"},
		"indented too far":            {"a: 1\nb: 2\n c: 3\n", 3, "mapping values are not allowed in this context"},
		"two values":                  {"a: 1\nb: 2\nc: d: e\n", 3, "mapping values are not allowed in this context"},
		"a tab":                       {"a: 1\nb:\n\tc: 4\n", 3, "found character that cannot start any token"},
		"a list among fields":         {"a: 1\nb: 2\n- x\n", 3, "did not find expected key"},
		"a stray bracket":             {"a: 1\nb: 2\n}\n", 3, "did not find expected key"},
		"in the second document":      {"a: 1\n---\nb: 2\nc: @x\n", 4, "found character that cannot start any token"},
		"parsing the second one":      {"a: 1\n---\nb: 2\nc: 3\n- x\n", 5, "did not find expected key"},
		"behind comments and blanks":  {"\n# one\n\na: 1\n--- # two\n\n# three\nb: 2\nc: @x\n", 9, "found character that cannot start any token"},
		"with CRLF":                   {"a: 1\r\n---\r\nb: 2\r\nc: @x\r\n", 4, "found character that cannot start any token"},
		"JSON that is not":            {"{\n\t\"a\": 1,\n\t\"b\": @x\n}\n", 3, "found character that cannot start any token"},
		"an unknown alias":            {"a: 1\n---\nb: *nope\n", 2, "unknown anchor 'nope' referenced"},
		"an object that holds itself": {"a: 1\n---\nb: &x\n  c: *x\n", 2, "anchor 'x' value contains itself"},
		"a control character":         {"a: 1\nb: \x01\n", 1, "control characters are not allowed"},
		"text":                        {"hello\n", 1, ""},
		"text in the third line":      {"# one\n\nhello\n", 3, ""},
		"a number, second document":   {"a: 1\n---\n\n3\n", 4, ""},
		"a list":                      {"- a\n- b\n", 1, ""},
		"a directive":                 {"%YAML 1.1\n---\na: 1\n", 2, "did not find expected <document start>"},
	} {
		t.Run(name, func(t *testing.T) {
			documents, err := openWith(t, submission.OpenDocuments, c.content)
			assert.Empty(t, documents)
			want := grader.Misses(submission.CodeNotObject).At(fileName, c.line)
			if c.problem != "" {
				want = grader.Misses(submission.CodeYAML).At(fileName, c.line).With("problem", c.problem)
			}
			assert.Equal(t, want, err)
			_, err = openWith(t, submission.OpenObjects, c.content)
			assert.Error(t, err)
		})
	}
}

func TestAFileWithoutDocumentsIsAFinding(t *testing.T) {
	for name, c := range map[string]struct{ content, code string }{
		"empty":              {"", submission.CodeEmpty},
		"blanks":             {" \n\t\n \n", submission.CodeEmpty},
		"comments":           {"# nothing yet\n", submission.CodeEmpty},
		"separators":         {"---\n--- # x\n---", submission.CodeEmpty},
		"null":               {"null", submission.CodeEmpty},
		"UTF-16":             {"\xff\xfea\x00:\x00 \x001\x00", submission.CodeNotUTF8},
		"not UTF-8 anywhere": {"a: 1\n---\nb: \xff\n", submission.CodeNotUTF8},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := openWith(t, submission.OpenDocuments, c.content)
			assert.Equal(t, grader.Misses(c.code).At(fileName, 0).With("file", fileName), err)
		})
	}
}

func TestOnly64DocumentsAreLookedAt(t *testing.T) {
	documents, err := openWith(t, submission.OpenDocuments, "---\n"+strings.Repeat("a: 1\n---\n", 64))
	require.NoError(t, err)
	assert.Len(t, documents, 64)
	_, err = openWith(t, submission.OpenDocuments, strings.Repeat("a: 1\n---\n", 65))
	assert.Equal(t, grader.Misses(submission.CodeManyDocuments).At(fileName, 128).With("max", "64"), err)
	// What is wrong behind them is not looked at either.
	_, err = openWith(t, submission.OpenDocuments, strings.Repeat("a: 1\n---\n", 65)+"b: @x\n")
	var finding grader.Finding
	require.ErrorAs(t, err, &finding)
	assert.Equal(t, submission.CodeManyDocuments, finding.Code)
}

// nested returns levels of anchors, each of which names the one before several times.
func nested(levels, times int) string {
	var b strings.Builder
	b.WriteString("a0: &a0 [x]\n")
	for i := 1; i <= levels; i++ {
		again := strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d,", i-1), times), ",")
		fmt.Fprintf(&b, "a%d: &a%d [%s]\n", i, i, again)
	}
	return b.String()
}

func TestAliasesCannotFillTheMemory(t *testing.T) {
	const unfolds = "its aliases stand for more than 2097152 bytes"
	for name, content := range map[string]string{
		"lists of lists of lists": nested(30, 9),
		"two by two":              nested(64, 2),
		// Few nodes, each a long text: what a decoder counts stays small, but the JSON would have 8 GB.
		"a long text many times": "a: &a " + strings.Repeat("x", 500_000) + "\nb: [" + strings.Repeat("*a,", 16_000) + "]\n",
		"a long key many times":  "a: &a {" + strings.Repeat("x", 900) + ": 1}\nb: [" + strings.Repeat("*a,", 16_000) + "]\n",
		"by merging":             "a: &a {k: " + strings.Repeat("x", 500_000) + "}\nb:\n" + strings.Repeat("- <<: *a\n", 16_000),
	} {
		t.Run(name, func(t *testing.T) {
			require.LessOrEqual(t, len(content), submission.MaxFile)
			within(t, 20*time.Second, func() {
				_, err := openWith(t, submission.OpenDocuments, "c: 1\n---\n"+content)
				assert.Equal(t, grader.Misses(submission.CodeYAML).At(fileName, 2).With("problem", unfolds), err)
			})
		})
	}
	d := document(t, nested(3, 5))
	assert.Len(t, d.Object["a3"], 5, "aliases that stand for little are fine")
}

func TestHostileYAMLEndsSoon(t *testing.T) {
	const size = 128 << 10 // an eighth of what a file may have; all of it grows in proportion
	fill := func(s string) string { return strings.Repeat(s, size/len(s)) }
	for name, content := range map[string]string{
		"separators": fill("---\n"), "separators, comments": fill("---\n#\n"), "comments": fill("#\n"),
		"brackets": fill("["), "braces": fill("{"), "JSON depth": fill(`{"a":`), "flow depth": fill("{a: "),
		"dashes": fill("- "), "keys": fill("? "), "items": fill("-\n"), "quotes": fill(`"`), "anchors": fill("&a "),
		"tags": fill("!!map "), "blanks": fill(" "), "tabs": fill("\t"), "colours": fill("\x1b["), "NUL": fill("\x00"),
		"deep JSON": strings.Repeat(`{"a":`, 9000) + "1" + strings.Repeat("}", 9000),
		"deep YAML": strings.Repeat(`{a: `, 9000) + "1" + strings.Repeat("}", 9000),
		"one key":   strings.Repeat("k", size) + ": 1\n",
		"folded":    "a: \"" + fill("x\n ") + "\"\n",
	} {
		t.Run(name, func(t *testing.T) {
			within(t, 20*time.Second, func() {
				documents, err := openWith(t, submission.OpenObjects, content)
				if err == nil {
					assert.NotEmpty(t, documents)
					return
				}
				var finding grader.Finding
				assert.ErrorAs(t, err, &finding, "what is wrong with a file is a finding")
				assert.Less(t, len(finding.Args["problem"]), 1000)
			})
		})
	}
}
