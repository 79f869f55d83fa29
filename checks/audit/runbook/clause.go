package runbook

import "strings"

// quoting leaves out the comma before words that only quote the clause before it.
var quoting = strings.NewReplacer("、という", "", "、といった", "", ",という", "")

// clauses numbers the clauses of a sentence and says which tokens stand in a condition and which are denied.
func (s *sentence) clauses() {
	s.number()
	s.conditions()
	s.denials()
}

// number counts clauses. Some words begin one and some end one: in Korean and Japanese the word for a reason or an aim ends it.
func (s *sentence) number() {
	const begins = cond | because | result | purpose | otherwise | and
	const ends = condAfter | beforeAfter | afterAfter
	seg, comma, from := 0, 0, 0
	for i := range s.tokens {
		t := &s.tokens[i]
		gap := quoting.Replace(s.folded[from:t.start])
		if strings.ContainsFunc(gap, isClauseMark) {
			seg++
			if strings.ContainsFunc(gap, func(r rune) bool { return isClauseMark(r) && !strings.ContainsRune("()「」", r) }) {
				comma++
			}
		}
		post := t.lang == korean || t.lang == japanese
		postClose := post && t.has(because|purpose) && !t.has(result|otherwise|cond)
		brief := t.lang == chinese && t.has(result) && t.end-t.start <= 3
		if t.has(begins) && !postClose && !brief && (!post || !t.has(condAfter)) {
			seg++
		}
		t.seg, t.comma = seg, comma
		if t.has(ends) || postClose {
			seg++
		}
		from = t.end
		// A mark that is part of an entry ends the clause as well.
		if strings.ContainsFunc(s.folded[t.start:t.end], func(r rune) bool { return r == '、' || r == ',' }) {
			seg++
			comma++
		}
	}
}

// conditions marks the tokens of conditions.
func (s *sentence) conditions() {
	for i, t := range s.tokens {
		switch {
		case t.has(cond) && !s.adverbial(i):
			s.conditionFrom(i)
		case t.has(condAfter):
			s.conditionTo(i)
		}
	}
}

// adverbial reports whether the word at token i is "with" and not followed by a value: "with two leaders" supposes nothing.
func (s *sentence) adverbial(i int) bool {
	t := s.tokens[i]
	if s.folded[t.start:t.end] != "with" {
		return false
	}
	if i+1 == len(s.tokens) {
		return true
	}
	next := s.tokens[i+1]
	return !next.has(quantity|comparison) && (!next.has(link) || !next.has(pair))
}

// conditionFrom marks what follows a word like "if": its clause, and the next ones that go on comparing ("or equal").
func (s *sentence) conditionFrom(i int) {
	seg := s.tokens[i].seg
	for j := i; j < len(s.tokens); j++ {
		t := &s.tokens[j]
		if t.has(result) || s.mainClause(i, j) {
			return
		}
		if t.seg > seg {
			if t.seg > seg+1 || !t.has(comparison) {
				return
			}
			seg = t.seg
		}
		t.condition = true
	}
}

// conditionTo marks what precedes an ending like Korean -myeon: its clause, and those before it that state nothing of their own.
func (s *sentence) conditionTo(i int) {
	for from := i - 1; from >= 0 && !s.tokens[from].has(condAfter); from-- {
		if s.tokens[from].has(cond) && s.tokens[i].lang == japanese {
			for j := from; j <= i; j++ {
				s.tokens[j].condition = true
			}
		}
	}
	for j := i; j >= 0; j-- {
		t := &s.tokens[j]
		if t.seg < s.tokens[i].seg && t.has(giveUp|loss|must|because|result|purpose|and|condAfter|otherwise|beforeAfter|afterAfter|prevent) {
			return
		}
		t.condition = true
	}
}

// reach is how far a denial may stand before what it denies. The article-like "no" belongs to the word that follows.
func (s *sentence) reach(t token) int {
	if s.folded[t.start:t.end] == "no" {
		return 11
	}
	if t.lang == korean && t.end-t.start <= 3 {
		return 8
	}
	return 48
}

// deniable are the concepts that a denial may belong to.
const deniable = comparison | twoLeaders | pair | lead | single | giveUp | loss | renew | still | prevent | valid | grow

// denials finds what each denial belongs to: the next such word of its clause, or for endings the one just before.
func (s *sentence) denials() {
	for i, t := range s.tokens {
		if t.has(no) {
			for j := i + 1; j < len(s.tokens) && s.tokens[j].seg == t.seg; j++ {
				if s.tokens[j].has(deniable) {
					if s.tokens[j].start-t.end <= s.reach(t) {
						s.deny(i, j)
					}
					break
				}
			}
		}
		if t.has(notAfter) {
			for j := i - 1; j >= 0 && t.start-s.tokens[j].end <= 21; j-- {
				if s.tokens[j].has(deniable) {
					s.deny(i, j)
					break
				}
			}
		}
	}
}

// deny notes that the denial at token i belongs to token j.
func (s *sentence) deny(i, j int) {
	s.tokens[j].negated = !s.tokens[j].negated
	s.tokens[i].spent = true
}
