package runbook

import "strings"

// apart reads an order of events from the times that two neighbouring sentences give: "At 10 s it quits. At 15 s the lease expires."
func (r *reasoning) apart(i int) bool {
	if i == 0 {
		return false
	}
	a, b := &r.doc.sentences[i-1], &r.doc.sentences[i]
	if a.group != b.group || a.question || b.question || a.has(count) || b.has(count) {
		return false
	}
	return leavesFirst(a, b) || leavesFirst(b, a)
}

// leavesFirst reports whether one sentence has only the leader give up, and the other only a loss, at a later time.
func leavesFirst(one, other *sentence) bool {
	at, leaving := one.onlyTime(giveUp)
	lost, end := other.onlyTime(loss)
	if at < 0 || lost < 0 || leaving >= end || one.has(expire) || other.has(giveUp) || one.byOther(at) {
		return false
	}
	a, b := one.tokens[at], other.tokens[lost]
	return !a.negated && !a.condition && !b.negated && !b.condition
}

// onlyTime returns the first event of a kind and the number that its clause gives, or else the only one that the sentence gives.
func (s *sentence) onlyTime(c concept) (at, number int) {
	if at, number = s.timeOf(c); at >= 0 {
		return at, number
	}
	at = s.first(c)
	for _, t := range s.tokens {
		if !t.has(value) || t.number <= 5 {
			continue
		}
		if number != 0 {
			return -1, 0
		}
		number = t.number
	}
	if number == 0 {
		return -1, 0
	}
	return at, number
}

// ordersEvents reports whether the comparison at token i is one of events, as "quits earlier than" is.
func (s *sentence) ordersEvents(i int) bool {
	if !s.tokens[i].has(before|after) || s.tokens[i].lang != chinese {
		return false
	}
	for j := i - 1; j >= 0; j-- {
		switch {
		case turnOf(s.tokens[j]) == leaves, turnOf(s.tokens[j]) == succeeds:
			return true
		case sideOf(s.tokens[j]) != nothing:
			return false
		}
	}
	return false
}

// comparesValues reports whether the word for before at token i compares the two values, and orders no events.
func (s *sentence) comparesValues(i int) bool {
	return s.tokens[i].lang == chinese && s.tokens[i].has(below|above) && i > 0 && s.nearestLeft(i, 0) != nothing && !s.ordersEvents(i) && !s.tokens[i-1].has(value)
}

// blames reports whether the network at token i is named for a cause. In Chinese it may stand for what is used or whom to call.
func (s *sentence) blames(i int) bool {
	return s.tokens[i].lang != chinese || s.has(suspect|because) || s.beside(i, slow) || s.kind != plain || strings.ContainsAny(s.folded, ":→⇒") || s.bare()
}

// elliptic reports whether the comparison from token from to token to goes on from one in an earlier clause without naming what it
// compares: "it must not equal the lease duration, let alone exceed".
func (s *sentence) elliptic(earlier, from, to int) bool {
	comma := s.tokens[from].comma
	if s.tokens[from].lang != chinese || s.tokens[earlier].comma == comma {
		return false
	}
	for j := earlier + 1; j < len(s.tokens) && s.tokens[j].comma <= s.tokens[to].comma; j++ {
		if sideOf(s.tokens[j]) != nothing && s.tokens[j].comma != s.tokens[earlier].comma {
			return false
		}
	}
	return true
}

// inherited returns what an earlier comparison compares. What is equal has no order of its own: the value named first is the subject.
func (s *sentence) inherited(r relation) (subject, standard side) {
	if !s.tokens[r.from].has(equal) {
		return r.subject, r.standard
	}
	for _, t := range s.tokens {
		if q := sideOf(t); t.comma == s.tokens[r.from].comma && (q == ofLeader || q == ofLease) {
			return q, opposite(q)
		}
	}
	return r.subject, r.standard
}

// overlong reports whether two numbers are compared that can only be a deadline and the shorter default of the lease: "20 > 15".
func (s *sentence) overlong(from, to int) bool {
	if from == 0 || to+1 >= len(s.tokens) || !s.tokens[from].has(above|atLeast|longer) {
		return false
	}
	a, b := s.tokens[from-1], s.tokens[to+1]
	return a.has(value) && b.has(value) && a.number > 15 && a.number <= 120 && b.number == 15
}

// sameScene returns the last of the tokens after token i that go on with the same two leaders: "two leaders | write at once".
func (s *sentence) sameScene(i int) int {
	for i+1 < len(s.tokens) && s.tokens[i+1].seg == s.tokens[i].seg && s.tokens[i+1].has(pair|lead|twoLeaders) {
		i++
	}
	return i
}

// leavesNext reports whether the actor at token j is said to give up, in the words that token i repeats.
func (s *sentence) leavesNext(j, i int) bool {
	for k := j + 1; k < i; k++ {
		if turnOf(s.tokens[k]) != none || s.tokens[k].has(old) {
			return s.folded[s.tokens[k].start:s.tokens[k].end] == s.folded[s.tokens[i].start:s.tokens[i].end]
		}
	}
	return false
}

// aimedAt reports whether the sentence before sentence i names what is to be prevented, and sentence i concludes from that.
func (r *reasoning) aimedAt(i int) bool {
	if i == 0 || r.doc.sentences[i].group != r.doc.sentences[i-1].group || r.doc.sentences[i-1].question {
		return false
	}
	s, before := &r.doc.sentences[i], &r.doc.sentences[i-1]
	if before.has(moot|fine|count) || len(before.relations(nil)) > 0 || before.list {
		return false
	}
	concludes := len(s.tokens) > 0 && s.tokens[0].has(result) && s.tokens[0].start <= 3
	good, harm := before.tally()
	switch {
	case s.preventsThat():
		return harm > 0 && good == 0
	case concludes && harm == 0:
		return good > 0 && before.has(prevent)
	}
	return concludes && harm > 0 && good == 0 && before.has(wrong|would|cond|condAfter)
}

// tally counts what a sentence says of how many lead, by whether it is good, and of an order that is harm.
func (s *sentence) tally() (good, harm int) {
	for _, e := range s.events() {
		switch {
		case e.condition:
		case e.good && !e.ordered:
			good++
		case !e.good && !e.ordered:
			harm++
		}
	}
	return good, harm
}

// preventsThat reports whether a sentence has "prevent that", the aim being what was said before.
func (s *sentence) preventsThat() bool {
	for i := 0; i+1 < len(s.tokens); i++ {
		if s.tokens[i].has(prevent) && !s.tokens[i].negated && s.tokens[i+1].has(link) && s.tokens[i+1].start-s.tokens[i].end <= 3 {
			return true
		}
	}
	return false
}
