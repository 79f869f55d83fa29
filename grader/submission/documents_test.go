package submission_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/labgrader/grader"
	"example.com/labgrader/grader/submission"
)

type opener func(*grader.View, string) ([]submission.Document, error)

func openWith(t *testing.T, open opener, content string) (documents []submission.Document, err error) {
	t.Helper()
	see(t, present(content), func(view *grader.View) { documents, err = open(view, fileName) })
	return documents, err
}

// document opens content that has one document.
func document(t *testing.T, content string) submission.Document {
	t.Helper()
	documents, err := openWith(t, submission.OpenDocuments, content)
	require.NoError(t, err)
	require.Len(t, documents, 1)
	return documents[0]
}

// names returns kind/name and the line of each document.
func names(documents []submission.Document) []string {
	var all []string
	for _, d := range documents {
		all = append(all, fmt.Sprintf("%s/%s:%d", d.GetKind(), d.GetName(), d.Line()))
	}
	return all
}

func TestDocumentsAreFoundWithTheirLines(t *testing.T) {
	const a, b = "kind: A\nmetadata: {name: a}\n", "kind: B\nmetadata: {name: b}\n"
	for name, c := range map[string]struct {
		content string
		want    []string
	}{
		"one":                           {a, []string{"A/a:1"}},
		"without a line feed":           {strings.TrimSpace(a), []string{"A/a:1"}},
		"two":                           {a + "---\n" + b, []string{"A/a:1", "B/b:4"}},
		"--- first and last":            {"---\n" + a + "---\n" + b + "---\n", []string{"A/a:2", "B/b:5"}},
		"--- last without line feed":    {a + "---", []string{"A/a:1"}},
		"a comment behind ---":          {a + "--- # the second\n" + b, []string{"A/a:1", "B/b:4"}},
		"blanks behind ---":             {a + "---  \t\n" + b, []string{"A/a:1", "B/b:4"}},
		"an object behind ---":          {a + "--- {kind: B, metadata: {name: b}}\n", []string{"A/a:1", "B/b:3"}},
		"comments around":               {"# one\n\n" + a + "# two\n---\n# three\n" + b, []string{"A/a:3", "B/b:8"}},
		"empty ones between":            {"---\n---\n" + a + "---\n# nothing\n---\n\n---\n" + b, []string{"A/a:3", "B/b:10"}},
		"null is no document":           {"null\n---\n~\n---\n" + a, []string{"A/a:5"}},
		"CRLF":                          {strings.ReplaceAll(a+"---\n"+b, "\n", "\r\n"), []string{"A/a:1", "B/b:4"}},
		"a byte order mark":             {"\ufeff---\n" + a, []string{"A/a:2"}},
		"colours":                       {"\x1b[32m" + a + "\x1b[0m---\x1b[0m\n" + b, []string{"A/a:1", "B/b:4"}},
		"--- within a line":             {"kind: A\nmetadata: {name: a}\ntext: x ---\n", []string{"A/a:1"}},
		"--- within a text":             {"kind: A\nmetadata: {name: a}\ntext: |\n  ---\n", []string{"A/a:1"}},
		"----, which separates nothing": {"kind: A\nmetadata:\n  name: |-\n    a\n  ----x: 1\n", []string{"A/a:1"}},
		"JSON":                          {`{"kind": "A", "metadata": {"name": "a"}}`, []string{"A/a:1"}},
		"JSON with tabs":                {"{\n\t\"kind\": \"A\",\n\t\"metadata\": {\"name\": \"a\"}\n}\n", []string{"A/a:1"}},
		"JSON and YAML":                 {"{\n\t\"kind\": \"A\",\n\t\"metadata\": {\"name\": \"a\"}\n}\n---\n" + b, []string{"A/a:1", "B/b:6"}},
		"an object without fields":      {"{}\n", []string{"/:1"}},
	} {
		t.Run(name, func(t *testing.T) {
			documents, err := openWith(t, submission.OpenDocuments, c.content)
			require.NoError(t, err)
			assert.Equal(t, c.want, names(documents))
		})
	}
}

func TestValuesAreReadAsKubectlReadsThem(t *testing.T) {
	d := document(t, `
whole: 3
negative: -1
large: 9007199254740993
decimal: 1.5
octal: 0644
time: 2026-01-02T03:04:05Z
micro: 2026-01-02T03:04:05.123456Z
day: 2026-01-02
clock: 12:30
text: "3"
switch: yes
nothing: null
list: [1, a]
1: number as key
`)
	assert.Equal(t, map[string]any{
		"whole": int64(3), "negative": int64(-1), "large": int64(9007199254740993), "decimal": 1.5, "octal": int64(420),
		"time": "2026-01-02T03:04:05Z", "micro": "2026-01-02T03:04:05.123456Z", "day": "2026-01-02", "clock": "12:30",
		"text": "3", "switch": true, "nothing": nil, "list": []any{int64(1), "a"}, "1": "number as key",
	}, d.Object)
	assert.Equal(t, map[string]any{"whole": int64(3), "decimal": 1.5, "large": int64(9007199254740993), "text": "\u0000\t"},
		document(t, `{"whole": 3, "decimal": 1.5, "large": 9007199254740993, "text": "\u0000\t"}`).Object)
}

