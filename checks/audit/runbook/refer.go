package runbook

import "strings"

// averts reads a relation that is said to be there to avoid what the sentence before tells of, or for what that demands: "Two
// would lead. To avoid this, the deadline is shorter." "Only one may lead. Therefore the deadline is shorter."
func (r *reasoning) averts(i int, sc scene) bool {
	if i == 0 || !sc.right && sc.supposedAt < 0 {
		return false
	}
	back := i - 1
	if back > 0 && len(r.doc.sentences[back].events()) == 0 {
		back--
	}
	s, told := &r.doc.sentences[i], &r.doc.sentences[back]
	if told.group != s.group || told.question || told.aboutGrowth() || told.has(fine|moot) {
		return false
	}
	harm, feared, aim := false, false, false
	for _, e := range told.events() {
		harm = harm || !e.good
		feared = feared || !e.good && (told.tokens[e.at].has(twoLeaders|pair) || e.ordered && e.condition && told.has(wrong))
		aim = aim || e.good && !e.ordered && !e.condition
	}
	concludes := sc.right && (s.concludesFrom(sc.rightAt) || s.keeps())
	if harm {
		return s.refersToAvoid() || feared && concludes && told.warns()
	}
	return aim && (concludes || sc.right && strings.HasSuffix(told.folded, "("))
}

// warns reports whether a sentence tells of what may come about, not of what is meant to.
func (s *sentence) warns() bool {
	return s.has(wrong) || s.has(would|cond|condAfter) && !s.has(purpose|prevent)
}

// concludesFrom reports whether the sentence says before token at that it follows from what was said.
func (s *sentence) concludesFrom(at int) bool {
	if s.tokens[0].has(purpose | link) {
		return true
	}
	for i, t := range s.tokens {
		if t.has(result) && (i < at || i == len(s.tokens)-1) {
			return true
		}
	}
	n := len(s.tokens)
	return n > 1 && s.tokens[n-2].has(link) && s.tokens[n-1].has(purpose|because)
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

// renewsNext reports whether what the sentence supposes next after token i is that the leader renews or does not.
func (s *sentence) renewsNext(i int) bool {
	for _, t := range s.tokens[i+1:] {
		if turnOf(t) != none {
			return turnOf(t) == tries && t.condition && t.comma == s.tokens[i].comma
		}
	}
	return false
}

// unlessBefore reports whether a sentence supposes that one event does not come before the other: "unless the stop comes before".
func (s *sentence) unlessBefore() bool {
	for i, t := range s.tokens {
		if t.has(beforeAfter) && i+1 < len(s.tokens) && s.tokens[i+1].has(otherwise) && s.tokens[i+1].start-t.end <= 6 {
			return true
		}
	}
	return false
}
