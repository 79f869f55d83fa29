package runbook

// sides finds what a comparison, the tokens from to to, compares. A side that is not named is the other of the two values; both are
// nothing if neither is named.
func (s *sentence) sides(from, to int) (subject, standard side) {
	t := s.tokens[from]
	switch {
	case t.lang == korean || t.lang == japanese, t.has(shorter|longer) && s.postposed(from):
		subject, standard = s.sidesBefore(from, t.has(below|above|atMost|atLeast))
	case s.tokens[from].has(atMost|atLeast) && s.nearestLeft(from, 0) == nothing:
		return unknown, unknown // "for at most the deadline" compares nothing
	case s.versus(from) >= 0:
		v := s.versus(from)
		subject, standard = s.nearestLeft(v, 0), s.nearestLeft(from, v)
	default:
		subject, standard = s.sidesAround(from, to)
	}
	if s.overlong(from, to) {
		return ofLeader, ofLease
	}
	if subject == unknown || standard == unknown {
		return unknown, unknown
	}
	if subject == standard {
		subject = nothing // a pronoun stands for it
	}
	if subject == nothing {
		subject = opposite(standard)
	}
	if standard == nothing {
		standard = opposite(subject)
	}
	return subject, standard
}

func opposite(of side) side {
	switch of {
	case ofLeader:
		return ofLease
	case ofLease:
		return ofLeader
	}
	return of
}

// sidesAround reads "A is below B", and "a longer A than B".
func (s *sentence) sidesAround(from, to int) (subject, standard side) {
	right, at := s.nearestRight(to)
	subject = s.nearestLeft(from, 0)
	marked := s.tokens[from].has(below|above|atMost|atLeast) || s.tokens[to].has(below|above|atMost|atLeast)
	if marked {
		return subject, right
	}
	for i := to + 1; i < at; i++ {
		if s.tokens[i].has(than) {
			return subject, right
		}
	}
	if s.tokens[to].has(equal) && right != nothing && right != subject {
		return subject, right
	}
	if right != nothing && at == to+1 && s.tokens[at].start-s.tokens[to].end <= 12 {
		// "A longer deadline": the value follows what is said of it.
		for i := at + 1; i < len(s.tokens); i++ {
			if s.tokens[i].has(than) {
				standard, _ = s.nearestRight(i)
				return right, standard
			}
		}
		return right, nothing
	}
	return subject, nothing
}

// sidesBefore reads what precedes the comparison: "A is, than B, shorter", or "A exceeds B" with B right before.
func (s *sentence) sidesBefore(from int, marked bool) (subject, standard side) {
	stop := 0
	for i := from - 1; i >= 0; i-- {
		if s.tokens[i].has(comparison) && sameSide(s, i, from) {
			stop = i + 1
			break
		}
	}
	for i := from - 1; i >= stop; i-- {
		if s.tokens[i].has(than) {
			standard = s.nearestLeft(i, stop)
			for j := from - 1; j >= stop; j-- {
				if q := sideOf(s.tokens[j]); q != nothing && q != standard && q != unknown {
					return q, standard
				}
			}
			return nothing, standard
		}
	}
	near := s.nearestLeft(from, stop)
	if near == ofLease && !marked && s.onlyLeaseBefore(from) {
		return nothing, nothing
	}
	if near == nothing && stop > 0 {
		near, stop = s.nearestLeft(from, 0), 0
	}
	var far side
	for j := from - 1; j >= stop; j-- {
		if q := sideOf(s.tokens[j]); q != nothing && q != near && q != unknown && near != nothing {
			far = q
			break
		}
	}
	switch {
	case near == ofRetry && far != nothing, marked && near != nothing:
		return far, near
	case far != nothing && s.tokens[from].has(equal):
		return far, near
	case far != nothing && s.tokens[from].has(shorter|longer):
		// Without a word for than, the one that was named first is what is spoken of.
		return nothing, nothing
	}
	return near, nothing
}

// onlyLeaseBefore reports whether the value nearest before token from is the lease itself, in another clause: it is spoken of, not compared.
func (s *sentence) onlyLeaseBefore(from int) bool {
	for i := from - 1; i >= 0; i-- {
		if sideOf(s.tokens[i]) != nothing {
			return s.tokens[i].comma != s.tokens[from].comma && s.tokens[i].has(lease) && !s.tokens[i].has(duration)
		}
	}
	return false
}

// sameSide reports whether there is a value between two comparisons, so that they do not share what they compare.
func sameSide(s *sentence, i, j int) bool {
	for k := i + 1; k < j; k++ {
		if sideOf(s.tokens[k]) != nothing {
			return true
		}
	}
	return false
}

// versus returns the word for "than" that stands before the comparison in its clause as Chinese has it, or -1.
func (s *sentence) versus(from int) int {
	if s.tokens[from].lang != chinese {
		return -1
	}
	for i := from - 1; i >= 0 && from-i <= 6 && s.tokens[i].comma == s.tokens[from].comma; i-- {
		if s.tokens[i].has(than) && s.tokens[i].lang == chinese {
			return i
		}
		if s.tokens[i].has(comparison) {
			break
		}
	}
	return -1
}

// nearestLeft returns the value nearest before token from, not before token stop.
func (s *sentence) nearestLeft(from, stop int) side {
	for i := from - 1; i >= stop && i >= 0; i-- {
		if q := sideOf(s.tokens[i]); q != nothing {
			return q
		}
	}
	return nothing
}

// nearestRight returns the value that follows token to in its clause, and its index. It does not look past another comparison.
func (s *sentence) nearestRight(to int) (side, int) {
	for i := to + 1; i < len(s.tokens) && s.tokens[i].comma == s.tokens[to].comma && !s.tokens[i].has(comparison); i++ {
		if q := sideOf(s.tokens[i]); q != nothing {
			return q, i
		}
	}
	return nothing, len(s.tokens)
}
