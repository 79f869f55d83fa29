package runbook

import (
	"embed"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

//go:embed lexicon.*.yaml
var files embed.FS

// Lexicon is the words of the four languages, by the concepts that the rules speak of. It does not change once loaded.
type Lexicon struct {
	words map[language]index
}

// language is one of the lexicon's files.
type language string

const (
	english  language = "en"
	korean   language = "ko"
	japanese language = "ja"
	chinese  language = "zh"
)

// index holds entries by the two runes that they begin with, so that few are tried at each place of a text.
type index map[[2]rune][]entry

// entry is one way to write some concepts: pieces with gaps between them.
type entry struct {
	means  concept
	pieces []piece
}

// piece is literal text. A gap before it is the number of runes that may stand between it and the piece before. Open means that a
// Latin word may go on after the piece, edge that a word of any script must end there, and start that it must begin there.
type piece struct {
	text              string
	gap               int
	open, edge, start bool
}

// Load reads the lexicon that is part of the program. An error means that a file is not in the form its comments describe.
func Load() (*Lexicon, error) {
	l := &Lexicon{words: map[language]index{}}
	for _, lang := range []language{english, korean, japanese, chinese} {
		name := "lexicon." + string(lang) + ".yaml"
		data, err := files.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("reading the lexicon: %w", err)
		}
		if l.words[lang], err = parseLexicon(data, lang); err != nil {
			return nil, fmt.Errorf("reading %s: %w", name, err)
		}
	}
	return l, nil
}

func parseLexicon(data []byte, lang language) (index, error) {
	var lists map[string][]string
	if err := yaml.Unmarshal(data, &lists); err != nil {
		return nil, err
	}
	all := map[string]concept{}
	for name, list := range lists {
		c, known := conceptNames[name]
		if !known {
			return nil, fmt.Errorf("looking up concept %q: there is none", name)
		}
		for _, line := range list {
			forms, err := expand(line)
			if err != nil {
				return nil, fmt.Errorf("expanding an entry of %s: %w", name, err)
			}
			for _, form := range forms {
				all[form] |= c
			}
		}
	}
	words := index{}
	for form, means := range all {
		e, err := parseEntry(form, means, lang)
		if err != nil {
			return nil, err
		}
		first := firstTwo(e.pieces[0].text)
		words[first] = append(words[first], e)
	}
	return words, nil
}

// maxForms bounds what one line of a lexicon may stand for.
const maxForms = 2000

// expand writes out the alternatives of an entry: "a[b|c]" is "ab" and "ac".
func expand(line string) ([]string, error) {
	forms := []string{""}
	for line != "" {
		open := strings.IndexByte(line, '[')
		if open < 0 {
			open = len(line)
		}
		options := []string{""}
		literal := line[:open]
		line = line[open:]
		if line != "" {
			end := strings.IndexByte(line, ']')
			if end < 0 {
				return nil, fmt.Errorf("closing a bracket of %q: there is no ]", line)
			}
			options = strings.Split(line[1:end], "|")
			line = line[end+1:]
		}
		next := make([]string, 0, len(forms)*len(options))
		for _, form := range forms {
			for _, option := range options {
				next = append(next, form+literal+option)
			}
		}
		if forms = next; len(forms) > maxForms {
			return nil, fmt.Errorf("counting the forms of %q: more than %d", line, maxForms)
		}
	}
	for i, form := range forms {
		forms[i] = strings.Join(strings.Fields(fold(form)), " ")
	}
	return forms, nil
}

// gaps is how many runes ".." stands for at most.
func gaps(lang language) int {
	if lang == english {
		return 32
	}
	return 14
}

func parseEntry(form string, means concept, lang language) (entry, error) {
	e := entry{means: means}
	for i, part := range strings.Split(form, "..") {
		p := piece{text: strings.TrimSpace(part)}
		if i > 0 {
			p.gap = gaps(lang)
		}
		if p.start = strings.HasPrefix(p.text, "_"); p.start {
			p.text = p.text[1:]
		}
		if p.edge = strings.HasSuffix(p.text, "_"); p.edge {
			p.text = p.text[:len(p.text)-1]
		}
		if p.open = strings.HasSuffix(p.text, "*"); p.open {
			p.text = p.text[:len(p.text)-1]
		}
		if p.text == "" || strings.ContainsAny(p.text, "[]") {
			return entry{}, fmt.Errorf("parsing entry %q: an empty piece or a stray bracket", form)
		}
		e.pieces = append(e.pieces, p)
	}
	return e, nil
}

