package runbook

import "strings"

// averts reads a relation that is said to be there to avoid what the sentence before tells of, or for what that demands: "Two
// would lead. To avoid this, the deadline is shorter." "Only one may lead. Therefore the deadline is shorter."
func (r *reasoning) averts(i int, sc scene) bool {
	if i == 0 || !sc.right && sc.supposedAt < 0 {
		return false
	}
	s, before := &r.doc.sentences[i], &r.doc.sentences[i-1]
	if before.group != s.group || before.question || before.aboutGrowth() || before.has(fine|moot) {
		return false
	}
	harm, overlap, aim := false, false, false
	for _, e := range before.events() {
		harm = harm || !e.good
		overlap = overlap || !e.good && !e.ordered
		aim = aim || e.good && !e.ordered && !e.condition
	}
	if harm {
		return s.refersToAvoid() || overlap && sc.right && s.concludesFrom(sc.rightAt) && before.warns()
	}
	return aim && sc.right && (s.concludesFrom(sc.rightAt) || strings.HasSuffix(before.folded, "("))
}

// warns reports whether a sentence tells of what may come about, not of what is meant to.
func (s *sentence) warns() bool {
	return s.has(would|wrong|cond|condAfter) && !s.has(purpose|prevent)
}

// concludesFrom reports whether the sentence says before token at that it follows from what was said.
func (s *sentence) concludesFrom(at int) bool {
	if s.tokens[0].has(purpose | link) {
		return true
	}
	for _, t := range s.tokens[:max(at, 0)] {
		if t.has(result) {
			return true
		}
	}
	return false
}

// refersToAvoid reports whether a sentence says that it avoids what was said: "to avoid this", "that case does not come about".
func (s *sentence) refersToAvoid() bool {
	for i, t := range s.tokens {
		if !t.has(link) {
			continue
		}
		for _, u := range s.tokens[i+1:] {
			if u.has(prevent) && !u.negated && u.start-t.end <= 24 {
				return true
			}
			if !u.has(condAfter) {
				break
			}
		}
	}
	return false
}

// beforeThat reads an order from two sentences: the lease is lost at some time; before that, the leader has given up.
func (r *reasoning) beforeThat(i int) bool {
	if i == 0 {
		return false
	}
	s, told := &r.doc.sentences[i], &r.doc.sentences[i-1]
	if told.group != s.group || told.question || s.question || !told.losesLease() || told.has(giveUp|count) || s.has(loss) {
		return false
	}
	at := -1
	for j, t := range s.tokens {
		if t.has(link) && t.has(before|beforeAfter) {
			at = j
		}
		if at >= 0 && j > at && t.has(giveUp) {
			return !t.negated && !t.condition && !s.byOther(j)
		}
	}
	return false
}

// forgive takes back that sentence i states a wrong order: what follows avoids it.
func (r *reasoning) forgive(i int) {
	left := r.misled[:0]
	for _, at := range r.misled {
		if at != i {
			left = append(left, at)
		}
	}
	r.misled = left
}

// sequence reads events that are given one after the other with a word for their order: "stop, expiry, takeover, in this order".
// Those of the word's own clause go before the others.
func (s *sentence) sequence(i int, add func(at, earlier, later int, firm bool)) {
	from := i
	for from > 0 && s.tokens[from-1].comma == s.tokens[i].comma {
		from--
	}
	for _, part := range [][2]int{{from, i}, {0, i}, {i + 1, len(s.tokens)}} {
		left, next := s.firstTurns(part[0], part[1])
		if left < 0 || next < 0 {
			continue
		}
		if !s.tokens[left].negated && !s.tokens[next].negated {
			add(i, min(left, next), max(left, next), false)
		}
		return
	}
}

// firstTurns returns the first tokens of a part of a sentence that tell of giving up and of taking over, or -1.
func (s *sentence) firstTurns(from, to int) (left, next int) {
	left, next = -1, -1
	for j := from; j < to; j++ {
		switch k := turnOf(s.tokens[j]); {
		case k == leaves && left < 0:
			left = j
		case k == succeeds && next < 0:
			next = j
		}
	}
	return left, next
}

// inSequence reports whether a token says that events are given in their order.
func (t token) inSequence() bool { return t.has(first) && t.has(later) }

// postposed reports whether a word for than stands before token from as Korean and Japanese have it, so that what is compared
// precedes an English word for how too.
func (s *sentence) postposed(from int) bool {
	for _, t := range s.tokens[:from] {
		if t.has(than) && (t.lang == korean || t.lang == japanese) && t.comma == s.tokens[from].comma {
			return true
		}
	}
	return false
}

