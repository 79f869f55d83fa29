package runbook

// aboutGrowth reports whether a sentence is about what the second question asks, not about the values.
func (s *sentence) aboutGrowth() bool {
	timed := s.has(clock) && (!s.has(giveUp) || !s.has(loss))
	return (timed || s.has(count|churn|skew)) && !s.has(deadline|duration)
}

// wouldHarm reports whether it is harm that follows if the leader does not give up first.
func (s *sentence) wouldHarm(events []event) bool {
	supposed, harm := s.lingers() || s.unlessBefore(), false
	for _, e := range events {
		if e.ordered && e.condition && !e.good {
			supposed = true
		}
		if !e.ordered && !e.condition && !e.good {
			harm = true
		}
	}
	return supposed && harm
}

// goesOn reads an order of events from two sentences: the leader gives up; its lease is still valid then.
func (r *reasoning) goesOn(before, s *sentence) bool {
	if before.group != s.group || before.question || s.question || s.has(giveUp|count) || before.has(count) {
		return false
	}
	at := before.first(giveUp)
	if at < 0 || before.tokens[at].negated || before.tokens[at].condition || before.byOther(at) || before.losesLease() {
		return false
	}
	for _, t := range s.tokens {
		if t.has(valid) && !t.negated && !t.condition || t.has(loss) && t.negated && !t.condition {
			return true
		}
	}
	return false
}

// event decides what an event of sentence i is worth.
func (r *reasoning) event(i int, sc scene, e event) {
	s := &r.doc.sentences[i]
	switch {
	case e.ordered && !e.good && s.prevented(e.at, e.at):
		e.good = true
	case e.ordered && e.good && (s.foiled(e.at) || s.avertsOrder(e.at)):
		e.good = false
	}
	violated := s.governs(sc.brokenAt, e.at)
	turned := s.governs(sc.otherwise, e.at) && (sc.supposedAt < sc.otherwise || s.lang() != english)
	supposed := s.governs(sc.supposedAt, e.at)
	carried := !violated && !turned && !sc.right && sc.supposedAt < 0 && r.violated >= 0 && (i-r.violated <= 2 || r.doc.adjoins(i, r.violated))
	switch {
	case e.condition && !violated && !turned:
		// What is only supposed says nothing, but for what would be if a leader went on.
		if !e.good && !e.ordered && s.has(would) && (sc.right || r.near(i)) {
			r.vague = append(r.vague, i)
		}
	case violated && e.good:
		if !turned && !s.has(must) && !sc.right {
			r.reversed = append(r.reversed, i)
		}
	case violated && s.excused(e.at):
		r.reversed = append(r.reversed, i)
	case violated, turned && !e.good:
		r.answers = append(r.answers, i)
	case turned:
	case carried && !e.good && s.has(fine) && !s.has(wrong|would|no):
		r.reversed = append(r.reversed, i)
	case carried && !e.good:
		r.derived(i, r.violated)
	case carried && !e.ordered:
		r.reversed = append(r.reversed, i)
	case supposed && !e.good:
		r.reversed = append(r.reversed, i)
	case e.good:
		r.good(i, sc, e)
	default:
		r.harm(i, sc, e)
	}
}

// governs reports whether what is supposed at token at is the case at token event: what follows it, or what precedes it if nothing does.
func (s *sentence) governs(at, event int) bool {
	if at < 0 {
		return false
	}
	if event > at {
		return true
	}
	for _, e := range s.events() {
		if e.at > at {
			return false
		}
	}
	return s.tokens[at].comma-s.tokens[event].comma <= 1
}

// good takes an event that the right relation brings about.
func (r *reasoning) good(i int, sc scene, e event) {
	s := &r.doc.sentences[i]
	switch {
	case e.ordered && r.aboutLeader(i):
		r.answers = append(r.answers, i)
	case e.ordered:
	case sc.right || sc.supposedAt >= 0:
		r.answers = append(r.answers, i)
	case r.near(i) && (r.normalTopic || s.has(link|because|purpose|result) || s.opensWithPrevention() || s.kind == item && i-r.normal == 1):
		r.derived(i, r.normal)
	case i-r.setup <= 2 && s.has(loss|duration|lease|valid) && s.has(link|because|purpose|result):
		r.derived(i, r.setup)
	}
}

// opensWithPrevention reports whether a sentence has no subject of its own: "Prevents two leaders."
func (s *sentence) opensWithPrevention() bool {
	return s.has(prevent) && s.tokens[0].start <= 3 && s.tokens[0].has(prevent|twoLeaders|pair|single|old)
}

// harm takes an event that would be harm, in a sentence that does not say when.
func (r *reasoning) harm(i int, sc scene, e event) {
	s := &r.doc.sentences[i]
	related := sc.right || r.near(i)
	switch {
	case s.badExample():
		if related && !e.ordered {
			r.vague = append(r.vague, i)
		}
	case s.allowed(e.at):
		r.misled = append(r.misled, i)
	case i-r.forbidden == 1 && (!s.concludes(e.at) || s.ifSo()):
		r.derived(i, r.forbidden)
	case e.ordered && e.firm && r.aboutLeader(i):
		r.misled = append(r.misled, i)
	case !related:
	case e.ordered:
	case s.aim(0, e.at) || s.concludes(e.at):
		if sc.right {
			r.misled = append(r.misled, i)
		}
	case sc.forbidden && sc.rightAt < e.at:
		r.answers = append(r.answers, i)
	case s.bringsAbout(sc, e):
	case s.supposes(e.at, sc.rightAt):
		r.vague = append(r.vague, i)
	case s.has(would), s.has(wrong) && s.lang() != korean:
		r.vague = append(r.vague, i)
	}
}

// concludes reports whether a word for what follows stands before token at.
func (s *sentence) concludes(at int) bool {
	for _, t := range s.tokens[:at] {
		if t.has(result|purpose) && !t.has(because) || t.has(link) && t.has(because|result) {
			return true
		}
	}
	return false
}

// aboutLeader reports whether sentence i or one near it speaks of renewing or of its deadline.
func (r *reasoning) aboutLeader(i int) bool {
	for j := max(0, i-3); j <= i+r.ahead(i) && j < len(r.doc.sentences); j++ {
		s := &r.doc.sentences[j]
		if s.has(deadline|renew) || s.has(value) && s.mentions(10) || s.has(why) && s.has(shorter) {
			return true
		}
	}
	return false
}

func (s *sentence) mentions(n int) bool {
	for _, t := range s.tokens {
		if t.has(value) && t.number == n {
			return true
		}
	}
	return false
}
