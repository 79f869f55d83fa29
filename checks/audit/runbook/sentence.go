package runbook

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/sentences"
)

// document is a text that has been read.
type document struct {
	sentences []sentence
	cut       bool // a sentence was too long to be looked at as a whole
}

// sentence is a sentence with what the lexicon finds in it. group numbers the paragraphs; sentences of a group are about the same
// thing. An intro announces what follows it.
type sentence struct {
	Sentence
	folded   string
	tokens   []token
	kind     kind
	indent   int
	group    int
	question bool
	intro    bool
	list     bool // words without a statement
	unit     int
	former   side // the value that the sentence before names first, if it names both
}

// asksPolitely matches Japanese questions that are written without a question mark.
var asksPolitely = regexp.MustCompile(`(でしょう|だろう|です|ますの?|なの|ません)か[。」)]*$`)

// maxSentence is how many bytes of a sentence are looked at together.
const maxSentence = 1200

// read splits a text into sentences and finds the lexicon's words in them.
func (l *Lexicon) read(text string) *document {
	text = strings.ToValidUTF8(strings.ReplaceAll(text, "\r\n", "\n"), " ")
	all := units(text)
	kana := strings.ContainsFunc(text, func(r rune) bool { return unicode.In(r, unicode.Hiragana, unicode.Katakana) })
	doc := &document{}
	group := 0
	for i := range all {
		u := &all[i]
		if i > 0 && startsGroup(all[i-1], *u) {
			group++
		}
		parts, cut := split(u.text)
		doc.cut = doc.cut || cut
		for n, part := range parts {
			folded := fold(part.text)
			s := sentence{
				Sentence: Sentence{Text: part.text, Line: u.line(part.offset)},
				folded:   folded, kind: u.kind, indent: u.indent, group: group, unit: i,
			}
			s.question = strings.HasSuffix(strings.TrimRight(folded, `()"'」』! `), "?") || asksPolitely.MatchString(folded) || options.MatchString(folded)
			s.intro = n == len(parts)-1 && introduces(all, i, folded)
			s.tokens = l.tokens(folded, sentenceLanguages(folded, kana))
			s.clauses()
			s.list = s.isList()
			doc.sentences = append(doc.sentences, s)
		}
	}
	return doc
}

// startsGroup reports whether a unit is about something else than the one before it.
func startsGroup(before, next unit) bool {
	switch {
	case next.kind == heading:
		return true
	case !next.gap || before.kind == heading:
		return false
	}
	announced := strings.ContainsRune(":：?？", lastRune(strings.TrimRight(before.text, ` )"」』`)))
	if announced || (next.kind == item && before.kind == item) {
		return false
	}
	return ended(before.text) || runewidthOver(before.text, 60) || next.kind == item && before.kind != item
}

// introduces reports whether unit i announces the ones after it.
func introduces(all []unit, i int, folded string) bool {
	u := all[i]
	trimmed := strings.TrimRight(folded, ` )"」』`)
	if u.kind == heading || strings.HasSuffix(trimmed, ":") || strings.HasSuffix(trimmed, "?") || strings.HasSuffix(trimmed, "→") {
		return true
	}
	if ended(trimmed) || runewidthOver(trimmed, 60) || i+1 == len(all) || u.kind == row {
		return false
	}
	next := all[i+1]
	return u.kind != next.kind || next.indent > u.indent
}

func runewidthOver(s string, width int) bool {
	n := 0
	for _, r := range s {
		if n++; r >= 0x1100 {
			n++
		}
		if n > width {
			return true
		}
	}
	return false
}

type part struct {
	offset int
	text   string
}

// split splits a unit into sentences: by Unicode's rules, and at semicolons, at full stops before small letters, and where a
// sentence is too long, of which cut tells.
func split(text string) (parts []part, cut bool) {
	add := func(offset int, s string) {
		trimmed := strings.TrimSpace(s)
		if n := len(parts) - 1; n >= 0 && trimmed != "" && goesOn(parts[n].text, trimmed) {
			parts[n].text = text[parts[n].offset : offset+strings.Index(s, trimmed)+len(trimmed)]
		} else if trimmed != "" {
			parts = append(parts, part{offset + strings.Index(s, trimmed), trimmed})
		}
	}
	for offset := 0; offset < len(text); {
		length, last := firstSentence(text[offset:])
		for rest := text[offset : offset+length]; rest != ""; {
			n, whole := breakAt(rest)
			cut = cut || !whole
			add(offset, rest[:n])
			offset += n
			rest = rest[n:]
		}
		cut = cut || !last
	}
	return parts, cut
}

