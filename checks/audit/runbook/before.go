package runbook

// turn is a class of events that can come one before the other.
type turn int

const (
	none turn = iota
	leaves
	succeeds
	tries
)

// turnOf classes a token. Whose giving up it is is looked at elsewhere.
func turnOf(t token) turn {
	switch {
	case t.has(giveUp):
		return leaves
	case t.has(loss):
		return succeeds
	case t.has(renew):
		return tries
	}
	return none
}

// orders finds what a sentence says about who comes first.
func (s *sentence) orders() []event {
	var found []event
	add := func(at, earlier, later int, firm bool) {
		if earlier < 0 || later < 0 {
			return
		}
		e, l := turnOf(s.tokens[earlier]), turnOf(s.tokens[later])
		if e == l || e == tries || l == tries || e == none || l == none {
			return
		}
		leaving := earlier
		if l == leaves {
			leaving = later
		}
		if s.byOther(leaving) {
			if e == succeeds {
				return
			}
			found = append(found, event{at: at, good: false, ordered: true, condition: s.tokens[at].condition, firm: false})
			return
		}
		good := e == leaves
		if s.tokens[earlier].negated || s.chained(earlier) {
			good = !good
		}
		condition := s.tokens[leaving].condition || s.tokens[at].has(beforeAfter) && s.tokens[earlier].condition
		found = append(found, event{at: at, good: good, ordered: true, condition: condition, firm: firm})
	}
	for i, t := range s.tokens {
		switch {
		case t.inSequence():
			s.sequence(i, add)
		case t.has(below|above) && !t.has(before|after):
			s.signs(i, add)
		case t.has(link) && t.has(before|beforeAfter):
			// "Before that": what follows comes before what was said.
			if e := s.eventRight(i); e >= 0 {
				add(i, e, s.leftOf(i, e), true)
			}
		case t.has(before) && !t.has(already) && !s.comparesValues(i):
			l := s.eventRight(i)
			add(i, s.counterpart(i, l, true), l, true)
		case t.has(beforeAfter) && t.has(condAfter):
			// "When it expires" orders something only if the leader has already gone by then.
			if l := s.eventLeft(i); l >= 0 && turnOf(s.tokens[l]) == succeeds && s.gone(i) {
				add(i, s.counterpart(i, l, false), l, false)
			}
		case t.has(beforeAfter) && !s.renewsNext(i):
			l := s.eventLeft(i)
			if s.endsLease(i, l) {
				// "Before the lease's duration": its end is meant.
				s.tokens[i-1].is |= expire
				add(i, s.counterpart(i, i-1, false), i-1, true)
				s.tokens[i-1].is &^= expire
				break
			}
			add(i, s.counterpart(i, l, false), l, true)
		case t.has(after) && !s.timed(i, 1):
			e := s.eventRight(i)
			add(i, e, s.counterpart(i, e, true), true)
		case t.has(afterAfter) && !s.timed(i, -1) && !s.bothLost(i):
			e := s.eventLeft(i)
			add(i, e, s.counterpart(i, e, false), true)
		case t.has(until):
			s.untils(i, add)
		}
	}
	if len(found) == 0 {
		s.thens(add)
		s.betweens(add)
	}
	if len(found) == 0 {
		s.times(add)
	}
	if len(found) == 0 {
		s.adverbs(add)
		if mixed(found) {
			return nil
		}
	}
	if len(found) == 0 {
		s.notYet(add)
		s.neither(add)
	}
	return found
}

// mixed reports whether events contradict each other.
func mixed(events []event) bool {
	for _, e := range events {
		if e.good != events[0].good {
			return true
		}
	}
	return false
}

// gone reports whether a word for already stands with giving up after token i.
func (s *sentence) gone(i int) bool {
	for j := i + 1; j < len(s.tokens); j++ {
		if s.tokens[j].has(already) {
			own := s.eventOf(j)
			return own >= 0 && turnOf(s.tokens[own]) == leaves
		}
	}
	return false
}

// timed reports whether a word for after belongs to a number ("after 10 s"), which orders nothing.
func (s *sentence) timed(i, step int) bool {
	j := i + step
	if j < 0 || j >= len(s.tokens) || !s.tokens[j].has(value|deadline|duration) {
		return false
	}
	if step > 0 {
		return s.tokens[j].has(value) && s.tokens[j].start-s.tokens[i].end <= 12 || s.tokens[j].has(deadline)
	}
	return s.tokens[i].start-s.tokens[j].end <= 9
}

