package checks_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/mattn/go-runewidth"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/labgrader/checks"
	"example.com/labgrader/grader"
	"example.com/labgrader/grader/catalogue"
	"example.com/labgrader/grader/gradertest"
	"example.com/labgrader/grader/render"
)

// spoken are the cases that the goldens show: places, values, arguments, phrases, blocked criteria, a note.
var spoken = []string{"rbac/fail-answers-only", "expiry/fail-script-reversed", "takeover/fail-not-begun", "rbac/pass-user-subject"}

// filled grades a case and fills the report in a language.
func filled(t *testing.T, texts *catalogue.Catalogue, c *gradertest.Case, lang string) grader.Report {
	t.Helper()
	report := c.Grade(checks.Lab())
	texts.Fill(&report, lang)
	return report
}

func asText(t *testing.T, texts *catalogue.Catalogue, report grader.Report, lang string) string {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, render.Text(&out, report, render.Options{Labels: render.Labels(texts.Labels(lang))}))
	return out.String()
}

func TestReportsInEveryLanguage(t *testing.T) {
	texts, err := catalogue.New(checks.Lab())
	require.NoError(t, err)
	for _, lang := range catalogue.Languages() {
		var all strings.Builder
		for _, name := range spoken {
			c, err := gradertest.Load(filepath.Join(fixtures, "corpus", name+".txtar"))
			require.NoError(t, err)
			all.WriteString(asText(t, texts, filled(t, texts, c, lang), lang) + "\n")
		}
		golden := filepath.Join("testdata", "report."+lang+".golden")
		if *update {
			require.NoError(t, os.WriteFile(golden, []byte(all.String()), 0o644))
		}
		want, err := os.ReadFile(golden)
		require.NoError(t, err)
		assert.Equal(t, string(want), all.String(), "read the text, then run go test ./checks -run ReportsInEveryLanguage -update")
	}
}

// Only what is there to be read follows the language.
func TestALanguageChangesWordsOnly(t *testing.T) {
	texts, err := catalogue.New(checks.Lab())
	require.NoError(t, err)
	for _, name := range spoken {
		c, err := gradertest.Load(filepath.Join(fixtures, "corpus", name+".txtar"))
		require.NoError(t, err)
		english := filled(t, texts, c, "en")
		for _, lang := range catalogue.Languages()[1:] {
			other := filled(t, texts, c, lang)
			assert.NotEqual(t, english, other, lang)
			assert.JSONEq(t, wordless(t, english), wordless(t, other), lang)
		}
	}
}

// wordless returns the report as JSON without titles, messages and hints.
func wordless(t *testing.T, report grader.Report) string {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, render.JSON(&out, report))
	var tree any
	require.NoError(t, json.Unmarshal(out.Bytes(), &tree))
	var strip func(node any)
	strip = func(node any) {
		switch node := node.(type) {
		case []any:
			for _, child := range node {
				strip(child)
			}
		case map[string]any:
			for _, word := range []string{"title", "message", "hint"} {
				delete(node, word)
			}
			for _, child := range node {
				strip(child)
			}
		}
	}
	strip(tree)
	bare, err := json.Marshal(tree)
	require.NoError(t, err)
	return string(bare)
}

// A terminal of 80 columns shows every case and every explanation, and punctuation stands where it may.
func TestTextFitsATerminalInEveryLanguage(t *testing.T) {
	lab := checks.Lab()
	texts, err := catalogue.New(lab)
	require.NoError(t, err)
	for _, c := range cases(t) {
		report := c.Grade(lab)
		for _, lang := range catalogue.Languages() {
			texts.Fill(&report, lang)
			demandFit(t, asText(t, texts, report, lang), c.Path)
		}
	}
	for _, lang := range catalogue.Languages() {
		for _, check := range lab.Checks {
			var out bytes.Buffer
			localized, task := texts.Explain(check, lang)
			assert.NotEmpty(t, task, "%s in %s", check.Name, lang)
			require.NoError(t, render.Explain(&out, localized, task, render.Labels(texts.Labels(lang))))
			demandFit(t, out.String(), check.Name)
		}
	}
}

func demandFit(t *testing.T, text, what string) {
	t.Helper()
	width := &runewidth.Condition{StrictEmojiNeutral: true}
	for _, line := range strings.Split(text, "\n") {
		first, _ := utf8.DecodeRuneInString(strings.TrimLeft(line, " "))
		last, _ := utf8.DecodeLastRuneInString(line)
		if width.StringWidth(line) > 80 || strings.ContainsRune("。、，．：；！？」』）】》〉ー", first) || strings.ContainsRune("「『（【《〈", last) {
			assert.Fail(t, "a line does not fit", "%s: %s", what, line)
		}
	}
}
