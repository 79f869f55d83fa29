package oplab

import (
	"strings"

	"example.com/labgrader/grader"
	"example.com/labgrader/grader/submission"
)

// Entry is a line KEY=VALUE.
type Entry struct {
	Value string
	Line  int
}

// ReadEntries reads lines KEY=VALUE, each of the keys once, in any order, and nothing else. Findings have the code's prefix
// and -line, -unknown, -twice or -missing, with the arguments key and keys.
func ReadEntries(text submission.Text, prefix string, keys ...string) (map[string]Entry, []grader.Finding) {
	entries := map[string]Entry{}
	var findings []grader.Finding
	known := map[string]bool{}
	for _, key := range keys {
		known[key] = true
	}
	all := strings.Join(keys, ", ")
	for _, line := range text.Lines {
		key, value, ok := strings.Cut(line.Text, "=")
		_, twice := entries[key]
		code := ""
		switch {
		case !ok:
			code = prefix + "-line"
		case !known[key]:
			code = prefix + "-unknown"
		case twice:
			code = prefix + "-twice"
		default:
			entries[key] = Entry{Value: value, Line: line.Number}
			continue
		}
		findings = append(findings, grader.Misses(code).At(text.Name, line.Number).With("key", key).With("keys", all).Compare("", line.Text))
	}
	for _, key := range keys {
		if _, ok := entries[key]; !ok {
			findings = append(findings, grader.Misses(prefix+"-missing").At(text.Name, 0).With("key", key).With("keys", all))
		}
	}
	return entries, findings
}
