package runbook

// scene is what the relations of a sentence make of its events.
type scene struct {
	right      bool // the right relation is stated
	rightAt    int
	supposedAt int  // token where the right relation is a condition, or -1
	brokenAt   int  // token from which on the wrong relation is supposed, or -1
	otherwise  int  // token that refers to the opposite of what was said, or -1
	forbidden  bool // the right relation is stated by forbidding the wrong one
}

func (r *reasoning) scene(i int, relations []relation, events []event) scene {
	s := &r.doc.sentences[i]
	sc := scene{supposedAt: -1, brokenAt: -1, otherwise: -1, rightAt: -1}
	for _, rel := range relations {
		switch {
		case rel.right() && rel.condition:
			sc.supposedAt = rel.from
		case rel.right():
			sc.right, sc.rightAt = true, rel.from
			sc.forbidden = sc.forbidden || rel.denied
		case rel.denied && rel.is == less|more:
			sc.forbidden = true // they must not be equal
		case rel.broken():
			r.broken(i, rel, events, &sc)
		}
	}
	if at := s.first(otherwise); at >= 0 && r.antecedent(i, at, sc) {
		sc.otherwise = at
	}
	if sc.right {
		if s.has(why) {
			r.asked = append(r.asked, i)
		} else {
			r.relations = append(r.relations, i)
		}
	}
	return sc
}

// broken decides about the wrong relation in sentence i: it is supposed, forbidden or stated.
func (r *reasoning) broken(i int, rel relation, events []event, sc *scene) {
	s := &r.doc.sentences[i]
	suppose := func() {
		if sc.brokenAt < 0 {
			sc.brokenAt = rel.from
		}
	}
	switch {
	case rel.condition:
		if s.has(fine) && !s.has(wrong|no|notAfter|must) && !s.consequence(rel, events) {
			r.reversed = append(r.reversed, i)
		}
		suppose()
	case rel.denied && s.forbids(rel):
		r.reversed = append(r.reversed, i)
	case s.imperative() && s.consequence(rel, events):
		suppose()
	case s.has(wrong) && (!rel.must || s.first(wrong) < rel.from), s.prevented(rel.from, rel.to):
		sc.right, sc.rightAt = true, rel.from
		sc.forbidden = true
		suppose()
	case rel.must || s.has(fine):
		r.reversed = append(r.reversed, i)
	case s.has(would) || s.consequence(rel, events) || s.has(otherwise) && s.first(otherwise) <= rel.from:
		suppose()
	case s.intro && s.kind != row || rel.weak && r.followedByHarm(i):
		suppose()
	default:
		r.reversed = append(r.reversed, i)
	}
}

// imperative reports whether a sentence begins with an order and goes on with "and": make it longer, and ...
func (s *sentence) imperative() bool {
	return len(s.tokens) > 0 && s.tokens[0].has(must) && s.tokens[0].lang == english && s.has(and) && !s.has(purpose|because)
}

// consequence reports whether harm follows a relation in its sentence.
func (s *sentence) consequence(rel relation, events []event) bool {
	for _, e := range events {
		if !e.good && e.at > rel.to && !s.aim(rel.to, e.at) {
			return true
		}
	}
	return false
}

// aim reports whether a word for an aim stands between two tokens, or ends the clause of the second.
func (s *sentence) aim(from, to int) bool {
	for i := from; i < len(s.tokens); i++ {
		t := s.tokens[i]
		if i > to && (t.seg != s.tokens[to].seg || t.lang == english || t.lang == chinese) {
			break
		}
		if t.has(purpose) {
			return true
		}
	}
	return false
}

// followedByHarm reports whether the next sentence tells of harm.
func (r *reasoning) followedByHarm(i int) bool {
	if i+1 >= len(r.doc.sentences) || r.doc.sentences[i+1].group != r.doc.sentences[i].group {
		return false
	}
	next := &r.doc.sentences[i+1]
	for _, e := range next.events() {
		if !e.good {
			return true
		}
	}
	return next.has(wrong)
}

// antecedent reports whether what "otherwise" at token at refers to is the relation, or that the leader gives up first.
func (r *reasoning) antecedent(i, at int, sc scene) bool {
	s := &r.doc.sentences[i]
	if sc.right || sc.supposedAt >= 0 {
		return true
	}
	leading := false
	for j := 0; j < at; j++ {
		t := s.tokens[j]
		if t.has(retry|skew|api|clock|count|network|starved) && !t.has(deadline) {
			return false
		}
		if t.has(deadline|giveUp) || t.has(comparison) {
			leading = true
		}
	}
	if leading {
		return true
	}
	differs := i > 0 && r.doc.sentences[i-1].namesBoth()
	return at <= 3 && i-r.setup == 1 && s.tokens[0].has(link) || at <= 1 && (r.near(i) || differs || len(r.answers) > 0 && i-r.answers[len(r.answers)-1] <= 1)
}

// near reports whether the sentences before sentence i are about the right relation.
func (r *reasoning) near(i int) bool {
	return r.normal >= 0 && (i-r.normal <= 2 || r.normalTopic && i-r.normal <= 4)
}
