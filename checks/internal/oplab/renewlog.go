package oplab

import (
	"regexp"
	"strconv"
	"strings"
	"time"

	"example.com/labgrader/grader"
	"example.com/labgrader/grader/submission"
)

// Files that more than one step reads.
const (
	InitialFile  = "lease-initial.yaml"
	RenewLog     = "renew-log.txt"
	TakeoverFile = "takeover.txt"
)

// Renewals is how many renewals step 2 asks for.
const Renewals = 3

// ReadRenewLog returns the times in renew-log.txt, or what is wrong with its lines.
func ReadRenewLog(view *grader.View) ([]time.Time, []grader.Finding, error) {
	text, err := submission.OpenText(view, RenewLog)
	if err != nil {
		return nil, nil, err
	}
	var times []time.Time
	var findings []grader.Finding
	for _, line := range text.Lines {
		t, ok := ParseMicroTime(unquote(strings.TrimSpace(line.Text)))
		if ok {
			times = append(times, t)
			continue
		}
		findings = append(findings, grader.Misses(lineFault(line.Text)).At(RenewLog, line.Number).Compare("", line.Text))
	}
	if len(findings) == 0 && len(times) != Renewals {
		f := grader.Misses("renew.count").At(RenewLog, 0).Compare(strconv.Itoa(Renewals), strconv.Itoa(len(times)))
		findings = append(findings, f)
	}
	return times, findings, nil
}

// timesOnly matches times and what may stand between them, or nothing, as jsonpath prints them.
var timesOnly = regexp.MustCompile(`^[-0-9TZ:.+,;"'\s]+$`)

func lineFault(line string) string {
	switch found := SecondsOnly.FindAllString(line, -1); {
	case strings.TrimSpace(line) == "":
		return "renew.blank-line"
	case len(found) > 1 && timesOnly.MatchString(line):
		return "renew.one-line"
	case len(found) == 1 && len(strings.Fields(line)) == 1 && strings.HasPrefix(line, found[0]):
		return "renew.seconds-only"
	}
	return "renew.line"
}

// unquote removes one pair of quotes around s.
func unquote(s string) string {
	for _, quote := range []string{`"`, `'`} {
		if len(s) > 1 && strings.HasPrefix(s, quote) && strings.HasSuffix(s, quote) {
			return s[1 : len(s)-1]
		}
	}
	return s
}

// FirstAcquired returns the acquireTime that step 1 wrote and saved, zero if step 1 did not do both rightly. The criterion that
// asks must consult lease.manifest and lease.initial, and need the saved file.
func FirstAcquired(view *grader.View) (time.Time, error) {
	for _, criterion := range []string{"lease.manifest", "lease.initial"} {
		right, err := view.Passed(criterion)
		if err != nil || !right {
			return time.Time{}, err
		}
	}
	saved, err := FindLease(view, InitialFile, Widget)
	if err != nil {
		return time.Time{}, err
	}
	first, _ := Time(saved, "acquireTime")
	return first, nil
}
