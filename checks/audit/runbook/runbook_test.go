package runbook

import (
	"bufio"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func load(t testing.TB) *Lexicon {
	t.Helper()
	lex, err := Load()
	require.NoError(t, err)
	return lex
}

// TestStatements judges the statements of testdata, many of them pairs that differ in a word. A line begins with + if the
// statement answers the question and with - if not, then r for the reason or s for the suspicion; \n is a line end. A line that
// begins with ? is one that is right and known not to be understood.
func TestStatements(t *testing.T) {
	lex := load(t)
	paths, err := filepath.Glob("testdata/statements.*.txt")
	require.NoError(t, err)
	require.Len(t, paths, 4)
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			file, err := os.Open(path)
			require.NoError(t, err)
			defer file.Close()
			for lines := bufio.NewScanner(file); lines.Scan(); {
				line := lines.Text()
				if line == "" || line[0] == '#' {
					continue
				}
				judged := lex.Judge(strings.ReplaceAll(line[3:], `\n`, "\n"))
				ruling := judged.Reason
				if line[1] == 's' {
					ruling = judged.Suspicion
				}
				require.Equal(t, line[0] == '+', ruling.Met(), "%s: %+v", line, ruling)
			}
		})
	}
}

// TestOutcomes holds that what is missing is said.
func TestOutcomes(t *testing.T) {
	lex := load(t)
	for text, want := range map[string]Outcome{
		"": Missing,
		"The renew deadline must be shorter than the lease duration.":                                              RelationOnly,
		"The renew deadline must be longer than the lease duration.":                                               Reversed,
		"The renew deadline must be shorter than the lease duration in order to save API calls.":                   WrongReason,
		"Why must the renew deadline be shorter than the lease duration?":                                          TaskCopied,
		"lease, renew deadline, shorter, two leaders, split brain, expires, gives up":                              ListOnly,
		"The leader stops before its lease expires. The renew deadline may be equal to the lease duration.":        Contradicted,
		"The renew deadline must be shorter than the lease duration: else two leaders are active at the same time": Stated,
	} {
		require.Equal(t, want, lex.Judge(text).Reason.Outcome, text)
	}
	for text, want := range map[string]Outcome{
		"": Missing,
		"If the transition count keeps growing, leadership changes hands.":                  SymptomOnly,
		"If the transition count keeps growing, suspect pod restarts.":                      CauseAlone,
		"If the transition count keeps growing, clock skew is not the cause.":               Denied,
		"clock skew, NTP, API latency, etcd, drift":                                         ListOnly,
		"If the transition count keeps growing, suspect clock skew or a slow API server.":   Stated,
		"What is to be suspected when the transition count keeps growing? Is it the clock?": TaskCopied,
	} {
		require.Equal(t, want, lex.Judge(text).Suspicion.Outcome, text)
	}
}

// TestContradictionNamesBoth holds that a contradiction names both sentences and their lines.
func TestContradictionNamesBoth(t *testing.T) {
	ruling := load(t).Judge("The leader must stop before its lease expires.\n\nSo the renew deadline must be longer than the lease duration.").Reason
	require.Equal(t, Contradicted, ruling.Outcome)
	require.Equal(t, []Sentence{
		{Text: "The leader must stop before its lease expires.", Line: 1},
		{Text: "So the renew deadline must be longer than the lease duration.", Line: 3},
	}, ruling.Sentences)
}

// TestReference holds that the lab's own solution is answered by one whole sentence each, and needs no reader.
func TestReference(t *testing.T) {
	script, err := os.ReadFile("../../../fixtures/solution/solve.sh")
	require.NoError(t, err)
	_, text, found := strings.Cut(string(script), "runbook.txt\" <<'TXT'\n")
	require.True(t, found)
	text, _, found = strings.Cut(text, "\nTXT\n")
	require.True(t, found)
	judged := load(t).Judge(text)
	for _, r := range []Ruling{judged.Reason, judged.Suspicion} {
		require.Equal(t, Stated, r.Outcome)
		require.False(t, r.Weak)
		require.Len(t, r.Sentences, 1)
		require.Contains(t, strings.ReplaceAll(text, "\n", " "), r.Sentences[0].Text)
		require.True(t, strings.HasSuffix(r.Sentences[0].Text, "."), "%q is cut off", r.Sentences[0].Text)
	}
	require.Contains(t, judged.Reason.Sentences[0].Text, "The renew deadline must be shorter")
	require.Contains(t, judged.Suspicion.Sentences[0].Text, "renewals come too late")
}

