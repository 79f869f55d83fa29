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

// conflictField is how the server names the field in a conflict.
const conflictField = ".data.phase"

// usualPrefix is how a conflict begins where this server could not be made to report one, because the live ConfigMap is not
// as it should be; the criterion about it says so.
const usualPrefix = "Apply failed with "

func conflict(_ context.Context, view *grader.View) ([]grader.Finding, error) {
	text, err := submission.OpenText(view, resultFile)
	if err != nil {
		return nil, err
	}
	answer, err := view.Answer(probeName)
	if err != nil {
		return nil, err
	}
	prefix := usualPrefix
	if digit := strings.IndexAny(answer.Message, "0123456789"); digit > 0 && strings.Contains(answer.Message, conflictField) {
		prefix = answer.Message[:digit]
	}
	code := conflictFault(text.String(), prefix)
	if code == "" {
		return grader.MeetsUnless(), nil
	}
	return nil, grader.Misses(code).At(resultFile, 0)
}

var (
	withManager = regexp.MustCompile(`conflicts?with"([^"]*)"(using[^:"]*)?`)
	spaces      = regexp.MustCompile(`\s+`)
)

// conflictFault returns a code, or nothing if the text has the conflict with the first holder over the field: the server's
// opening words, then the manager, then the field. Line breaks and escaped quotes do not matter.
func conflictFault(text, prefix string) string {
	squeeze := func(s string) string { return spaces.ReplaceAllString(strings.ReplaceAll(s, `\`, ""), "") }
	squeezed := squeeze(text)
	_, sentence, found := strings.Cut(squeezed, squeeze(prefix))
	if !found {
		if strings.Contains(squeezed, "--force-conflicts") {
			return "splitbrain.advice-only"
		}
		return "splitbrain.no-conflict"
	}
	managers := withManager.FindAllStringSubmatch(sentence, -1)
	for _, m := range managers {
		switch {
		case m[1] == oplab.FirstHolder && m[2] != "":
			return "splitbrain.conflict-client-side"
		case m[1] == oplab.FirstHolder && strings.Contains(sentence, conflictField):
			return ""
		}
	}
	if len(managers) == 0 {
		// Worded otherwise by this server: then the names themselves must be there.
		if strings.Contains(sentence, `"`+oplab.FirstHolder+`"`) && strings.Contains(sentence, conflictField) && !strings.Contains(sentence, "using") {
			return ""
		}
		return "splitbrain.no-conflict"
	}
	switch {
	case managers[0][1] == oplab.NextHolder:
		return "splitbrain.b-first"
	case managers[0][1] == oplab.FirstHolder:
		return "splitbrain.conflict-field"
	case managers[0][2] != "":
		return "splitbrain.conflict-client-side"
	}
	return "splitbrain.conflict-manager"
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
