package microtime

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	"example.com/labgrader/checks/internal/oplab"
	"example.com/labgrader/grader"
	"example.com/labgrader/grader/submission"
)

// clause is the part of a server's refusal that is the same for every kind of request: it quotes the time that was sent,
// the layout that was expected, and of both the piece where they part, as in
//
//	parsing time "TIME" as "LAYOUT": cannot parse "REST" as "PIECE"
//
// The words are the server's and may change; that it quotes these four is what the lab calls stating the expected format.
type clause struct {
	form   *regexp.Regexp
	layout string
}

// newClause takes the clause out of a server's message about a time.
func newClause(message, sent string) (clause, error) {
	start := strings.LastIndex(message, quoted(sent))
	if start < 0 {
		return clause{}, fmt.Errorf("asking the API server for its sentence: it does not quote the time: %.300q", message)
	}
	four := regexp.MustCompile(`^"([^"]*)"([^"]+)"([^"]*)"([^"]+)"([^"]*)"([^"]+)"([^"]*)"`).FindStringSubmatch(message[start:])
	if four == nil {
		return clause{}, fmt.Errorf("asking the API server for its sentence: it does not state the format that it expects: %.300q", message[start:])
	}
	// The rest of the time sent stands where the server quotes it; a learner's time may have another one.
	literal := func(s string) string { return regexp.QuoteMeta(squeeze(s)) }
	pattern := `"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(Z|[+-]\d{2}:?\d{2}|)"` + literal(four[2]) +
		literal(quoted(four[3])) + literal(four[4]) + `"([^"]*)"` + literal(four[6]) + literal(quoted(four[7]))
	form, err := regexp.Compile(pattern)
	if err != nil {
		return clause{}, fmt.Errorf("asking the API server for its sentence: %w", err)
	}
	return clause{form: form, layout: squeeze(four[3])}, nil
}

// in reports whether the text has the clause for some time of whole seconds.
func (c clause) in(text string) bool {
	for _, match := range c.form.FindAllStringSubmatch(squeeze(text), -1) {
		if match[1] == match[2] {
			return true
		}
	}
	return false
}

// refusal matches a quoted time of whole seconds, the quoted layout, and the quoted rest of the time, in squeezed text. A layout
// is Go's: it shows the time that package time calls the reference time.
var refusal = regexp.MustCompile(`"(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(Z|[+-]\d{2}:?\d{2}|)"[^"]+"2006-01-02T15:04:05[^"]*"[^"]+"([^"]*)"`)

// wholeSecondsRefused matches the beginning of a refusal of a time of whole seconds, wherever it was cut.
var wholeSecondsRefused = regexp.MustCompile(`"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(Z|[+-]\d{2}:?\d{2}|)"[^"]+"2006-01-02T15:04:05`)

// refusedTimes returns the times that a text quotes as refused for having no fraction. Other times in it, as of an object that
// the server quotes whole, are not among them.
func refusedTimes(text string) []time.Time {
	var times []time.Time
	for _, match := range refusal.FindAllStringSubmatch(squeeze(text), -1) {
		zone := match[2]
		if zone == "" {
			zone = "Z"
		}
		if t, ok := oplab.ParseMicroTime(match[1] + ".000000" + zone); ok && match[3] == match[2] {
			times = append(times, t)
		}
	}
	return times
}

// fault says how the text misses the clause.
func (c clause) fault(text submission.Text) grader.Finding {
	squeezed := squeeze(text.String())
	code := "microtime.no-sentence"
	switch {
	case len(text.Lines) == 1:
		code = "microtime.nothing-below"
	case strings.Contains(squeezed, c.layout) && !wholeSecondsRefused.MatchString(squeezed):
		code = "microtime.other-time"
	case strings.Contains(squeezed, `leases.coordination.k8s.io"widget-operator"isinvalid`):
		code = "microtime.short-form"
	case oplab.SecondsOnly.FindString(text.String()) == "":
		code = "microtime.other-refusal"
	}
	line := text.Lines[0].Number
	got := ""
	if len(text.Lines) > 1 {
		line, got = text.Lines[1].Number, text.Lines[1].Text
	}
	return grader.Misses(code).At(text.Name, line).Compare("", got)
}

func quoted(s string) string { return `"` + s + `"` }

// squeeze drops white space, which wrapping changes, and the backslashes with which quotes are escaped, once or more often.
func squeeze(s string) string {
	return strings.Join(strings.Fields(strings.ReplaceAll(s, `\`, "")), "")
}
