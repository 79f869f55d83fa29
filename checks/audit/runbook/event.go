package runbook

// event is something that a sentence says would happen: at is the token it rests on.
type event struct {
	at        int
	good      bool // one leader at a time, or the old one gives up first
	ordered   bool // it says who comes first; else it says how many lead
	condition bool
	firm      bool // stated by a word for before or after
}

// events finds what a sentence says of the order of giving up and taking over, and of two leaders.
func (s *sentence) events() []event {
	if !s.has(giveUp | loss | twoLeaders | pair | single | still | lead) {
		return nil
	}
	return append(s.orders(), s.leaders()...)
}

// leaders finds what is said about how many lead.
func (s *sentence) leaders() []event {
	var found []event
	done := -1
	for i, t := range s.tokens {
		if i <= done {
			continue
		}
		last, ok := i, false
		switch {
		case t.has(twoLeaders):
			ok = true
			for j := i + 1; j < len(s.tokens) && s.tokens[j].seg == t.seg; j++ {
				if s.tokens[j].has(lead|take|twoLeaders) || s.tokens[j].has(pair) && t.lang == chinese {
					last = j
				}
			}
			done = last
		case t.has(pair):
			last, ok = s.leads(i)
			if ok && t.lang == chinese {
				last = s.sameScene(last)
				done = last
			}
			for j := last + 1; ok && j < len(s.tokens) && s.tokens[j].seg == t.seg; j++ {
				if s.tokens[j].has(take|twoLeaders) && s.tokens[j].negated {
					last, done = j, j
				}
			}
		case t.has(single):
			found = append(found, event{at: i, good: !t.negated && !s.prevented(i, i), condition: t.condition})
			continue
		case t.has(still) && s.guarded(i):
			found = append(found, event{at: i, good: true, condition: t.condition})
			continue
		case t.has(still):
			ok = s.overlaps(i)
			last = s.stillLeads(i)
		}
		if !ok {
			continue
		}
		denied := s.prevented(i, last) != s.cannot(i)
		for j := i; j <= last; j++ {
			if s.tokens[j].has(twoLeaders|pair|lead|take|still) && s.tokens[j].negated {
				denied = !denied
			}
		}
		found = append(found, event{at: i, good: denied, condition: t.condition})
	}
	return found
}

// leads reports whether the word for two at token i is said of leading, and the last token of that.
func (s *sentence) leads(i int) (last int, ok bool) {
	t := s.tokens[i]
	for j := i + 1; j < len(s.tokens) && s.tokens[j].seg == t.seg && s.tokens[j].start-t.end <= 60; j++ {
		if s.tokens[j].has(quantity) && !s.tokens[j].has(lead|old) {
			break
		}
		if s.tokens[j].has(lead | old) {
			return j, true
		}
	}
	if t.lang == english {
		return i, false
	}
	for j := i - 1; j >= 0 && s.tokens[j].seg == t.seg && t.start-s.tokens[j].end <= 30; j-- {
		if s.tokens[j].has(quantity) {
			break
		}
		if s.tokens[j].has(lead | old) {
			return i, true
		}
	}
	return i, false
}

// overlaps reports whether the word for still at token i is said of a leader, in a sentence that has another take over or the lease
// expire.
func (s *sentence) overlaps(i int) bool {
	t := s.tokens[i]
	leading, other := false, false
	for j := range s.tokens {
		u := s.tokens[j]
		near := u.seg == t.seg && abs(u.start-t.start) <= 60
		switch {
		case u.has(valid|first|already) && !u.has(still) && u.seg == t.seg && !u.has(already):
			return false
		case near && u.has(lead|old|renew) && !u.negated, near && u.has(giveUp) && u.negated:
			leading = true
		}
		if u.has(loss) && !u.negated && (u.seg != t.seg || u.start < t.start || u.comma == t.comma) || s.leadsToo(j, t.seg) {
			other = true
		}
	}
	return leading && other
}

// prevented reports whether the clause around tokens from to to says that it is prevented.
func (s *sentence) prevented(from, to int) bool {
	prevented := false
	for j, t := range s.tokens {
		if !t.has(prevent) || t.spent {
			continue
		}
		near := t.comma == s.tokens[from].comma || t.comma == s.tokens[to].comma
		post := t.lang == korean || t.lang == japanese
		apart := j > to && s.eventBetween(to, j) || j < from && s.eventBetween(j, from)
		if near && (!post || j >= from) && !apart {
			prevented = prevented != !t.negated
		}
	}
	return prevented
}

// eventBetween reports whether a clause with an event of its own stands between two tokens.
func (s *sentence) eventBetween(i, j int) bool {
	for k := i + 1; k < j; k++ {
		if s.tokens[k].has(otherwise|because) || (s.tokens[k].has(cond) && s.tokens[k].seg != s.tokens[i].seg && s.tokens[i].seg != s.tokens[j].seg) {
			return true
		}
	}
	return false
}

func abs(n int) int {
	if n < 0 {
		return -n
	}
	return n
}
