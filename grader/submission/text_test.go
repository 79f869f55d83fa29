package submission_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"example.com/labgrader/grader"
	"example.com/labgrader/grader/submission"
)

func openText(t *testing.T, content string) (text submission.Text, err error) {
	t.Helper()
	see(t, present(content), func(view *grader.View) { text, err = submission.OpenText(view, fileName) })
	return text, err
}

// numbered gives the lines numbers from 1.
func numbered(lines ...string) []submission.Line {
	all := make([]submission.Line, len(lines))
	for i, line := range lines {
		all[i] = submission.Line{Number: i + 1, Text: line}
	}
	return all
}

func TestTextIsTheSameHoweverItWasSaved(t *testing.T) {
	for name, c := range map[string]struct {
		content string
		want    []submission.Line
	}{
		"as it should be":        {"one\n two\n", numbered("one", " two")},
		"no line feed at end":    {"one\n two", numbered("one", " two")},
		"CRLF":                   {"one\r\n two\r\n", numbered("one", " two")},
		"CRLF and LF mixed":      {"one\r\n two\n", numbered("one", " two")},
		"CR twice":               {"one\r\r\n two\r\n", numbered("one", " two")},
		"byte order mark":        {"\ufeffone\n two\n", numbered("one", " two")},
		"mark, CRLF, blanks":     {"\ufeffone \t\r\n two\r\n \r\n\t\r\n", numbered("one", " two")},
		"trailing blanks":        {"one \n two\t \n", numbered("one", " two")},
		"blank lines at its end": {"one\n two\n\n  \n\n", numbered("one", " two")},
		"blank lines elsewhere":  {"\n\none\n\n two\n", numbered("", "", "one", "", " two")},
		"coloured":               {"\x1b[1;31mone\x1b[0m\n \x1b[38:2::1:2:3mtwo\x1b[m\x1b[K\n", numbered("one", " two")},
		"colour after blanks":    {"one  \x1b[0m\n two\x1b[0m\r\n\x1b[0m\n", numbered("one", " two")},
		"cursor hidden":          {"\x1b[?25lone\n two\x1b[?25h\n", numbered("one", " two")},
		"other scripts":          {"리스\n 租约 期限\n", numbered("리스", " 租约 期限")},
	} {
		t.Run(name, func(t *testing.T) {
			text, err := openText(t, c.content)
			require.NoError(t, err)
			assert.Equal(t, fileName, text.Name)
			assert.Equal(t, c.want, text.Lines)
		})
	}
}

func TestStringJoinsTheLines(t *testing.T) {
	text, err := openText(t, "\ufeffone \r\n\r\ntwo\r\n\r\n")
	require.NoError(t, err)
	assert.Equal(t, "one\n\ntwo", text.String())
	assert.Empty(t, submission.Text{}.String())
}

func TestWhatIsNoTextIsAFinding(t *testing.T) {
	for name, c := range map[string]struct{ content, code string }{
		"empty":                      {"", submission.CodeEmpty},
		"only blanks":                {" \t\r\n\n  \n", submission.CodeEmpty},
		"only a byte order mark":     {"\ufeff", submission.CodeEmpty},
		"only colours":               {"\x1b[1m\x1b[0m\n", submission.CodeEmpty},
		"UTF-16 with a mark":         {"\xff\xfeo\x00n\x00e\x00", submission.CodeNotUTF8},
		"UTF-16, big end first":      {"\xfe\xff\x00o\x00n\x00e", submission.CodeNotUTF8},
		"Latin-1":                    {"caf\xe9\n", submission.CodeNotUTF8},
		"cut within a character":     {"one\n\xeb\xa6", submission.CodeNotUTF8},
		"half a surrogate pair":      {"\xed\xa0\x80", submission.CodeNotUTF8},
		"invalid behind many blanks": {strings.Repeat(" ", 10000) + "\xff", submission.CodeNotUTF8},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := openText(t, c.content)
			want := grader.Misses(c.code).At(fileName, 0).With("file", fileName)
			assert.Equal(t, want, err)
		})
	}
}

func TestAFileThatIsNotThereToReadIsAFinding(t *testing.T) {
	missing := grader.Misses(submission.CodeMissing).At(fileName, 0).With("file", fileName)
	for name, c := range map[string]struct {
		file grader.File
		want error
	}{
		"missing":     {grader.File{State: grader.FileMissing}, missing},
		"not regular": {grader.File{State: grader.FileNotRegular, Detail: "a socket"}, grader.Misses(submission.CodeNotRegular).At(fileName, 0).With("file", fileName).Phrase("is", "file.is-socket")},
		"too large":   {grader.File{State: grader.FileTooLarge, Detail: "much"}, grader.Misses(submission.CodeTooLarge).At(fileName, 0).With("file", fileName).With("limit", "1048576")},
	} {
		t.Run(name, func(t *testing.T) {
			see(t, c.file, func(view *grader.View) {
				_, err := submission.Bytes(view, fileName)
				assert.Equal(t, c.want, err)
				_, err = submission.OpenText(view, fileName)
				assert.Equal(t, c.want, err)
				_, err = submission.OpenDocuments(view, fileName)
				assert.Equal(t, c.want, err)
				_, err = submission.OpenObjects(view, fileName)
				assert.Equal(t, c.want, err)
			})
		})
	}
}

func TestTroubleWithAFileIsNoFinding(t *testing.T) {
	for name, file := range map[string]grader.File{
		"unreadable":                     {State: grader.FileUnreadable, Detail: "permission denied"},
		"a state that nobody knows":      {State: "odd"},
		"a state that nobody determined": {},
	} {
		t.Run(name, func(t *testing.T) {
			see(t, file, func(view *grader.View) {
				_, err := submission.OpenText(view, fileName)
				require.Error(t, err)
				var finding grader.Finding
				assert.NotErrorAs(t, err, &finding)
			})
		})
	}
}

func TestBytesAreWhatTheLearnerLeft(t *testing.T) {
	content := "\ufeffa \x1b[0m\r\n\n\xff"
	see(t, present(content), func(view *grader.View) {
		data, err := submission.Bytes(view, fileName)
		assert.NoError(t, err)
		assert.Equal(t, content, string(data))
	})
}

// savedLine is a line without what saving may add to it or OpenText takes away.
func savedLine() *rapid.Generator[string] {
	return rapid.StringMatching(`[^\n\r\x1b\x{feff}]*`).Filter(func(s string) bool { return strings.TrimRight(s, " \t\r") == s })
}

func TestLinesSurviveEveryWayOfSaving(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		lines := append(rapid.SliceOfN(savedLine(), 0, 6).Draw(r, "lines"), "last")
		var content strings.Builder
		content.WriteString(rapid.SampledFrom([]string{"", "\ufeff"}).Draw(r, "mark"))
		for _, line := range lines {
			content.WriteString(line)
			content.WriteString(rapid.StringMatching(`[ \t]{0,3}`).Draw(r, "blanks"))
			content.WriteString(rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(r, "end"))
		}
		content.WriteString(rapid.StringMatching(`([ \t]{0,2}\r?\n){0,3}`).Draw(r, "blank lines"))
		text, err := openText(t, content.String())
		require.NoError(r, err)
		require.Equal(r, numbered(lines...), text.Lines)
	})
}

func TestCleaningTwiceChangesNothingMore(t *testing.T) {
	for _, s := range []string{"", "one\n", "\ufeffone\r\n", "\x1b[31mone\x1b[0m\r\n"} {
		once := submission.Clean(s)
		assert.Equal(t, once, submission.Clean(once))
	}
}