// endsWithCause reports whether a sentence is a condition and then nothing but causes: "If it grows, the clocks and the API server",
// in a language whose verbs come last, so that nothing is done with them.
func (s *sentence) endsWithCause() bool {
	n := len(s.tokens)
	if n == 0 || !s.tokens[n-1].has(clock|api|skew|network) || strings.Trim(s.folded[s.tokens[n-1].end:], " .。!)」") != "" {
		return false
	}
	for i := n - 1; i >= 0; i-- {
		t := s.tokens[i]
		if t.has(condAfter) {
			return (t.lang == korean || t.lang == japanese) && !t.has(effect)
		}
		if !t.has(cause | and) {
			return false
		}
	}
	return false
}

// foiled reports whether the clause of token i is what the sentence says must not come about: "avoids that the leader stops first".
func (s *sentence) foiled(i int) bool {
	for _, t := range s.tokens[i+1:] {
		if t.comma != s.tokens[i].comma || t.has(twoLeaders|pair) {
			return false
		}
		if t.has(prevent) && t.has(denyAfter) {
			return true
		}
	}
	return false
}

// allowed reports whether the clause of token i goes on to say that what it tells of is fine.
func (s *sentence) allowed(i int) bool {
	for _, t := range s.tokens[i+1:] {
		if t.has(fine) && t.comma == s.tokens[i].comma && (t.lang == korean || t.lang == japanese) {
			return true
		}
	}
	return false
}

// badExample reports whether a sentence is announced as one: "Bad example: stops at 20, the next one starts at 15".
func (s *sentence) badExample() bool {
	return len(s.tokens) > 0 && s.tokens[0].has(wrong) && strings.HasPrefix(strings.TrimLeft(s.folded[s.tokens[0].end:], " "), ":")
}

// lingers reports whether a sentence supposes that the leader has not given up when its lease is over.
func (s *sentence) lingers() bool {
	at := s.first(giveUp)
	if at < 0 || !s.tokens[at].negated || !s.tokens[at].condition || s.byOther(at) {
		return false
	}
	for _, t := range s.tokens[:at] {
		if t.has(loss) && !t.negated && t.condition || t.has(link) && t.has(before|beforeAfter) {
			return true
		}
	}
	return false
}

// losesLease reports whether a sentence tells of the end of a lease or of another leader, not only of time that is over.
func (s *sentence) losesLease() bool {
	for i, t := range s.tokens {
		if t.has(take) || t.has(expire) && (i == 0 || !s.tokens[i-1].has(value) || t.start-s.tokens[i-1].end > 12) {
			return true
		}
	}
	return false
}

// checkpoint reports whether a sentence is a thing to check in Japanese, so that the item after it is another one.
func (s *sentence) checkpoint() bool {
	return strings.HasSuffix(strings.TrimRight(s.folded, " 。"), "か")
}

// signs reads an order of events that is written as a comparison: "the leader stops < the next one starts".
func (s *sentence) signs(i int, add func(at, earlier, later int, firm bool)) {
	left, right := s.eventLeft(i), s.eventRight(i)
	if left < 0 || right < 0 || s.has(deadline|duration) || s.question {
		return
	}
	switch s.folded[s.tokens[i].start:s.tokens[i].end] {
	case "<":
		add(i, left, right, true)
	case ">":
		add(i, right, left, true)
	}
}

// growsOn reports whether a sentence goes on from the count that the one before names: "If it keeps growing".
func (q *suspecting) growsOn(i int) bool {
	s := &q.doc.sentences[i]
	if i == 0 || len(s.tokens) == 0 || !s.tokens[0].has(grow) || !s.tokens[0].condition || s.has(count) {
		return false
	}
	return q.doc.sentences[i-1].has(count) && q.doc.sentences[i-1].group == s.group
}

// namesBoth reports whether a sentence names both values, by their names or their defaults.
func (s *sentence) namesBoth() bool {
	return s.has(deadline) && s.has(duration) || s.mentions(10) && s.mentions(15)
}

// chained reports whether the giving up at token i is denied by what its clause goes on to deny, as Japanese has it: "notice and not stop".
func (s *sentence) chained(i int) bool {
	if !s.tokens[i].has(giveUp) || s.tokens[i].lang != japanese || i+1 >= len(s.tokens) {
		return false
	}
	next := s.tokens[i+1]
	return next.has(giveUp) && next.negated && next.seg == s.tokens[i].seg
}

// sumsUp reports whether a sentence calls what the one before lists the cause: "These two are why it keeps growing".
func (q *suspecting) sumsUp(i int) bool {
	s := &q.doc.sentences[i]
	return i > 0 && len(s.tokens) > 1 && s.tokens[0].has(link) && s.tokens[1].has(pair) &&
		s.has(suspect|because) && !s.has(denyAfter|deny|notAfter|no) && !s.question && q.doc.sentences[i-1].group == s.group
}

// foundBefore returns the causes that the sentence before names as such.
func (q *suspecting) foundBefore(i int) concept {
	s := &q.doc.sentences[i-1]
	found, denied := s.causes(true)
	if s.question {
		return 0
	}
	return found &^ denied
}
