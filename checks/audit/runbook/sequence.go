package runbook

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

// lingers reports whether a sentence supposes that the leader has not given up when its lease is over, or
// is late to.
func (s *sentence) lingers() bool {
	at := s.first(giveUp)
	if at < 0 || !s.tokens[at].condition || s.byOther(at) {
		return false
	}
	if at+1 < len(s.tokens) && s.tokens[at+1].has(slow) && s.tokens[at+1].condition && s.tokens[at+1].seg == s.tokens[at].seg {
		return true
	}
	if !s.tokens[at].negated {
		return false
	}
	for _, t := range s.tokens[:at] {
		if t.has(loss) && !t.negated && t.condition || t.has(link) && t.has(before|beforeAfter) {
			return true
		}
	}
	return false
}

// keptFrom reports whether the event at token i is what a word right after it prevents.
func (s *sentence) keptFrom(i int) bool {
	return i+1 < len(s.tokens) && s.tokens[i+1].has(prevent) && s.tokens[i+1].start-s.tokens[i].end <= 3
}

// inThisOrder reports whether sentence i gives the order of what the sentences before it list as the reason for the right relation.
func (r *reasoning) inThisOrder(i int, sc scene) bool {
	s := &r.doc.sentences[i]
	if !sc.right || len(s.tokens) == 0 || !s.tokens[0].inSequence() || !s.has(purpose|because) {
		return false
	}
	left, next := -1, -1
	for j := i - 1; j >= max(0, i-5) && r.doc.sentences[j].group == s.group; j-- {
		t := &r.doc.sentences[j]
		if at := t.first(giveUp); at >= 0 && !t.tokens[at].negated && !t.byOther(at) {
			left = j
		}
		if at := t.first(loss); at >= 0 && !t.tokens[at].negated {
			next = j
		}
	}
	return left >= 0 && left < next
}

// endsLease reports whether the word for before at token i follows the lease's duration, or its default, with no event at l before it.
func (s *sentence) endsLease(i, l int) bool {
	if l >= 0 || i == 0 || s.tokens[i].lang != japanese || s.tokens[i].has(link) {
		return false
	}
	t := s.tokens[i-1]
	return (t.has(duration) || t.has(value) && t.number == 15) && s.tokens[i].start-t.end <= 9 && t.comma == s.tokens[i].comma
}

// supposes reports whether the harm at token i follows from a condition and is why what is at token at is so: "if it kept on, two
// would lead, therefore it is shorter", the word for therefore standing between.
func (s *sentence) supposes(i, at int) bool {
	if at < i || s.tokens[i].lang != japanese {
		return false
	}
	cause := false
	for _, t := range s.tokens[i:at] {
		cause = cause || t.has(because) && !t.has(purpose)
	}
	for _, t := range s.tokens[:i] {
		if t.has(condAfter) {
			return cause
		}
	}
	return false
}
