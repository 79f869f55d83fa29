package audit

import (
	"context"
	"regexp"
	"strings"
	"sync"

	"example.com/labgrader/checks/audit/runbook"
	"example.com/labgrader/grader"
	"example.com/labgrader/grader/submission"
)

func flags(_ context.Context, view *grader.View) ([]grader.Finding, error) {
	body, judgement, err := judged(view)
	if err != nil {
		return nil, err
	}
	var findings []grader.Finding
	for _, name := range []string{"leader-elect-lease-duration", "leader-elect-renew-deadline", "leader-elect-retry-period"} {
		if hasFlag(body, name) {
			continue
		}
		code := "audit.flag-missing"
		if regexp.MustCompile(`(^|[^-\w])-+` + regexp.QuoteMeta(name) + `($|[^-\w])`).MatchString(dashes.Replace(body)) {
			code = "audit.flag-dash"
		}
		findings = append(findings, grader.Misses(code).At(runbookFile, 0).With("flag", "--"+name))
	}
	if !judgement.Defaults {
		findings = append(findings, grader.Notes("audit.defaults").At(runbookFile, 0))
	}
	return grader.MeetsUnless(findings...), nil
}

// dashes turns the marks that editors put in place of hyphens into hyphens.
var dashes = strings.NewReplacer("‐", "-", "‑", "-", "‒", "-", "–", "-", "—", "-", "―", "-", "−", "-", "－", "-", "ー", "-")

// hasFlag reports whether a text names the flag --name exactly, not as part of a longer word.
func hasFlag(text, name string) bool {
	exact := regexp.MustCompile(`(^|[^-\w])--` + regexp.QuoteMeta(name) + `($|[^-\w])`)
	return exact.MatchString(text)
}

// lexicon is what the runbook is read with. It never changes; reading it takes too long to do it for each judgement.
var lexicon = sync.OnceValues(runbook.Load)

// judged reads the runbook and judges what it says.
func judged(view *grader.View) (body string, judgement runbook.Judgement, err error) {
	text, err := submission.OpenText(view, runbookFile)
	if err != nil {
		return "", runbook.Judgement{}, err
	}
	words, err := lexicon()
	if err != nil {
		return "", runbook.Judgement{}, err
	}
	return text.String(), words.Judge(text.String()), nil
}

func reason(_ context.Context, view *grader.View) ([]grader.Finding, error) {
	_, judgement, err := judged(view)
	if err != nil {
		return nil, err
	}
	code := map[runbook.Outcome]string{
		runbook.Stated:       "audit.reason-stated",
		runbook.Missing:      "audit.reason-missing",
		runbook.ListOnly:     "audit.reason-words",
		runbook.TaskCopied:   "audit.reason-question",
		runbook.RelationOnly: "audit.reason-relation",
		runbook.Reversed:     "audit.reason-reversed",
		runbook.Contradicted: "audit.reason-contradicted",
		runbook.WrongReason:  "audit.reason-other",
	}[judgement.Reason.Outcome]
	return explained(code, judgement.Reason), nil
}

func suspicion(_ context.Context, view *grader.View) ([]grader.Finding, error) {
	_, judgement, err := judged(view)
	if err != nil {
		return nil, err
	}
	code := map[runbook.Outcome]string{
		runbook.Stated:       "audit.suspicion-stated",
		runbook.Missing:      "audit.suspicion-missing",
		runbook.ListOnly:     "audit.suspicion-words",
		runbook.TaskCopied:   "audit.suspicion-question",
		runbook.SymptomOnly:  "audit.suspicion-symptom",
		runbook.Denied:       "audit.suspicion-denied",
		runbook.CauseAlone:   "audit.suspicion-alone",
		runbook.Contradicted: "audit.suspicion-contradicted",
	}[judgement.Suspicion.Outcome]
	return explained(code, judgement.Suspicion), nil
}

// explained returns a finding for each sentence that a ruling rests on, and a note where a person should read it.
func explained(code string, ruling runbook.Ruling) []grader.Finding {
	base := grader.Misses(code)
	if ruling.Met() {
		base.Kind = grader.Met
	}
	findings := []grader.Finding{}
	for _, sentence := range ruling.Sentences {
		findings = append(findings, base.At(runbookFile, sentence.Line).Compare("", sentence.Text))
	}
	if len(findings) == 0 {
		findings = append(findings, base.At(runbookFile, 0))
	}
	if ruling.Weak {
		findings = append(findings, grader.Notes("audit.review").At(findings[0].Source.File, findings[0].Source.Line))
	}
	return findings
}
