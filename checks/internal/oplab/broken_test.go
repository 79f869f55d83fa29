package oplab

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/labgrader/grader"
)

func TestBroken(t *testing.T) {
	const far = "Unable to connect to the server: dial tcp\nsecond line"
	for name, test := range map[string]struct {
		source     string
		transcript grader.Transcript
		code       string
		trouble    string
	}{
		"merely wrong":                   {"", grader.Transcript{ExitCode: 1, Stderr: "no"}, "", ""},
		"hangs":                          {"\r\n", grader.Transcript{TimedOut: true, MissingTool: "jq"}, "script.hangs", ""},
		"CR LF":                          {"\r\n", grader.Transcript{MissingTool: "jq"}, "script.crlf", ""},
		"a tool that is not here":        {"", grader.Transcript{MissingTool: "jq", StartError: "x"}, "", "it needs jq"},
		"not started":                    {"", grader.Transcript{StartError: "exec format error"}, "script.interpreter", ""},
		"no such interpreter":            {"", grader.Transcript{Stderr: "bad interpreter: No such file"}, "script.interpreter", ""},
		"syntax":                         {"", grader.Transcript{ExitCode: 1, Stderr: "syntax error near"}, "script.syntax", ""},
		"syntax that did not end it":     {"", grader.Transcript{Stderr: "syntax error near"}, "", ""},
		"unreachable":                    {"", grader.Transcript{Stderr: far}, "", "Unable to connect to the server: dial tcp\n..."},
		"unreachable after reading some": {"", grader.Transcript{Stderr: far, LeaseReads: 1}, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			inView(t, "a.sh", "true"+test.source, func(view *grader.View) {
				finding, err := Broken(view, "a.sh", Tried{Transcript: test.transcript})
				if test.trouble != "" {
					assert.ErrorContains(t, err, test.trouble)
				} else {
					assert.NoError(t, err)
				}
				if test.code == "" {
					assert.Nil(t, finding)
				} else if assert.NotNil(t, finding) {
					assert.Equal(t, test.code, finding.Code)
				}
			})
		})
	}
	inView(t, "a.sh", "true", func(view *grader.View) {
		finding, err := Broken(view, "a.sh", Tried{Transcript: grader.Transcript{StartError: "1\n2\n3\n4"}})
		require.NoError(t, err)
		assert.Equal(t, "1\n2\n3\n...", finding.Got, "three lines are shown")
	})
}

func TestFirstLines(t *testing.T) {
	for name, test := range map[string]struct {
		output, want string
	}{
		"fewer": {"1\n", "1"}, "as many": {"1\n2\n\n", "1\n2"}, "more": {"1\n2\n3\n4\n", "1\n2\n..."}, "nothing": {"", ""},
	} {
		t.Run(name, func(t *testing.T) { assert.Equal(t, test.want, FirstLines(test.output, 2)) })
	}
	assert.Equal(t, "1\n2\n3\n4\n5\n6\n...\nrc=2", Tried{Transcript: grader.Transcript{Stdout: "1\n2\n3\n4\n5\n6\n7", ExitCode: 2}}.Output())
	assert.Equal(t, "1\n2\n3\n4\n5\n6\nrc=0", Tried{Transcript: grader.Transcript{Stdout: "1\n2\n3\n4\n5\n6\n"}}.Output())
}