func TestALineIsThatOfTheFieldOrTheNearestAbove(t *testing.T) {
	d := document(t, `# comment
---
# comment
kind: Role
metadata:
  name: a

rules:
- verbs: [get]
- apiGroups: ["coordination.k8s.io"]
  verbs:
  - get
  - update
`)
	for _, c := range []struct {
		path []string
		line int
	}{
		{nil, 4},
		{[]string{"kind"}, 4},
		{[]string{"metadata"}, 5},
		{[]string{"metadata", "name"}, 6},
		{[]string{"metadata", "namespace"}, 5},
		{[]string{"rules"}, 8},
		{[]string{"rules", "0", "verbs"}, 9},
		{[]string{"rules", "1", "verbs"}, 11},
		{[]string{"rules", "1", "verbs", "1"}, 13},
		{[]string{"rules", "1", "resources"}, 10},
		{[]string{"rules", "2"}, 8},
		{[]string{"rules", "-1"}, 8},
		{[]string{"rules", "x"}, 8},
		{[]string{"kind", "x", "y"}, 4},
		{[]string{"nothing", "metadata"}, 4},
	} {
		assert.Equal(t, c.line, d.Line(c.path...), "%v", c.path)
	}
	finding := d.At(grader.Misses("step.code"), "metadata", "name")
	assert.Equal(t, grader.Misses("step.code").At(fileName, 6), finding)
}

func TestOfAKeyThatStandsTwiceTheLastCounts(t *testing.T) {
	for _, content := range []string{"a: 1\nb: 2\na: 3\n", "{\"a\": 1,\n\"b\": 2,\n\"a\": 3}"} {
		d := document(t, content)
		assert.Equal(t, map[string]any{"a": int64(3), "b": int64(2)}, d.Object)
		assert.Equal(t, 3, d.Line("a"))
	}
}

func TestItemsOfAListStandInItsPlace(t *testing.T) {
	const list = `kind: A
metadata: {name: a}
---
apiVersion: v1
kind: List
items:
- kind: B
  metadata:
    name: b
- not an object
- kind: C
  metadata: {name: c}
---
kind: D
metadata: {name: d}
`
	documents, err := openWith(t, submission.OpenObjects, list)
	require.NoError(t, err)
	assert.Equal(t, []string{"A/a:1", "B/b:7", "C/c:11", "D/d:14"}, names(documents))
	assert.Equal(t, 9, documents[1].Line("metadata", "name"))
	assert.Equal(t, 12, documents[2].Line("metadata", "name"))
	assert.Equal(t, 11, documents[2].Line("spec", "x"))

	documents, err = openWith(t, submission.OpenDocuments, list)
	require.NoError(t, err)
	assert.Len(t, documents, 3, "OpenDocuments keeps the list as it is")
}

func TestOnlyAListWithItemsIsUnfolded(t *testing.T) {
	for content, want := range map[string][]string{
		"kind: RoleList\nitems: [{kind: Role, metadata: {name: a}}]\n":  {"Role/a:2"},
		"kind: List\nitems: []\n":                                       nil,
		"kind: List\nitems: none\n":                                     {"List/:1"},
		"kind: List\n":                                                  {"List/:1"},
		"kind: Bag\nitems: [{kind: Role}]\n":                            {"Bag/:1"},
		"kind: 3\nitems: [{kind: Role}]\n":                              {"/:1"},
		"{\n\t\"kind\": \"List\",\n\t\"items\": [{\"kind\": \"A\"}]\n}": {"A/:3"},
	} {
		documents, err := openWith(t, submission.OpenObjects, content)
		require.NoError(t, err, content)
		assert.Equal(t, want, names(documents), content)
	}
}

func TestAliasesStandForTheirAnchor(t *testing.T) {
	d := document(t, `
base: &base
  a: 1
copy: *base
merged:
  <<: *base
  b: 2
`)
	assert.Equal(t, map[string]any{
		"base": map[string]any{"a": int64(1)}, "copy": map[string]any{"a": int64(1)},
		"merged": map[string]any{"a": int64(1), "b": int64(2)},
	}, d.Object)
	assert.Equal(t, 3, d.Line("copy", "a"), "the field stands where the anchor is")
	assert.Equal(t, 7, d.Line("merged", "b"))
	assert.Equal(t, 5, d.Line("merged", "a"), "a merged field has no line of its own")
}
