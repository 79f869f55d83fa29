package runbook

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// token is a place of a sentence where the lexicon finds something. seg numbers the clauses of a sentence, comma counts only
// those that punctuation ends; number is a number's value.
type token struct {
	is         concept
	start, end int
	seg, comma int
	number     int
	lang       language
	negated    bool // an odd number of denials belongs to it
	condition  bool // it stands in a condition
	spent      bool // it is a denial that belongs to another token
}

func (t token) has(c concept) bool { return t.is&c != 0 }

// fold writes a text the way that the lexicon is compared with it: compatible forms and widths as one, in lower case.
func fold(s string) string {
	s = strings.ToLower(norm.NFKC.String(s))
	return folded.Replace(s)
}

var folded = strings.NewReplacer("リーダー", "リーダ", "サーバー", "サーバ", "’", "'", "‘", "'", "“", "\"", "”", "\"", "\t", " ", "\u3000", " ", "\u200b", "", "\ufeff", "")

// tokens finds what a folded sentence says. langs are the files to look in.
func (l *Lexicon) tokens(text string, langs []language) []token {
	var found []token
	for at := 0; at < len(text); {
		t, ok := l.longest(text, at, langs)
		if !ok {
			at = skipWord(text, at)
			continue
		}
		if t.is != filler {
			found = append(found, t)
		}
		at = t.end
	}
	return found
}

// longest returns the longest entry that begins at text[at:], with the concepts of all that are as long.
// Of an entry with a gap the token is only the first piece, so that what stands in the gap is found too.
func (l *Lexicon) longest(text string, at int, langs []language) (token, bool) {
	best := token{start: at, end: at}
	longest := at
	key := firstTwo(text[at:])
	for _, lang := range langs {
		for _, k := range [][2]rune{key, {key[0], 0}} {
			for _, e := range l.words[lang][k] {
				end, head := e.match(text, at)
				switch {
				case end > longest:
					best.is, best.end, best.lang, longest = e.means, head, lang, end
				case end == longest && end > at && head == best.end:
					best.is |= e.means
				}
			}
			if key[1] == 0 {
				break
			}
		}
	}
	switch end, n := leadingNumber(text[at:]); {
	case end > 0 && at+end > longest:
		best.is, best.end, best.number = value, at+end, n
	case end > 0 && at+end == longest:
		best.is, best.number = best.is|value, n // a digit may be a word too
	}
	return best, best.end > at
}

// leadingNumber reads a whole number that begins a word, or returns end 0.
func leadingNumber(s string) (end, n int) {
	for end < len(s) && s[end] >= '0' && s[end] <= '9' && end < 6 {
		n = n*10 + int(s[end]-'0')
		end++
	}
	if end == 0 || (end < len(s) && (s[end] >= '0' && s[end] <= '9' || s[end] == '-')) {
		return 0, 0
	}
	return end, n
}

// skipWord returns where the next word may begin: after a Latin word or number, or one rune further.
func skipWord(text string, at int) int {
	r, size := utf8.DecodeRuneInString(text[at:])
	if !isLatin(r) {
		return at + size
	}
	return skipLatin(text, at)
}

// sentenceLanguages chooses the files for a folded sentence by its script: kana is Japanese, Hangul Korean, Han alone Chinese
// or, in a text that has kana too, either. English is always among them.
func sentenceLanguages(text string, kana bool) []language {
	var hasKana, hasHangul, hasHan bool
	for _, r := range text {
		switch {
		case r < 0x2E80:
		case unicode.In(r, unicode.Hiragana, unicode.Katakana):
			hasKana = true
		case unicode.Is(unicode.Hangul, r):
			hasHangul = true
		case unicode.Is(unicode.Han, r):
			hasHan = true
		}
	}
	switch {
	case hasHangul && hasKana:
		return []language{english, korean, japanese}
	case hasHangul:
		return []language{english, korean}
	case hasKana:
		return []language{english, japanese}
	case hasHan && kana:
		return []language{english, japanese, chinese}
	case hasHan:
		return []language{english, chinese}
	}
	return []language{english}
}