// window is how much of a text the search for the end of a sentence is given: its time grows with the square of that.
const window = maxSentence + 200

// firstSentence returns the length of the first sentence of a text by Unicode's rules. whole is false if it is longer than a window.
func firstSentence(text string) (length int, whole bool) {
	end := min(len(text), window)
	for end < len(text) && !utf8.RuneStart(text[end]) {
		end--
	}
	it := sentences.FromString(text[:end])
	if !it.Next() {
		return len(text), true
	}
	length = len(it.Value())
	return length, length < end || end == len(text)
}

// goesOn reports whether two parts are one sentence: the second begins with an arrow, or the first ends with the number of a list.
func goesOn(before, next string) bool {
	if len(before) > maxSentence {
		return false
	}
	for _, arrow := range []string{"=>", "->", "→", "⇒"} {
		if strings.HasPrefix(next, arrow) {
			return true
		}
	}
	n := len(before)
	return n > 2 && before[n-1] == '.' && before[n-2] >= '1' && before[n-2] <= '9' && (before[n-3] == ' ' || before[n-3] == '(' || before[n-3] == ':' || before[n-3] >= utf8.RuneSelf)
}

// breakAt returns how much of s is one sentence. whole is false if it had to be cut.
func breakAt(s string) (n int, whole bool) {
	for i, r := range s {
		if r == ';' || r == '；' {
			return i + len(string(r)), true
		}
		if r == '.' && i+2 < len(s) && s[i+1] == ' ' && (s[i+2] >= 'a' && s[i+2] <= 'z' || s[i+2] >= '1' && s[i+2] <= '9') && !abbreviated(s[:i]) {
			return i + 1, true
		}
		if i >= maxSentence && (unicode.IsSpace(r) || isClauseMark(r) || isHan(r) || i >= maxSentence+200) {
			return i + len(string(r)), false
		}
	}
	return len(s), true
}

// abbreviated reports whether a text ends with an abbreviation, whose full stop ends no sentence.
func abbreviated(s string) bool {
	word := strings.ToLower(s[strings.LastIndexAny(s, " (,")+1:])
	switch word {
	case "e.g", "i.e", "etc", "vs", "sec", "secs", "approx", "max", "min", "resp", "no", "incl", "cf", "eg", "ie":
		return true
	}
	return len(word) <= 1
}

// has reports whether the sentence has a token of one of the concepts.
func (s *sentence) has(c concept) bool { return s.first(c) >= 0 }

// first returns the index of the first such token, or -1.
func (s *sentence) first(c concept) int {
	for i, t := range s.tokens {
		if t.has(c) {
			return i
		}
	}
	return -1
}

// last returns the index of the last such token, or -1.
func (s *sentence) last(c concept) int {
	for i := len(s.tokens) - 1; i >= 0; i-- {
		if s.tokens[i].has(c) {
			return i
		}
	}
	return -1
}

// isList reports whether a sentence is words one after the other: four or more pieces, nearly all of them short, with nothing that
// announces them.
func (s *sentence) isList() bool {
	text := s.folded
	if colon := strings.IndexByte(text, ':'); colon >= 0 && (len(s.tokens) == 0 || s.tokens[0].start > colon) {
		text = text[colon+1:] // a label that announces nothing
	}
	if strings.ContainsAny(text, ":→⇒|?=") || strings.Contains(text, "->") {
		return false
	}
	pieces := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(",、;/·・", r) })
	if len(pieces) < 4 {
		return false
	}
	long := 0
	for _, p := range pieces {
		width := 24
		if strings.ContainsFunc(p, func(r rune) bool { return r >= 0x1100 }) {
			width = 13
		}
		if words := strings.Fields(p); len(words) > 3 || runewidthOver(strings.TrimSpace(p), width) {
			long++
		}
	}
	return long*4 <= len(pieces) && len(s.tokens)*10 <= len(pieces)*17
}