// TestAdjoiningIsNotWeak holds that what directly follows, or is an item under its heading, needs no reader.
func TestAdjoiningIsNotWeak(t *testing.T) {
	lex := load(t)
	for _, text := range []string{
		"Keep the renew deadline shorter than the lease duration. This prevents two leaders from acting at once.",
		"# Why renew deadline < lease duration\n\n- Fewer surprises.\n- It keeps two leaders from acting at the same time.",
		"What if the renew deadline exceeds the lease duration? Two leaders would write at once.",
	} {
		ruling := lex.Judge(text).Reason
		require.Equal(t, Stated, ruling.Outcome, text)
		require.False(t, ruling.Weak, text)
	}
}

// TestDefaults holds that the three default values are found however they are written.
func TestDefaults(t *testing.T) {
	lex := load(t)
	require.True(t, lex.Judge("15 seconds, 10s and 2초").Defaults)
	require.True(t, lex.Judge("１５秒、１０秒、２秒").Defaults)
	require.False(t, lex.Judge("15 s and 10 s").Defaults)
}

// TestLab judges the lab's own words: what explains is an answer, the task is not.
func TestLab(t *testing.T) {
	lex := load(t)
	task := []string{
		"The names of all three values --leader-elect-lease-duration, --leader-elect-renew-deadline, and --leader-elect-retry-period must appear, and it must include why the renew deadline must be shorter than the lease duration and what to suspect when the transition count keeps growing.",
		"--leader-elect-lease-duration·--leader-elect-renew-deadline·--leader-elect-retry-period 세 값의 이름이 모두 나와야 하고, 갱신 기한이 임차 길이보다 짧아야 하는 이유와 전환 횟수가 계속 늘 때 무엇을 의심할지가 들어가야 합니다.",
		"--leader-elect-lease-duration・--leader-elect-renew-deadline・--leader-elect-retry-periodの3つの値の名前がすべて出てくる必要があり、更新期限がリース期間より短くなければならない理由と、遷移回数が増え続けるときに何を疑うべきかが入っている必要があります。",
		"必须出现 --leader-elect-lease-duration、--leader-elect-renew-deadline、--leader-elect-retry-period 三个值的名称，并包含为什么续期期限必须短于租约时长，以及切换次数不断增加时应该怀疑什么。",
	}
	for _, text := range task {
		require.Equal(t, TaskCopied, lex.Judge(text).Reason.Outcome, text)
		require.False(t, lex.Judge(text).Suspicion.Met(), text)
	}
	explained := []string{
		"If the holder stays the same but only the transition count grows, it means takeovers are repeating, and the cause is usually clock skew or API server latency.",
		"홀더가 계속 같은데 전환 횟수만 늘어난다면 인수가 반복되고 있다는 뜻이고, 원인은 대개 시계 어긋남이나 API 서버 지연입니다.",
		"ホルダーがずっと同じなのに遷移回数だけが増えているなら、引き継ぎが繰り返されているという意味で、原因はたいてい、時計のずれやAPIサーバーのレイテンシです。",
		"如果持有者始终相同，只有切换次数在增加，就说明接管在反复发生，原因通常是时钟偏差或 API 服务器延迟。",
	}
	for i, text := range explained {
		require.True(t, lex.Judge(text).Suspicion.Met(), text)
		require.True(t, lex.Judge(task[i]+"\n"+text).Suspicion.Met(), text)
		require.False(t, lex.Judge(task[i]+"\n"+text).Reason.Met(), text)
	}
}