// eventRight returns the event that follows token i, in its clause if there is one.
func (s *sentence) eventRight(i int) int {
	for j := i + 1; j < len(s.tokens); j++ {
		if turnOf(s.tokens[j]) != none {
			return j
		}
		if s.tokens[j].has(before|after|beforeAfter|afterAfter|otherwise) && !s.tokens[j].has(condAfter) {
			break
		}
	}
	return -1
}

// eventLeft returns the event nearest before token i in its clause.
func (s *sentence) eventLeft(i int) int {
	for j := i - 1; j >= 0 && s.tokens[j].comma == s.tokens[i].comma; j-- {
		if turnOf(s.tokens[j]) != none {
			return j
		}
	}
	return -1
}

// counterpart returns the event on the other side of the word for before or after at token i: one of another turn than that of
// token known. pre says that known follows the word.
func (s *sentence) counterpart(i, known int, pre bool) int {
	if known < 0 {
		return -1
	}
	want := leaves
	if turnOf(s.tokens[known]) == leaves {
		want = succeeds
	}
	if pre {
		if j := s.sameClauseLeft(i, want); j != -1 {
			return j
		}
		if j := s.rightOf(known, want); j >= 0 && !s.anyLeft(i) {
			return j
		}
		return s.earlierClause(i, want)
	}
	if j := s.rightOf(i, want); j >= 0 {
		return j
	}
	for j := known - 1; j >= 0; j-- {
		if turnOf(s.tokens[j]) == want {
			return j
		}
		if s.tokens[j].has(otherwise) {
			break
		}
	}
	return -1
}

// sameClauseLeft looks before token i in its clause: the event wanted, -2 if there are only others, -1 if there are none.
func (s *sentence) sameClauseLeft(i int, want turn) int {
	found := -1
	for j := i - 1; j >= 0 && s.tokens[j].seg == s.tokens[i].seg; j-- {
		switch turnOf(s.tokens[j]) {
		case want:
			return j
		case none:
		default:
			found = -2
		}
	}
	return found
}

func (s *sentence) anyLeft(i int) bool {
	for j := i - 1; j >= 0 && s.tokens[j].comma == s.tokens[i].comma; j-- {
		if turnOf(s.tokens[j]) != none {
			return true
		}
	}
	return false
}

// rightOf looks for an event after token i, not past a word that turns things round.
func (s *sentence) rightOf(i int, want turn) int {
	for j := i + 1; j < len(s.tokens); j++ {
		if s.tokens[j].has(otherwise) {
			break
		}
		if turnOf(s.tokens[j]) == want {
			return j
		}
	}
	return -1
}

// leftOf looks before token i for the nearest event that is not of the turn of token other.
func (s *sentence) leftOf(i, other int) int {
	for j := i - 1; j >= 0; j-- {
		if k := turnOf(s.tokens[j]); k != none && k != tries && k != turnOf(s.tokens[other]) {
			return j
		}
	}
	return -1
}

// earlierClause looks in the clauses before that of token i; the nearest with an event decides.
func (s *sentence) earlierClause(i int, want turn) int {
	seg := -1
	found := -1
	for j := i - 1; j >= 0; j-- {
		if s.tokens[j].has(otherwise) && s.tokens[j].seg != s.tokens[i].seg {
			break
		}
		if turnOf(s.tokens[j]) == none || s.tokens[j].seg == s.tokens[i].seg {
			continue
		}
		if seg >= 0 && s.tokens[j].seg != seg {
			break
		}
		seg = s.tokens[j].seg
		if turnOf(s.tokens[j]) == want {
			found = j
			break
		}
	}
	return found
}

// untils reads "nobody takes over until the leader has given up", in either order of the clauses.
func (s *sentence) untils(i int, add func(at, earlier, later int, firm bool)) {
	post := s.tokens[i].lang == korean || s.tokens[i].lang == japanese
	e := s.eventRight(i)
	if post {
		e = s.eventLeft(i)
	}
	if e < 0 || turnOf(s.tokens[e]) == tries {
		return
	}
	main := s.counterpart(i, e, !post)
	if s.byThen(e, main) {
		add(i, main, e, true)
		return
	}
	if main >= 0 && (s.tokens[main].negated || s.keptFrom(main)) {
		// It is negated only up to then: afterwards it happens.
		was := s.tokens[main].negated
		s.tokens[main].negated = false
		add(i, e, main, true)
		s.tokens[main].negated = was
	}
}
