package checks_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"example.com/labgrader/checks"
	"example.com/labgrader/grader"
)

// suffixes are the ends of codes that oplab.ReadEntries puts behind a prefix.
var suffixes = []string{"-line", "-unknown", "-twice", "-missing"}

// isPhrase reports whether a code is that of a part of a message: a world in words.
func isPhrase(code string) bool {
	return strings.Contains(code, ".world-") || strings.Contains(code, ".is-")
}

// codesInSource returns the codes that Go files of the checks name.
func codesInSource(t *testing.T) map[string]bool {
	t.Helper()
	var names []string
	for _, check := range checks.Lab().Checks {
		names = append(names, check.Name)
	}
	code := regexp.MustCompile(`^(manifest|file|yaml|script|` + strings.Join(names, "|") + `)\.[a-z0-9-]+$`)
	fileName := regexp.MustCompile(`\.(txt|yaml|tsv|sh)$`)
	criteria := map[string]bool{}
	for _, check := range checks.Lab().Checks {
		for _, c := range check.Criteria {
			criteria[check.Name+"."+c.Name] = true
		}
	}
	codes := map[string]bool{}
	for _, root := range []string{".", "../grader/submission"} {
		require.NoError(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
			if err != nil {
				return err
			}
			ast.Inspect(file, func(n ast.Node) bool {
				literal, ok := n.(*ast.BasicLit)
				if !ok || literal.Kind != token.STRING {
					return true
				}
				if s, err := strconv.Unquote(literal.Value); err == nil && code.MatchString(s) && !criteria[s] && !fileName.MatchString(s) && !isPhrase(s) {
					codes[s] = true
				}
				return true
			})
			return nil
		}))
	}
	for _, prefix := range []string{"takeover.record", "rbac.answers"} {
		delete(codes, prefix)
		for _, suffix := range suffixes {
			codes[prefix+suffix] = true
		}
	}
	return codes
}

// entries returns the codes in the English catalogues.
func entries(t *testing.T) map[string]bool {
	t.Helper()
	paths, err := filepath.Glob("*/messages.en.yaml")
	require.NoError(t, err)
	paths = append(paths, "internal/oplab/messages.en.yaml", "../grader/catalogue/messages.en.yaml")
	codes := map[string]bool{}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		var file map[string]struct{ Message, Hint string }
		require.NoError(t, yaml.Unmarshal(data, &file))
		for code, text := range file {
			if !strings.Contains(code, ".") { // the step's task, or labels
				continue
			}
			assert.False(t, codes[code], "%s stands in two catalogues", code)
			assert.NotEmpty(t, text.Message, code)
			codes[code] = true
		}
	}
	return codes
}

func TestCodesAndTextsAreTheSame(t *testing.T) {
	inSource, inCatalogue := codesInSource(t), entries(t)
	for code := range inSource {
		assert.True(t, inCatalogue[code], "%s has no text", code)
	}
	for code := range inCatalogue {
		if !strings.HasPrefix(code, "grader.") && !isPhrase(code) {
			assert.True(t, inSource[code], "no check makes %s", code)
		}
	}
}

// A code that no case shows is a message that nobody has read, from a branch that nobody has seen taken.
func TestEveryCodeIsShownByACase(t *testing.T) {
	shown := map[string]bool{}
	for _, c := range gradedCases(t) {
		for _, step := range c.report.Steps {
			for _, note := range step.Notes {
				shown[note.Code] = true
			}
			for _, criterion := range step.Criteria {
				for _, f := range criterion.Findings {
					shown[f.Code] = true
				}
			}
		}
	}
	for code := range entries(t) {
		// These need a cluster in trouble, or an authorizer that denies what the rules allow: the live tests show them.
		if code != grader.CodeError && code != "rbac.access-denied" && !isPhrase(code) {
			assert.True(t, shown[code], "no case shows %s", code)
		}
	}
}
