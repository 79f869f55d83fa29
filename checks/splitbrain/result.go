package splitbrain

import (
	"context"
	"regexp"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"example.com/labgrader/checks/internal/oplab"
	"example.com/labgrader/grader"
	"example.com/labgrader/grader/submission"
)

var (
	codeLine  = regexp.MustCompile(`^apply-b-rc=(.*)$`)
	exitCode  = regexp.MustCompile(`^[0-9]{1,3}$`)
	finalLine = regexp.MustCompile(`^final-phase=(.*)$`)
)

func returnCode(_ context.Context, view *grader.View) ([]grader.Finding, error) {
	text, err := submission.OpenText(view, resultFile)
	if err != nil {
		return nil, err
	}
	var findings []grader.Finding
	lines := 0
	for _, line := range text.Lines {
		match := codeLine.FindStringSubmatch(line.Text)
		if match == nil {
			continue
		}
		lines++
		code := ""
		switch {
		case lines > 1:
			code = "splitbrain.code-twice"
		case !exitCode.MatchString(match[1]):
			code = "splitbrain.code-form"
		case strings.Trim(match[1], "0") == "":
			code = "splitbrain.code-zero"
		default:
			continue
		}
		findings = append(findings, grader.Misses(code).At(resultFile, line.Number).Compare("", line.Text))
	}
	if lines == 0 {
		findings = append(findings, grader.Misses("splitbrain.code-missing").At(resultFile, 0))
	}
	return grader.MeetsUnless(findings...), nil
}

func final(ctx context.Context, view *grader.View) ([]grader.Finding, error) {
	text, err := submission.OpenText(view, resultFile)
	if err != nil {
		return nil, err
	}
	last := text.Lines[len(text.Lines)-1]
	match := finalLine.FindStringSubmatch(last.Text)
	if match == nil {
		code := "splitbrain.final-missing"
		for _, line := range text.Lines {
			if finalLine.MatchString(line.Text) {
				code = "splitbrain.final-not-last"
			}
		}
		return nil, grader.Misses(code).At(resultFile, last.Number).Compare("", last.Text)
	}
	for _, line := range text.Lines[:len(text.Lines)-1] {
		if finalLine.MatchString(line.Text) && line.Text != last.Text {
			return nil, grader.Misses("splitbrain.final-twice").At(resultFile, line.Number).Compare("", line.Text)
		}
	}
	order := &corev1.ConfigMap{}
	found, err := oplab.Get(ctx, view, objectName, order)
	if err != nil {
		return nil, err
	}
	code := ""
	switch {
	case match[1] == "":
		code = "splitbrain.final-blank"
	case !found || match[1] != order.Data["phase"]:
		code = "splitbrain.final-denied"
	case match[1] != firstPhase:
		code = "splitbrain.final-value"
	default:
		return grader.MeetsUnless(), nil
	}
	return nil, grader.Misses(code).At(resultFile, last.Number).Compare("", match[1])
}
