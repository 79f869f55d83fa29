package runbook

import "strings"

// Chinese takes up two values that were named with words for the former and the latter.
const (
	theFormer = "前者"
	theLatter = "后者"
)

// byPlace returns what a comparison from token from to token to compares if it takes up values by their place: "the former must be
// below the latter". ok is false if it does not, or if no two values were named.
func (s *sentence) byPlace(from, to int) (subject, standard side, ok bool) {
	if s.tokens[from].lang != chinese {
		return nothing, nothing, false
	}
	begin := 0
	if from > 0 {
		begin = s.tokens[from-1].start
	}
	text := s.folded[begin:s.tokens[from].start]
	former := strings.LastIndex(text, theFormer)
	latter := strings.LastIndex(text, theLatter)
	named := s.namedFirst(from)
	if named == nothing || former < 0 && latter < 0 {
		return nothing, nothing, false
	}
	if former > latter {
		return named, opposite(named), true
	}
	return opposite(named), named, true
}

// namedFirst returns which of the two values was named first, before token from or in the sentence before, if both were.
func (s *sentence) namedFirst(from int) side {
	named, both := firstNamed(s.tokens[:from])
	if named == nothing {
		return s.former
	}
	if !both {
		return nothing
	}
	return named
}

func firstNamed(tokens []token) (named side, both bool) {
	for _, t := range tokens {
		q := sideOf(t)
		switch {
		case q != ofLeader && q != ofLease:
		case named == nothing:
			named = q
		case q != named:
			return named, true
		}
	}
	return named, false
}

// notYet reads an order from what has not come about: "the old one has not stopped, and the new one starts".
func (s *sentence) notYet(add func(at, earlier, later int, firm bool)) {
	for i, t := range s.tokens {
		if !t.has(giveUp) || !t.negated || i == 0 || t.lang != chinese || !s.tokens[i-1].has(no) {
			continue
		}
		if !strings.ContainsAny(s.folded[s.tokens[i-1].start:s.tokens[i-1].end], "没未尚还") {
			continue
		}
		for j, u := range s.tokens {
			if u.has(loss) && !u.negated && u.seg != t.seg {
				add(i, j, i, false)
				return
			}
		}
	}
}

// avertsOrder reports whether the clause of token i begins with a word for prevention in Chinese, which makes what it orders unwanted.
func (s *sentence) avertsOrder(i int) bool {
	averted := false
	for _, t := range s.tokens[:i] {
		if t.comma != s.tokens[i].comma {
			continue
		}
		switch {
		case t.has(prevent) && !t.has(no) && !t.negated && t.lang == chinese:
			averted = true
		case t.has(twoLeaders | pair | single | otherwise | because):
			averted = false
		}
	}
	return averted
}
