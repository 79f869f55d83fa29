package submission_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/labgrader/grader"
	"example.com/labgrader/grader/submission"
)

// JSON escapes what lies beyond 16 bits in two halves, which no YAML parser takes.
func TestJSONThatIsNoYAMLIsRead(t *testing.T) {
	const object = "{\n\t\"kind\": \"A\",\n\t\"text\": \"\\ud83d\\ude00\"\n}\n"
	d := document(t, object)
	assert.Equal(t, map[string]any{"kind": "A", "text": "😀"}, d.Object)
	assert.Equal(t, 1, d.Line("text"), "its fields have no lines")

	documents, err := openWith(t, submission.OpenDocuments, "kind: B\n---\n"+object)
	require.NoError(t, err)
	require.Len(t, documents, 2)
	assert.Equal(t, 2, documents[1].Line("text"))
	assert.Equal(t, 2, documents[1].Line())
}

func TestAnAmpersandMakesNothingElseOfAnError(t *testing.T) {
	for _, anchor := range []string{"", "&x "} {
		_, err := openWith(t, submission.OpenDocuments, "a: "+anchor+"1\nb: @y\n")
		want := grader.Misses(submission.CodeYAML).At(fileName, 2).With("problem", "found character that cannot start any token")
		assert.Equal(t, want, err, anchor)
	}
}

func TestWhatFollowsASeparator(t *testing.T) {
	for name, c := range map[string]struct {
		content string
		want    map[string]any
	}{
		"a comment":             {"--- # one\na: 1\n", map[string]any{"a": int64(1)}},
		"a comment of one sign": {"--- #\na: 1\n", map[string]any{"a": int64(1)}},
		"a key, at its column":  {"--- a: 1\n    b: 2\n", map[string]any{"a": int64(1), "b": int64(2)}},
		// Such a document is empty, and empty ones do not count towards how many are looked at.
		"comments only": {strings.Repeat("--- # x\n", 70) + "a: 1\n", map[string]any{"a": int64(1)}},
	} {
		t.Run(name, func(t *testing.T) { assert.Equal(t, c.want, document(t, c.content).Object) })
	}
}

func TestAValueIsNotTakenForAKey(t *testing.T) {
	d := document(t, "kind:\n  metadata\nname:\n  other\n")
	assert.Equal(t, 1, d.Line("metadata"))
	assert.Equal(t, 1, d.Line("other"))
	assert.Equal(t, 3, d.Line("name"))
}

func TestTroubleWithAFileSaysWhatItIs(t *testing.T) {
	see(t, grader.File{State: grader.FileUnreadable, Detail: "permission denied"}, func(view *grader.View) {
		_, err := submission.Bytes(view, fileName)
		assert.ErrorContains(t, err, "permission denied")
	})
}
