package splitbrain

import (
	"context"
	"regexp"
	"strings"

	"example.com/labgrader/checks/internal/oplab"
	"example.com/labgrader/grader"
	"example.com/labgrader/grader/submission"
)

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
	if saysOtherwise(answer.Message, text.String()) {
		return grader.MeetsUnless(), nil
	}
	code := conflictFault(text.String(), opening(answer.Message))
	if code == "" {
		return grader.MeetsUnless(), nil
	}
	return nil, grader.Misses(code).At(resultFile, 0)
}

// saysOtherwise reports whether this server words its report in a way that is not known here, naming the manager and the
// field, and the text has it to the letter.
func saysOtherwise(message, text string) bool {
	if withManager.MatchString(message) || !strings.Contains(message, `"`+oplab.FirstHolder+`"`) || !strings.Contains(message, conflictField) {
		return false
	}
	return regexp.MustCompile(loose(message) + `(?:$|[^-.\w])`).MatchString(unescape.Replace(text))
}

// opening returns what this server's report of a conflict begins with, up to the count.
func opening(message string) string {
	if digit := strings.IndexAny(message, "0123456789"); digit > 0 && strings.Contains(message, conflictField) {
		return message[:digit]
	}
	return usualPrefix
}

// A report of conflicts is its opening and their count, and for each manager a list of the fields that it owns:
//
//	Apply failed with 2 conflicts: conflicts with "a":
//	- .data.x
//	- .data.y
//
// or, for a single one, the field behind the colon. Source:
// https://kubernetes.io/docs/reference/using-api/server-side-apply/#conflicts
var (
	withManager = regexp.MustCompile(loose("conflict") + `s?\s*` + loose(`with"`) + `([^"]*)"\s*(` + loose("using") + `[^:"]*)?:`)
	phaseOwned  = regexp.MustCompile(`^(?:\s*-?\s*\.\S+)*?\s*-?\s*` + loose(conflictField) + `(?:$|[^-.\w])`)
	unescape    = strings.NewReplacer(`\n`, "\n", `\`, "")
)

// loose returns a pattern of s that white space may break anywhere, as wrapping does.
func loose(s string) string {
	var pattern strings.Builder
	for _, r := range strings.Join(strings.Fields(s), "") {
		pattern.WriteString(regexp.QuoteMeta(string(r)) + `\s*`)
	}
	return strings.TrimSuffix(pattern.String(), `\s*`)
}

// conflictFault returns a code, or nothing if the text reports the conflict with the first holder over the field.
func conflictFault(text, opening string) string {
	plain := unescape.Replace(text)
	start := regexp.MustCompile(loose(opening) + `\s*\d+`).FindStringIndex(plain)
	if start == nil {
		if regexp.MustCompile(loose("--force-conflicts")).MatchString(plain) {
			return "splitbrain.advice-only"
		}
		return "splitbrain.no-conflict"
	}
	report := plain[start[1]:]
	managers := withManager.FindAllStringSubmatchIndex(report, -1)
	if len(managers) == 0 {
		return "splitbrain.no-conflict"
	}
	first := ""
	for i, m := range managers {
		end := len(report)
		if i+1 < len(managers) {
			end = managers[i+1][0]
		}
		name := strings.Join(strings.Fields(report[m[2]:m[3]]), "")
		code := managerFault(name, m[4] >= 0, phaseOwned.MatchString(report[m[1]:end]))
		if code == "" {
			return ""
		}
		if first == "" {
			first = code
		}
	}
	return first
}

// managerFault says what is wrong with a conflict that names this manager; nothing if it is the one that the step is about. A
// manager that did not apply server-side is named with the version it used.
func managerFault(name string, clientSide, owned bool) string {
	switch {
	case name == oplab.NextHolder:
		return "splitbrain.b-first"
	case clientSide:
		return "splitbrain.conflict-client-side"
	case name != oplab.FirstHolder:
		return "splitbrain.conflict-manager"
	case !owned:
		return "splitbrain.conflict-field"
	}
	return ""
}
