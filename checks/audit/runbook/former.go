package runbook

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// options matches the answers to choose from that a question gives: it tells none of them.
var options = regexp.MustCompile(`(^|\s)a[ .、:)].*\sb[ .、:)].*\sc[ .、:)]`)

// Chinese takes up two values that were named with words for the former and the latter.
const (
	theFormer = "前者"
	theLatter = "后者"
)

// byPlace returns what a comparison at token from compares if it takes up values by their place: "the former must be
// below the latter". ok is false if it does not, or if no two values were named.
func (s *sentence) byPlace(from int) (subject, standard side, ok bool) {
	if s.tokens[from].lang != chinese {
		return nothing, nothing, false
	}
	begin := from
	for begin > 0 && s.tokens[begin-1].comma == s.tokens[from].comma {
		begin--
	}
	text := s.folded[s.tokens[begin].start:s.tokens[from].start]
	former := strings.Index(text, theFormer)
	latter := strings.Index(text, theLatter)
	named := s.namedFirst(from)
	if named == nothing || former < 0 && latter < 0 {
		return nothing, nothing, false
	}
	if latter < 0 || former >= 0 && former < latter {
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
			if u.has(loss) && !u.negated && (u.seg != t.seg || j > i && s.otherBetween(i, j)) {
				add(i, j, i, false)
				return
			}
		}
	}
}

// otherBetween reports whether somebody else is named between two tokens.
func (s *sentence) otherBetween(i, j int) bool {
	for _, t := range s.tokens[i+1 : j] {
		if t.has(other) {
			return true
		}
	}
	return false
}

// bothLost reports whether the word for after at token i orders the end of the lease and what others do then, in its own clause.
func (s *sentence) bothLost(i int) bool {
	e := s.eventLeft(i)
	if s.tokens[i].lang != chinese || e < 0 || turnOf(s.tokens[e]) != succeeds {
		return false
	}
	for _, t := range s.tokens[i+1:] {
		if t.comma != s.tokens[i].comma || turnOf(t) == leaves {
			return false
		}
		if turnOf(t) == succeeds {
			return true
		}
	}
	return false
}

// forbids reports whether a comparison is denied by a word that forbids: "it must never be shorter" demands the wrong relation,
// whatever is said to follow otherwise.
func (s *sentence) forbids(r relation) bool {
	for _, t := range s.tokens[:r.from] {
		text := s.folded[t.start:t.end]
		if t.has(no) && t.spent && t.comma == s.tokens[r.from].comma && t.lang == chinese && strings.ContainsAny(text, "能要得应该许准可别勿禁忌") {
			return true
		}
	}
	return false
}

// pointsAtCauses reports whether nothing but causes follow an arrow or a colon after growing transitions in Chinese: "grow: the clocks, etcd".
func (s *sentence) pointsAtCauses() bool {
	n := len(s.tokens)
	mark := strings.LastIndexAny(s.folded, ":→⇒")
	if n == 0 || mark < 0 || s.lang() != chinese || s.first(count|churn) < 0 || s.tokens[s.first(count|churn)].start > mark || utf8.RuneCountInString(s.folded[s.tokens[n-1].end:]) > 2 {
		return false
	}
	_, size := utf8.DecodeRuneInString(s.folded[mark:])
	from := mark + size
	for i, t := range s.tokens {
		switch {
		case t.start < mark || t.has(result) && t.end <= from:
		case !t.has(cause|and) || s.tokens[i].negated:
			return false
		case strings.Trim(s.folded[from:t.start], " ,、/;和与及或") != "":
			return false
		}
		from = max(from, t.end)
	}
	return from > mark+size
}

// neither reads an order from what does not come about without the other: "the old one does not stop, the new one does not start".
func (s *sentence) neither(add func(at, earlier, later int, firm bool)) {
	for i := range s.tokens {
		t := &s.tokens[i]
		if !t.has(giveUp) || !t.negated || t.condition || t.lang != chinese {
			continue
		}
		for j := i + 1; j < len(s.tokens) && s.tokens[j].comma <= t.comma+1; j++ {
			if u := s.tokens[j]; u.has(loss) && u.negated && u.comma == t.comma+1 {
				t.negated = false
				add(i, i, j, false)
				t.negated = true
				return
			}
		}
	}
}

// refuted reports whether what follows sentence i begins by calling it wrong.
func (d *document) refuted(i int) bool {
	if i+1 >= len(d.sentences) || d.sentences[i+1].unit != d.sentences[i].unit {
		return false
	}
	next := &d.sentences[i+1]
	if len(next.tokens) == 0 || !next.tokens[0].has(wrong) || next.tokens[0].lang != chinese || next.tokens[0].start > 1 {
		return false
	}
	rest := strings.TrimLeft(next.folded[next.tokens[0].end:], " ")
	return rest == "" || strings.ContainsRune(",!。.;)", firstRune(rest))
}

// retract takes back that the sentence before sentence i states the wrong relation: sentence i calls it wrong.
func (r *reasoning) retract(i int) {
	if i == 0 || !r.doc.refuted(i-1) {
		return
	}
	if n := len(r.reversed) - 1; n >= 0 && r.reversed[n] == i-1 {
		r.reversed = r.reversed[:n]
		r.violated, r.normal = i-1, -1
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
