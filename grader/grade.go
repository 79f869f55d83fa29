package grader

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
)

// Codes of findings that the engine makes itself.
const (
	CodeError   = "grader.error"   // the criterion could not be judged; argument: reason
	CodeBlocked = "grader.blocked" // a required criterion did not pass; argument: requires
)

// Options of grading.
type Options struct {
	// Steps to report on, all when empty.
	Steps []int
	// Strict turns notes into failures.
	Strict bool
}

// result is the outcome of one criterion.
type result struct {
	verdict  Verdict
	findings []Finding
	// trouble says why it could not be judged, or the one that blocks it could not.
	trouble string
}

// Grade judges the evidence. It is pure: it reads nothing but its arguments, and never fails; what could not be judged
// is an error verdict in the report. Messages are left empty, a catalogue fills them.
func Grade(lab Lab, evidence *Evidence, options Options) Report {
	g := grading{lab: lab, evidence: evidence, strict: options.Strict, results: map[string]result{}}
	report := Report{
		APIVersion: APIVersion, Kind: "Report", Lab: lab.Name,
		Evidence: EvidenceSummary{Digest: evidence.Digest, ServerVersion: Escape(evidence.ServerVersion), Sandbox: evidence.Sandbox},
		Steps:    []StepReport{}, Errors: []string{},
	}
	if !evidence.CapturedAt.IsZero() {
		at := evidence.CapturedAt.UTC()
		report.Evidence.CapturedAt = &at
	}
	for _, trouble := range evidence.Troubles {
		report.Errors = append(report.Errors, Escape(trouble))
	}
	var verdicts []Verdict
	for _, check := range lab.selected(options.Steps) {
		step := g.step(check)
		verdicts = append(verdicts, step.Verdict)
		report.Score.Earned += step.Score.Earned
		report.Score.Possible += step.Score.Possible
		report.Steps = append(report.Steps, step)
	}
	report.Verdict = worst(verdicts)
	return report
}

// grading is one call of Grade.
type grading struct {
	lab      Lab
	evidence *Evidence
	strict   bool
	results  map[string]result
}

func (g *grading) step(check Check) StepReport {
	report := StepReport{Number: check.Step, Name: check.Name, Title: check.Title, Criteria: []CriterionReport{}, Notes: []FindingReport{}}
	var verdicts []Verdict
	for _, c := range check.Criteria {
		res := g.result(check.Name + "." + c.Name)
		verdicts = append(verdicts, res.verdict)
		item := CriterionReport{Name: c.Name, Title: c.Title(), Verdict: res.verdict, Points: Score{Possible: c.Points}, Findings: []FindingReport{}}
		if res.verdict == Pass {
			item.Points.Earned = c.Points
		}
		for _, f := range res.findings {
			switch {
			case f.Kind == Noted && !g.strict:
				report.Notes = append(report.Notes, newFindingReport(f))
			case f.Code != "": // a bare Meets says nothing more than the verdict
				item.Findings = append(item.Findings, newFindingReport(f))
			}
		}
		report.Score.Earned += item.Points.Earned
		report.Score.Possible += item.Points.Possible
		report.Criteria = append(report.Criteria, item)
	}
	report.Verdict = worst(verdicts)
	return report
}

// result judges a criterion once.
func (g *grading) result(id string) result {
	if res, ok := g.results[id]; ok {
		return res
	}
	g.results[id] = failed(errors.New("judging: the criterion waits for itself"))
	g.results[id] = g.judge(id)
	return g.results[id]
}

func (g *grading) judge(id string) result {
	c := g.lab.criterion(id)
	if c == nil {
		return failed(fmt.Errorf("judging: there is no criterion %s", id))
	}
	step, _, _ := strings.Cut(id, ".")
	var missing []string
	trouble := ""
	for _, name := range c.Requires {
		if required := g.result(step + "." + name); required.verdict != Pass {
			missing = append(missing, name)
			trouble = cmp.Or(trouble, required.trouble)
		}
	}
	if missing != nil {
		f := Finding{Kind: Missed, Code: CodeBlocked}.With("requires", strings.Join(missing, ", "))
		return result{verdict: Blocked, findings: []Finding{f}, trouble: trouble}
	}
	view := &View{criterion: *c, evidence: g.evidence, result: g.result}
	findings, err := run(*c, view)
	if view.misuse != nil {
		return failed(view.misuse)
	}
	return g.conclude(findings, err)
}

// run calls the criterion and turns a panic into an error.
func run(c Criterion, view *View) (findings []Finding, err error) {
	defer func() {
		if p := recover(); p != nil {
			findings, err = nil, fmt.Errorf("judging: panic: %v", p)
		}
	}()
	return c.Run(context.Background(), view)
}

// conclude derives the verdict. It passes only on a finding that says so, with none against it.
func (g *grading) conclude(findings []Finding, err error) result {
	var finding Finding
	switch {
	case errors.As(err, &finding):
		findings = append(findings, finding)
	case err != nil:
		return failed(err)
	}
	met, missed := false, false
	for _, f := range findings {
		switch f.Kind {
		case Met:
			met = true
		case Missed:
			missed = true
		case Noted:
			missed = missed || g.strict
		default:
			return failed(fmt.Errorf("judging: finding %q says neither met nor missed", f.Code))
		}
		if f.Kind != Met && f.Code == "" {
			return failed(errors.New("judging: a finding has no code"))
		}
	}
	switch {
	case missed:
		return result{verdict: Fail, findings: findings}
	case met:
		return result{verdict: Pass, findings: findings}
	}
	return failed(errors.New("judging: no finding"))
}

func failed(err error) result {
	f := Finding{Kind: Missed, Code: CodeError}.With("reason", err.Error())
	return result{verdict: Error, findings: []Finding{f}, trouble: err.Error()}
}
