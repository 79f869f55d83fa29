package runbook

// order is a set of the ways that the renew deadline may compare with the lease duration.
type order uint8

const (
	less order = 1 << iota
	same
	more
)

func (o order) turned() order {
	turned := o & same
	if o&less != 0 {
		turned |= more
	}
	if o&more != 0 {
		turned |= less
	}
	return turned
}

// relation is a comparison of the two values in a sentence, from token from to token to.
type relation struct {
	from, to  int
	is        order
	denied    bool // it was stated by denying another
	condition bool
	must      bool
	weak      bool // what is compared was taken from an earlier sentence

	subject, standard side // as they were named
}

// right reports whether the renew deadline is said to be shorter. "Not longer" is taken for that, "at most" is not: it allows
// that they are equal.
func (r relation) right() bool { return r.is == less || (r.denied && r.is == less|same) }

// broken reports whether the relation lets the deadline be as long as the lease or longer.
func (r relation) broken() bool { return !r.right() && r.is&(same|more) != 0 && r.is != less|more }

// side is what a comparison compares.
type side concept

const (
	nothing  side = 0
	ofLeader      = side(deadline)
	ofLease       = side(duration)
	ofRetry       = side(retry)
	unknown  side = side(value)
)

// sideOf says which of the values a token is, the defaults standing for their names.
func sideOf(t token) side {
	switch {
	case t.has(deadline):
		return ofLeader
	case t.has(duration | lease):
		return ofLease
	case t.has(retry):
		return ofRetry
	case t.has(value):
		switch t.number {
		case 10:
			return ofLeader
		case 15:
			return ofLease
		case 2:
			return ofRetry
		}
		return unknown
	}
	return nothing
}

// relations finds the comparisons of a sentence. earlier is the last one of the sentences before, to which "it" may refer.
func (s *sentence) relations(earlier *relation) []relation {
	var found []relation
	for i := 0; i < len(s.tokens); i++ {
		if !s.tokens[i].has(comparison) {
			continue
		}
		r := relation{from: i, to: i, condition: s.tokens[i].condition}
		is := orderOf(s.tokens[i])
		for j := i + 1; j < len(s.tokens) && s.tokens[j].has(comparison|no|than) && s.tokens[j].start-s.tokens[r.to].end <= 24; j++ {
			if s.tokens[j].has(comparison) {
				is |= orderOf(s.tokens[j])
				r.to = j
			}
		}
		if s.ordersEvents(i) {
			continue
		}
		subject, standard := s.sides(i, r.to)
		if last := len(found) - 1; last >= 0 && s.elliptic(found[last].to, i, r.to) {
			subject, standard = s.inherited(found[last])
		}
		if a, b, ok := s.byPlace(r.from); ok {
			subject, standard = a, b
		}
		i = r.to
		switch {
		case subject == ofLeader && standard == ofLease:
		case subject == ofLease && standard == ofLeader:
			is = is.turned()
		case subject == nothing && standard == nothing && earlier != nil && s.refers(i):
			r.weak = true
		default:
			continue
		}
		r.denied = s.denied(r)
		if r.denied {
			is = (less | same | more) &^ is
		}
		r.is = is
		r.subject, r.standard = subject, standard
		r.must = s.obliged(r)
		found = append(found, r)
	}
	if len(found) == 0 {
		found = s.assigned()
	}
	if len(found) == 0 {
		found = s.raised()
	}
	return found
}

// raised takes a number above the lease's default (or that number for both), in a condition that names no other value, for a deadline that is too long: "with 20".
func (s *sentence) raised() []relation {
	for i, t := range s.tokens {
		if t.condition && t.has(equal) && s.ofValues(t) {
			return []relation{{from: i, to: i, is: same, condition: true, weak: true}}
		}
		if !t.has(value) || t.number < 15 || t.number == 15 && !s.has(pair|equal) && (i == 0 || !s.tokens[i-1].has(deadline)) || t.number > 600 || !t.condition && !s.question {
			continue
		}
		for _, u := range s.tokens {
			if u.seg == t.seg && u.has(duration|lease|retry|expire) {
				return nil
			}
		}
		return []relation{{from: i, to: i, is: more, condition: true, weak: true}}
	}
	return nil
}

// refers reports whether a comparison without names, at token i, may be one of values named before.
func (s *sentence) refers(i int) bool {
	return (s.tokens[i].condition || s.has(link)) && !s.has(count|clock|skew|api|network|churn)
}

func orderOf(t token) order {
	switch {
	case t.has(below | shorter):
		return less
	case t.has(above | longer):
		return more
	case t.has(atMost):
		return less | same
	case t.has(atLeast):
		return more | same
	}
	return same
}

// denied reports whether the comparison is denied or forbidden.
func (s *sentence) denied(r relation) bool {
	denied := false
	for i := r.from; i <= r.to; i++ {
		if s.tokens[i].has(comparison) && s.tokens[i].negated {
			denied = !denied
		}
	}
	return denied
}

// obliged reports whether the clause of a comparison demands it.
func (s *sentence) obliged(r relation) bool {
	for i := range s.tokens {
		t := s.tokens[i]
		if t.has(must) && t.comma == s.tokens[r.from].comma && !t.condition {
			return true
		}
	}
	return false
}

// assigned takes two values that are given in one sentence for a comparison: "deadline 20 s, lease 15 s".
func (s *sentence) assigned() []relation {
	values := map[side]int{}
	at := -1
	for i, t := range s.tokens {
		if !t.has(value) || t.number == 0 || i == 0 {
			continue
		}
		of := i - 1
		if of > 0 && s.tokens[of].has(must|lead) && !s.tokens[of].has(quantity) {
			of-- // "is set to"
		}
		name := sideOf(s.tokens[of])
		if !s.tokens[of].has(deadline|duration|lease) || t.start-s.tokens[of].end > 24 {
			continue
		}
		if _, twice := values[name]; twice {
			return nil
		}
		values[name] = t.number
		at = i
	}
	if len(values) < 2 || values[ofLeader] == 0 || values[ofLease] == 0 {
		return nil
	}
	r := relation{from: at, to: at, is: same, condition: s.tokens[at].condition, weak: true}
	switch {
	case values[ofLeader] < values[ofLease]:
		return nil // says no more than what the values are
	case values[ofLeader] > values[ofLease]:
		r.is = more
	}
	return []relation{r}
}
