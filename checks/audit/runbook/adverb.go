package runbook

// adverbs reads words that say of one event that it comes first, later, or has already come, when the sentence has the other too.
func (s *sentence) adverbs(add func(at, earlier, later int, firm bool)) {
	for i, t := range s.tokens {
		if !t.has(first|later|already|valid) || t.inSequence() {
			continue
		}
		if t.has(valid) {
			if !t.negated {
				s.whileValid(i)(add)
			}
			continue
		}
		if s.ofLeading(i) {
			continue
		}
		own := s.eventOf(i)
		if own < 0 || s.tokens[own].negated && !t.has(later) {
			continue
		}
		if t.has(already) && turnOf(s.tokens[own]) == succeeds && s.barred(i) {
			continue
		}
		want := leaves
		if turnOf(s.tokens[own]) == leaves {
			want = succeeds
		}
		theirs := s.nearestTurn(own, want)
		if theirs < 0 {
			continue
		}
		if t.has(later) && !t.has(first|already) {
			add(i, theirs, own, false)
		} else {
			add(i, own, theirs, false)
		}
	}
}

// barred reports whether the clause of token i says that nobody can take over yet.
func (s *sentence) barred(i int) bool {
	for j, t := range s.tokens {
		stays := t.lang == chinese && t.has(no) && j+1 < len(s.tokens) && s.tokens[j+1].has(giveUp) && s.tokens[j+1].negated
		if t.comma == s.tokens[i].comma && t.has(valid|no) && !stays {
			return true
		}
	}
	return false
}

// whileValid reads giving up "while the lease is still valid".
func (s *sentence) whileValid(i int) func(func(at, earlier, later int, firm bool)) {
	return func(add func(at, earlier, later int, firm bool)) {
		if s.renewsNext(i) {
			return
		}
		for j, t := range s.tokens {
			if t.has(giveUp) && !t.negated && j != i {
				s.tokens[i].is |= expire
				add(i, j, i, false)
				s.tokens[i].is &^= expire
				return
			}
		}
	}
}

// eventOf returns the event that an adverb at token i belongs to: the nearest in its clause, the following one first.
func (s *sentence) eventOf(i int) int {
	if k := turnOf(s.tokens[i]); k == leaves || k == succeeds {
		return i
	}
	for j := i + 1; j < len(s.tokens) && s.tokens[j].seg == s.tokens[i].seg; j++ {
		if k := turnOf(s.tokens[j]); k == leaves || k == succeeds {
			return j
		}
	}
	for j := i - 1; j >= 0 && s.tokens[j].seg == s.tokens[i].seg; j-- {
		if k := turnOf(s.tokens[j]); k == leaves || k == succeeds {
			return j
		}
	}
	return -1
}

func (s *sentence) nearestTurn(i int, want turn) int {
	best := -1
	for j, t := range s.tokens {
		if turnOf(t) == want && j != i && (best < 0 || abs(j-i) < abs(best-i)) {
			best = j
		}
	}
	return best
}

// times orders events by the numbers that are given with them: "quits at 10, a new one may start at 15".
func (s *sentence) times(add func(at, earlier, later int, firm bool)) {
	leaving, l := s.timeOf(giveUp)
	next, n := s.timeOf(loss)
	switch {
	case leaving < 0 || next < 0 || l == n:
	case l < n:
		add(leaving, leaving, next, true)
	default:
		add(leaving, next, leaving, true)
	}
}

// timeOf returns the first event of a kind that has a number in its clause, and the number.
func (s *sentence) timeOf(c concept) (at, number int) {
	for i, t := range s.tokens {
		if !t.has(c) {
			continue
		}
		best := -1
		for j, u := range s.tokens {
			if !u.has(value) || u.number <= 5 || u.comma != t.comma {
				continue
			}
			if best < 0 || s.far(j, i) < s.far(best, i) {
				best = j
			}
		}
		if best >= 0 {
			return i, s.tokens[best].number
		}
	}
	return -1, 0
}

// far is how many tokens lie between two, those of other clauses counting more.
func (s *sentence) far(i, j int) int {
	return abs(i-j) + 10*abs(s.tokens[i].seg-s.tokens[j].seg)
}

// byOther reports whether the one who gives up at token i is not the leader: the nearest actor before it, in its clause or in one
// that has no event of its own.
func (s *sentence) byOther(i int) bool {
	seg := s.tokens[i].seg
	for j := i - 1; j >= 0; j-- {
		t := s.tokens[j]
		if t.seg != seg && s.tokens[i].seg != t.seg {
			if t.has(old|other) && s.topic(j) {
				return t.has(other) && !t.has(old)
			}
			if s.busy(t.seg) {
				if s.outer(j) {
					return true
				}
				if t.has(other) && !t.has(old) && t.lang == chinese && s.leavesNext(j, i) {
					return true
				}
				continue
			}
		}
		if t.has(old | other) {
			return t.has(other) && !t.has(old)
		}
	}
	return false
}

// busy reports whether a clause has an event of its own.
func (s *sentence) busy(seg int) bool {
	for _, t := range s.tokens {
		if t.seg == seg && (turnOf(t) == leaves || turnOf(t) == succeeds) {
			return true
		}
	}
	return false
}

// topic reports whether the actor at token j is what its sentence speaks of: marked so in Korean and Japanese, or followed by the
// word that begins a clause of time in Chinese.
func (s *sentence) topic(j int) bool {
	end := len(s.folded)
	if j+1 < len(s.tokens) {
		end = s.tokens[j+1].start
	}
	n := 0
	for _, r := range s.folded[s.tokens[j].end:max(end, s.tokens[j].end)] {
		switch r {
		case '는', '은', 'は', '在', '会':
			return true
		}
		if n++; n > 8 || isClauseMark(r) {
			break
		}
	}
	return false
}
