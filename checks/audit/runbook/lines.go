package runbook

import (
	"regexp"
	"strings"
	"unicode"

	"github.com/mattn/go-runewidth"
)

// kind is how a unit of text is set.
type kind int

const (
	plain kind = iota
	item
	heading
	row
)

// unit is a paragraph, list item, heading or table row, its lines joined. A blank line stands before it if gap is set.
type unit struct {
	kind   kind
	indent int
	gap    bool
	text   string
	starts []start // where each line begins in text
	last   int     // how wide its last line is
}

type start struct{ offset, line int }

var (
	headingMark = regexp.MustCompile(`^(#{1,6}\s+|[■◆▼●◎※]\s*|【[^】]*】$|={2,}\s*$)`)
	itemMark    = regexp.MustCompile(`^([-*+•·‣▪◦▸►–—・○✓✔☐□]\s+|[•·・▪◦▸►✓✔☐□○]|([-*]\s*)?\[[ xX✓]?\]\s*|\(?\d{1,2}[.)）、]\s*|[①-⑳]\s*|[가나다라마바사]\.\s+|[a-hA-H][.)]\s+)`)
	rule        = regexp.MustCompile(`^[\s|:=*_~+-]+$`)
	flagLine    = regexp.MustCompile(`^-{1,2}[a-z-]+([ =:]+\S+)?$`)
	flagEnd     = regexp.MustCompile(`--[a-z-]+$`)
	spoken      = regexp.MustCompile(`^[^「]{0,9}「[^」]*」$|。[(（][^)）]*[)）]$`) // a line of a dialogue, or one that ends with a remark
	quoteMark   = regexp.MustCompile(`^(>\s*)+`)
	markup      = strings.NewReplacer("**", "", "`", "", "__", "", "<br>", " ", "<br/>", " ")
)

// Lines of a paragraph that was wrapped by hand are this wide, in columns.
const (
	minWrap = 36
	maxWrap = 140
)

// units parses the lines of a text.
func units(text string) []unit {
	var all []unit
	gap, fenced := false, false
	for i, line := range strings.Split(text, "\n") {
		trimmed := quoteMark.ReplaceAllString(strings.TrimSpace(line), "")
		if strings.HasPrefix(trimmed, "```") || strings.HasPrefix(trimmed, "~~~") {
			fenced, gap = !fenced, true
			continue
		}
		if trimmed == "" || rule.MatchString(trimmed) {
			gap = true
			continue
		}
		u := parseLine(trimmed, fenced)
		u.indent = indentOf(line)
		u.gap = gap
		u.starts = []start{{0, i + 1}}
		gap = false
		all = append(all, u)
	}
	return joinWrapped(all)
}

// joinWrapped joins the lines of paragraphs that were wrapped by hand.
func joinWrapped(lines []unit) []unit {
	var all []unit
	for len(lines) > 0 {
		n := 1
		for n < len(lines) && lines[n].kind == plain && !lines[n].gap && (lines[0].kind == plain || lines[0].kind == item && lines[n].indent > lines[0].indent) {
			n++
		}
		wrapped := wrapped(lines[:n])
		for i, u := range lines[:n] {
			last := len(all) - 1
			if i > 0 && wrapped && !ended(all[last].text) && !turns(all[last].text, u.text) {
				all[last].join(u)
			} else {
				all = append(all, u)
			}
		}
		lines = lines[n:]
	}
	return all
}

// wrapped reports whether lines look as if they were broken by width: wherever a line does not end a sentence, the next word would not
// have fitted.
func wrapped(lines []unit) bool {
	if len(lines) < 2 || lines[0].kind != plain && lines[0].kind != item {
		return false
	}
	width, breaks, lower := 0, 0, 0
	for _, u := range lines {
		width = max(width, u.last)
	}
	prose := len(lines) > 2 && ended(lines[len(lines)-1].text)
	if prose && runsOn(lines) {
		return true
	}
	for i, u := range lines[:len(lines)-1] {
		if ended(u.text) {
			continue
		}
		breaks++
		next := lines[i+1].text
		if first := firstRune(next); unicode.IsLower(first) && first < 0x250 && !isHan(lastRune(u.text)) {
			lower++
		}
		short := u.last+wordWidth(next) < width-3
		if short && (!prose || u.last*100 < width*62) || flagLine.MatchString(u.text) || !prose && flagEnd.MatchString(u.text) {
			return false
		}
	}
	if lines[0].kind == item || breaks > 0 && lower == breaks && len(lines) < 4 {
		return width <= maxWrap
	}
	return breaks > 0 && width >= minWrap && width <= maxWrap && (len(lines) > 2 || width >= 55)
}

// runsOn reports whether few lines of a paragraph end a sentence and none is a flag alone, so that it can only be prose.
func runsOn(lines []unit) bool {
	ends := 0
	for _, u := range lines {
		if flagLine.MatchString(u.text) || u.last > maxWrap {
			return false
		}
		if ended(u.text) {
			ends++
		}
	}
	return ends*3 <= len(lines)
}

// wordWidth returns how wide the first word of a text is; scripts without blanks may be broken anywhere.
func wordWidth(text string) int {
	if isHan(firstRune(text)) {
		return 2
	}
	if end := strings.IndexByte(text, ' '); end > 0 {
		text = text[:end]
	}
	return runewidth.StringWidth(text) + 1
}

func parseLine(line string, fenced bool) unit {
	u := unit{last: runewidth.StringWidth(line)}
	switch {
	case strings.HasPrefix(line, "|") || strings.Count(line, "|") > 1:
		u.kind = row
		line = strings.Trim(line, "| ")
	case !fenced && headingMark.MatchString(line):
		u.kind = heading
		line = headingMark.ReplaceAllStringFunc(line, func(mark string) string { return strings.Trim(mark, "#■◆▼●◎※= ") })
	case itemMark.MatchString(line):
		u.kind = item
		line = itemMark.ReplaceAllString(line, "")
	case len(line) > 4 && strings.HasPrefix(line, "**") && strings.HasSuffix(strings.TrimRight(line, ":："), "**"):
		u.kind = heading
	}
	u.text = strings.TrimSpace(markup.Replace(strings.TrimLeft(line, "# ")))
	return u
}

func indentOf(line string) int {
	n := 0
	for _, r := range line {
		switch r {
		case ' ', '>':
			n++
		case '\t':
			n += 4
		case '\u3000':
			n += 2
		default:
			return n
		}
	}
	return n
}

// ended reports whether a line ends a sentence or announces what follows.
func ended(text string) bool {
	if spoken.MatchString(text) {
		return true
	}
	text = strings.TrimRight(text, `)"'」』”’） `)
	return text == "" || strings.ContainsRune(".。!?！？:：;；…", lastRune(text))
}

func (u *unit) join(next unit) {
	glue := " "
	if isHan(lastRune(u.text)) && isHan(firstRune(next.text)) {
		glue = ""
	}
	u.starts = append(u.starts, start{len(u.text) + len(glue), next.starts[0].line})
	u.text += glue + next.text
	u.last = next.last
}

// isHan reports whether a rune belongs to a script that is written without blanks.
func isHan(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) || strings.ContainsRune("、，。", r)
}

// line returns the line of a place in the unit's text.
func (u *unit) line(offset int) int {
	n := 0
	for i, s := range u.starts {
		if s.offset > offset {
			break
		}
		n = i
	}
	return u.starts[n].line
}