// match returns where the entry ends if it begins at text[at:], or -1, and where its first piece ends. It finds the shortest gaps.
func (e entry) match(text string, at int) (end, head int) {
	if e.pieces[0].start && at > 0 && isWordRune(lastRune(text[:at])) {
		return -1, -1
	}
	end = e.pieces[0].match(text, at)
	head = end
	for _, p := range e.pieces[1:] {
		if end < 0 {
			return -1, -1
		}
		end = p.find(text, end)
	}
	return end, head
}

// find looks for a piece after a gap that begins at text[at:].
func (p piece) find(text string, at int) int {
	for n := 0; n <= p.gap && at <= len(text); n++ {
		if at == 0 || !isLatin(lastRune(text[:at])) || (at < len(text) && !isLatin(firstRune(text[at:]))) {
			if end := p.match(text, at); end >= 0 {
				return end
			}
		}
		r, size := utf8.DecodeRuneInString(text[at:])
		if size == 0 || isClauseMark(r) {
			return -1
		}
		at += size
	}
	return -1
}

// match returns where the piece ends if it begins at text[at:], or -1. A blank in a piece is any number of blanks and hyphens,
// at least one between Latin letters; "*" inside it lets a Latin word go on.
func (p piece) match(text string, at int) int {
	for i, r := range p.text {
		switch r {
		case ' ', '-':
			skipped := at
			for at < len(text) {
				next, size := utf8.DecodeRuneInString(text[at:])
				if !isGapRune(next) {
					break
				}
				at += size
			}
			if at == skipped && r == ' ' && i > 0 && at > 0 && at < len(text) && isLatin(lastRune(text[:at])) && isLatin(firstRune(text[at:])) {
				return -1
			}
		case '*':
			at = skipLatin(text, at)
		default:
			next, size := utf8.DecodeRuneInString(text[at:])
			if size == 0 || next != r {
				return -1
			}
			at += size
		}
	}
	return p.end(text, at)
}

// end checks that a word ends at text[at:] where it must.
func (p piece) end(text string, at int) int {
	if p.open {
		return skipLatin(text, at)
	}
	if at >= len(text) {
		return at
	}
	next := firstRune(text[at:])
	if p.edge && isWordRune(next) {
		return -1
	}
	if isLatin(next) && isLatin(lastRune(text[:at])) {
		return -1
	}
	return at
}

func skipLatin(text string, at int) int {
	for at < len(text) {
		r, size := utf8.DecodeRuneInString(text[at:])
		if !isLatin(r) && r != '\'' {
			break
		}
		at += size
	}
	return at
}

func firstTwo(s string) [2]rune {
	first, size := utf8.DecodeRuneInString(s)
	second, size2 := utf8.DecodeRuneInString(s[size:])
	if size2 == 0 || second == ' ' || second == '-' || second == '*' {
		return [2]rune{first, 0}
	}
	return [2]rune{first, second}
}

func firstRune(s string) rune { r, _ := utf8.DecodeRuneInString(s); return r }
func lastRune(s string) rune  { r, _ := utf8.DecodeLastRuneInString(s); return r }

// isLatin reports whether a rune belongs to words that blanks separate; digits do.
func isLatin(r rune) bool {
	return r < 0x250 && (unicode.IsLetter(r) || unicode.IsDigit(r)) && r != utf8.RuneError
}

func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

func isGapRune(r rune) bool {
	return r == ' ' || r == '-' || r == '\u2010' || r == '\u2011' || r == '_'
}

// isClauseMark reports whether a rune ends a clause.
func isClauseMark(r rune) bool { return strings.ContainsRune(",、;:。.!?|→⇒()「」\n", r) }
