package render

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"example.com/labgrader/grader"
)

// Punctuation that begins no line, and that ends none.
const closing, opening = "。、，．：；！？」』）】》〉ー々ゃゅょっァィッ)]}", "「『（【《〈([{"

func TestWrapLines(t *testing.T) {
	for name, test := range map[string]struct {
		in   string
		room int
		want []string
	}{
		"blanks":                        {"one two three", 8, []string{"one two", "three"}},
		"nothing":                       {"", 8, []string{""}},
		"lines stay":                    {"one\n\ntwo", 8, []string{"one", "", "two"}},
		"blanks are one":                {"  one   two ", 8, []string{"one two"}},
		"a word too wide":               {"x abcdefghijk", 8, []string{"x abcdef", "ghijk"}},
		"Korean breaks at blanks":       {"임차를 갱신하지 않았다", 12, []string{"임차를", "갱신하지", "않았다"}},
		"Korean too wide":               {"임차를갱신하지않았다", 8, []string{"임차를갱", "신하지않", "았다"}},
		"particles stay with names":     {"그리고 renewTime을", 15, []string{"그리고", "renewTime을"}},
		"Japanese breaks anywhere":      {"更新しませんでした", 8, []string{"更新しま", "せんでし", "た"}},
		"no full stop begins":           {"更新します。次", 10, []string{"更新しま", "す。次"}},
		"no bracket ends":               {"値は「真」です", 6, []string{"値は", "「真」", "です"}},
		"Chinese comma":                 {"续期之后，保存", 8, []string{"续期之", "后，保存"}},
		"paths stay whole":              {"saved in /root/op-leader/lease-widget.yaml", 33, []string{"saved in", "/root/op-leader/lease-widget.yaml"}},
		"flags stay whole":              {"the --leader-elect-retry-period", 27, []string{"the", "--leader-elect-retry-period"}},
		"a path after a full stop":      {"です。/root/a.yamlは", 14, []string{"です。", "/root/a.yamlは"}},
		"a path in brackets":            {"更新（/root/a.yaml）", 17, []string{"更新", "（/root/a.yaml）"}},
		"flags in a Chinese list":       {"三个--retry-period、--renew-deadline", 21, []string{"三个--retry-period、", "--renew-deadline"}},
		"flags in a Korean list":        {"값 --retry-period·--renew-deadline", 21, []string{"값 --retry-period·", "--renew-deadline"}},
		"a range in Korean":             {"get·create 만", 9, []string{"get·", "create 만"}},
		"names in Japanese stay whole":  {"値はwidget-operator-0です", 17, []string{"値は", "widget-operator-0", "です"}},
		"the ideographic blank is one":  {"更新　保存", 4, []string{"更新", "保存"}},
		"an emoji of several runes":     {"👩‍👩‍👧👩‍👩‍👧", 2, []string{"👩‍👩‍👧", "👩‍👩‍👧"}},
		"ambiguous width counts as one": {"a…b—c", 5, []string{"a…b—c"}},
	} {
		t.Run(name, func(t *testing.T) { assert.Equal(t, test.want, wrapLines(test.in, test.room)) })
	}
}

// Whatever the text is, nothing is lost, no line is too wide and punctuation stands where it may.
func TestWrapLinesKeepsItsPromises(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOf(rapid.SampledFrom([]string{"リース", "を", "更新", "し", "た", "。", "、", "「", "」", "（", "）", "租约", "，", "임차", "를", " ", "renewTime", "op-leader", "/root/x.yaml", "15", "—", "…"})).Draw(t, "text"), "")
		room := rapid.IntRange(24, 60).Draw(t, "room")
		lines := wrapLines(text, room)
		require.Equal(t, strings.Join(strings.Fields(text), ""), strings.Join(strings.Fields(strings.Join(lines, "")), ""))
		for _, line := range lines {
			require.LessOrEqual(t, cells().StringWidth(line), room)
		}
	})
}

func TestPunctuationStandsWhereItMay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		clause := rapid.Map(rapid.SliceOfN(rapid.SampledFrom([]string{"リース", "を", "更新", "ちょっと", "サーバー", "「値」", "（真）", "租约", "renewTime", "《x》"}), 1, 6), func(s []string) string { return strings.Join(s, "") })
		text := strings.Join(rapid.SliceOfN(clause, 1, 8).Draw(t, "clauses"), rapid.SampledFrom([]string{"。", "、", "，", "！", "："}).Draw(t, "mark"))
		for i, line := range wrapLines(text, rapid.IntRange(24, 60).Draw(t, "room")) {
			first, _ := utf8.DecodeRuneInString(line)
			last, _ := utf8.DecodeLastRuneInString(line)
			require.True(t, i == 0 || !strings.ContainsRune(closing, first), line)
			require.False(t, strings.ContainsRune(opening, last), line)
		}
	})
}

func TestTheEnvironmentChangesNoWidth(t *testing.T) {
	var before, after bytes.Buffer
	require.NoError(t, Text(&before, sample(), Options{Labels: english()}))
	t.Setenv("RUNEWIDTH_EASTASIAN", "1")
	t.Setenv("LC_ALL", "ja_JP.UTF-8")
	require.NoError(t, Text(&after, sample(), Options{Labels: english()}))
	assert.Equal(t, before.String(), after.String())
}

func TestExplain(t *testing.T) {
	check := grader.Check{Step: 3, Name: "three", Title: "생존은 계산이다", Criteria: []grader.Criterion{
		{Name: "a", Doc: "제목\n\n" + strings.Repeat("본문은 길다. ", 12), Points: 1.5},
		{Name: "b", Doc: "끝", Points: 11, Requires: []string{"a", "c"}},
	}}
	labels := Labels{Points: "점수", Requires: "먼저 통과해야 하는 기준"}
	var out bytes.Buffer
	require.NoError(t, Explain(&out, check, "적으세요 — {{.x}} <이름>", labels))
	assert.Equal(t, ` 3  생존은 계산이다 (three)

    적으세요 — {{.x}} <이름>

    - 제목 (a, 점수: 1.5)
      본문은 길다. 본문은 길다. 본문은 길다. 본문은 길다. 본문은 길다. 본문은
      길다. 본문은 길다. 본문은 길다. 본문은 길다. 본문은 길다. 본문은 길다.
      본문은 길다.
    - 끝 (b, 점수: 11)
      먼저 통과해야 하는 기준: a, c

`, out.String())
	assert.ErrorContains(t, Explain(broken{}, check, "", labels), "no space left")
}
