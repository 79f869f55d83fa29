package runbook

import (
	"regexp"
	"strings"
)

var (
	koreanGrowth = regexp.MustCompile(`(?i)^((lease ?)?transitions?|트랜지션|(리더 ?)?전환)`)
	koreanEnding = regexp.MustCompile(`[다요음함됨임ㅋㅎ게지것죠]["')\s]*$`)
)

// turnsKorean reports whether a line turns to the second question after one that ends as a Korean sentence does.
func turnsKorean(before, next string) bool {
	return koreanGrowth.MatchString(next) && koreanEnding.MatchString(before)
}

// copula matches what may end a Korean sentence that does nothing with the causes it names.
var copula = regexp.MustCompile(`^(들?이?(다|야|지|죠|며|임|에요|예요)|들?입니다|임|쪽|부터|먼저|순)?[ .。!)"]*$`)

// onlyCauses reports whether a Korean sentence names growing transitions and then, after a colon, an arrow or a condition, nothing but
// causes: "Transitions grow: the clocks, the API server".
func (s *sentence) onlyCauses() bool {
	n, named := len(s.tokens), false
	if n == 0 || s.lang() != korean || !copula.MatchString(s.folded[s.tokens[n-1].end:]) {
		return false
	}
	colon := strings.IndexAny(s.folded, ":→⇒=")
	for i := n - 1; i >= 0; i-- {
		t := s.tokens[i]
		switch {
		case t.has(condAfter) || t.end <= colon:
			return named && s.first(count) >= 0 && s.first(count) <= i
		case t.has(clock | api | skew | network):
			named = true
		case t.has(denyAfter|notAfter|no|effect) || !t.has(cause|and|otherwise|suspect|value|pair|result|first):
			return false
		}
	}
	return false
}

// byThen reports whether the leader must give up, at token main, by the time of the loss at token e: "until the lease expires it must
// have stopped".
func (s *sentence) byThen(e, main int) bool {
	if main < e || turnOf(s.tokens[e]) != succeeds || s.tokens[main].lang != korean || s.tokens[main].negated || s.tokens[main].has(loss) {
		return false
	}
	for _, t := range s.tokens[main+1:] {
		if t.has(must) && t.comma == s.tokens[main].comma {
			return true
		}
	}
	return false
}

// outer reports whether the actor at token j, not the leader, is the subject of what follows the clause that it stands in: Korean puts
// a clause with a subject of its own between the two, as in "the candidate, before the lease expires, gives up".
func (s *sentence) outer(j int) bool {
	t := s.tokens[j]
	if t.lang != korean || !t.has(other) || t.has(old) || j+2 >= len(s.tokens) || !s.tokens[j+1].has(lease) || !s.tokens[j+2].has(expire) {
		return false
	}
	return s.follows(j, "가", "이") && s.follows(j+1, "가", "이")
}

// follows reports whether one of some particles stands right after token i.
func (s *sentence) follows(i int, particles ...string) bool {
	for _, p := range particles {
		if strings.HasPrefix(s.folded[s.tokens[i].end:], p) {
			return true
		}
	}
	return false
}

// stillLeads returns the last token of what the word for still at token i says: in Korean the denial of that is at its end, as in "must
// not still be running".
func (s *sentence) stillLeads(i int) int {
	t := s.tokens[i]
	for j := i + 1; j < len(s.tokens) && s.tokens[j].seg == t.seg && t.lang == korean && !t.condition; j++ {
		if s.tokens[j].has(lead) && s.tokens[j].negated {
			return j
		}
	}
	return i
}

// keeps reports whether a sentence says that what the one before demands is kept by it.
func (s *sentence) keeps() bool {
	for _, t := range s.tokens {
		if t.lang == korean && t.has(link) && t.has(purpose) {
			return true
		}
	}
	return false
}

// excused reports whether a Korean sentence goes on to say that the harm at token i is fine.
func (s *sentence) excused(i int) bool {
	if s.lang() != korean {
		return false
	}
	for j := i + 1; j < len(s.tokens); j++ {
		denied := j+1 < len(s.tokens) && s.tokens[j+1].has(notAfter|denyAfter)
		if s.tokens[j].has(fine) && !s.tokens[j].has(wrong) && !denied {
			return true
		}
	}
	return false
}

// ahead returns how many sentences after sentence i may say that it is about the leader: in Korean, whose conclusions come last, one more.
func (r *reasoning) ahead(i int) int {
	doc := r.doc.sentences
	if i+2 < len(doc) && doc[i+2].group == doc[i].group && doc[i].lang() == korean && !doc[i+2].has(count) {
		return 2
	}
	return 1
}

// ifSo reports whether a Korean sentence begins with "if so", which after what is forbidden means what would be.
func (s *sentence) ifSo() bool {
	for _, w := range []string{"그러면", "그럼", "그렇게 되면", "그렇게 하면", "이러면"} {
		if strings.HasPrefix(s.folded, w) {
			return true
		}
	}
	return false
}

// ofLeading reports whether the Korean word for later at token i is said of leading, as in "writes belatedly".
func (s *sentence) ofLeading(i int) bool {
	return s.tokens[i].lang == korean && s.tokens[i].has(later) && i+1 < len(s.tokens) && s.tokens[i+1].has(lead)
}