// TestPadding holds that lines which say nothing of leader election never make a text pass, wherever they stand.
func TestPadding(t *testing.T) {
	lex := load(t)
	padding := []string{
		"# Runbook", "", "Keep this file up to date.", "- see the documentation", "kubectl get pods -n op-leader", "운영 문서입니다.",
		"このファイルは運用のためのものです。", "本文件用于运维。", "| name | value |", "> note", "1. first of all", "Thank you!",
	}
	lines := []string{
		"The renew deadline must be shorter than the lease duration.", "Two leaders write at the same time.", "Clock skew is bad for certificates.",
		"갱신 기한은 임차 길이보다 짧아야 한다.", "更新期限はリース期間より短い。", "续期期限必须短于租约时长。", "If the transition count keeps growing, tell somebody.",
	}
	rapid.Check(t, func(t *rapid.T) {
		all := []string{rapid.SampledFrom(lines).Draw(t, "line")}
		all = append(all, rapid.SliceOfN(rapid.SampledFrom(padding), 0, 12).Draw(t, "padding")...)
		text := strings.Join(rapid.Permutation(all).Draw(t, "order"), "\n")
		judged := lex.Judge(text)
		require.False(t, judged.Reason.Met(), "%q: %+v", text, judged.Reason)
		require.False(t, judged.Suspicion.Met(), "%q: %+v", text, judged.Suspicion)
	})
}

// TestConcurrent holds that a lexicon may be shared, and that the same text is always judged the same.
func TestConcurrent(t *testing.T) {
	lex := load(t)
	text := "갱신 기한이 임차 길이보다 길면 리더가 둘이 된다. If transitions keep growing, suspect the clocks."
	want := lex.Judge(text)
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			for range 50 {
				if got := lex.Judge(text); len(got.Reason.Sentences) != len(want.Reason.Sentences) || got.Reason.Outcome != want.Reason.Outcome {
					t.Errorf("judged %+v, then %+v", want, got)
				}
			}
		})
	}
	wait.Wait()
}

// TestHostile holds that large texts made to be slow are judged in time.
// What takes more than a time that grows with the length would not end before the tests are ended.
func TestHostile(t *testing.T) {
	lex := load(t)
	for _, piece := range []string{"before ", "two leaders ", "a", "-", "(", "면 ", "前に", "更新期限", "不", "shorter than the lease duration ", "\n", "- x\n", "transitions grow?\n", "If ", "1. ", "; ", "clocks ", "|", "otherwise ", "\xff", "the renew deadline is shorter, "} {
		require.NotPanics(t, func() { lex.Judge(strings.Repeat(piece, (64<<10)/len(piece))) }, "%q repeated", piece)
	}
}

func FuzzJudge(f *testing.F) {
	f.Add("The renew deadline must be shorter than the lease duration, otherwise two leaders.")
	f.Add("전환 횟수가 늘면: - 시계\n| 遷移回数 | 時計 |\n```\n# 续期期限 < 租约时长\n")
	lex := load(f)
	f.Fuzz(func(t *testing.T, text string) {
		lines := strings.Count(text, "\n") + 1
		judged := lex.Judge(text)
		for _, r := range []Ruling{judged.Reason, judged.Suspicion} {
			require.NotEmpty(t, r.Outcome)
			require.Equal(t, r.Outcome == Missing, len(r.Sentences) == 0)
			for _, s := range r.Sentences {
				require.NotEmpty(t, s.Text)
				require.True(t, s.Line >= 1 && s.Line <= lines)
			}
		}
	})
}

func BenchmarkJudge(b *testing.B) {
	lex := load(b)
	text := strings.Repeat("The renew deadline must be shorter than the lease duration. 갱신 기한은 임차 길이보다 짧아야 합니다.\nIf the transition count keeps growing, suspect clock skew.\n", 14)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		lex.Judge(text)
	}
}
