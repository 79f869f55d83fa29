package runbook

import "sort"

// reasoning is what has been gathered about the first question, as indexes of sentences.
type reasoning struct {
	doc *document

	answers, vague     []int // vague: answers that were put together
	pairs              []int // answers that two neighbouring sentences give together
	reversed, misled   []int // the relation is wrong, the order of events is wrong
	relations, asked   []int // the right relation is said; or only asked about
	causes, lists      []int
	lastRelation       *relation
	lastRelationAt     int
	normal, violated   int // the sentence that the next ones go on from, or -1
	forbidden          int // the sentence that forbids the wrong relation
	setup              int // the sentence that has the leader give up at its deadline
	normalTopic, moots bool
}

// reason decides whether the text says why the renew deadline must be shorter.
func (d *document) reason() Ruling {
	r := &reasoning{doc: d, normal: -1, violated: -1, setup: -9, forbidden: -9, lastRelationAt: -1}
	group := -1
	for i := range d.sentences {
		s := &d.sentences[i]
		if s.group != group {
			group = s.group
			if r.normal >= 0 && !r.leads(r.normal, i) {
				r.normal, r.normalTopic = -1, false
			}
			if r.violated >= 0 && !r.leads(r.violated, i) {
				r.violated = -1
			}
		}
		if s.list {
			if s.has(comparison|twoLeaders|deadline|lease) && s.has(twoLeaders|giveUp|expire|comparison) {
				r.lists = append(r.lists, i)
			}
			continue
		}
		r.sentence(i)
	}
	return r.ruling()
}

// leads reports whether sentence i announces sentence j, across a blank line.
func (r *reasoning) leads(i, j int) bool {
	s := &r.doc.sentences[i]
	return j == i+1 && (s.question || s.intro) && r.doc.sentences[j].kind != heading
}

func (r *reasoning) sentence(i int) {
	s := &r.doc.sentences[i]
	var earlier *relation
	if r.lastRelation != nil && i-r.lastRelationAt <= 3 {
		earlier = r.lastRelation
	}
	if i > 0 && r.doc.sentences[i-1].group == s.group {
		if named, both := firstNamed(r.doc.sentences[i-1].tokens); both {
			s.former = named
		}
	}
	r.retract(i)
	relations := s.relations(earlier)
	events := s.events()
	if s.question {
		r.asks(i, relations)
		return
	}
	if s.has(giveUp) && !s.byOther(s.first(giveUp)) && (s.has(deadline) || s.mentions(10)) {
		r.setup = i
	}
	scene := r.scene(i, relations, events)
	if s.has(moot) {
		events = nil
		r.moots = true
	}
	if s.aboutGrowth() && len(relations) == 0 {
		events = nil
	}
	if s.wouldHarm(events) && r.aboutLeader(i) {
		r.answers = append(r.answers, i)
		events = nil
	}
	for _, e := range events {
		r.event(i, scene, e)
	}
	if r.beforeThat(i) && r.aboutLeader(i) {
		r.vague = append(r.vague, i-1, i)
	}
	if r.inThisOrder(i, scene) {
		r.answers = append(r.answers, i)
	}
	if r.averts(i, scene) {
		r.forgive(i - 1)
		r.answers = append(r.answers, i-1, i)
	}
	if len(events) == 0 && i > 0 && r.goesOn(&r.doc.sentences[i-1], s) && r.aboutLeader(i) {
		r.pairs = append(r.pairs, i-1, i)
	}
	if r.apart(i) && r.aboutLeader(i) || scene.right && r.aimedAt(i) {
		r.pairs = append(r.pairs, i-1, i)
	}
	order := r.numbered(i)
	if order == 0 && r.aboutLeader(i) {
		order = r.laterOn(i)
	}
	switch {
	case order > 0:
		r.pairs = append(r.pairs, i-1, i)
	case order < 0:
		r.misled = append(r.misled, i-1, i)
	}
	if s.has(because|purpose) && (scene.right && !s.has(why) || !scene.right && r.near(i)) {
		r.causes = append(r.causes, i)
	}
	r.carry(i, scene, relations, events)
}

// asks notes a question about the relation; the sentences that follow it are its answer.
func (r *reasoning) asks(i int, relations []relation) {
	if s := &r.doc.sentences[i]; len(relations) == 0 && s.has(why) && s.has(no) && s.namesBoth() {
		r.violated, r.normal = i, -1 // "why not 15 instead of 10?"
	}
	s := &r.doc.sentences[i]
	for _, rel := range relations {
		rel := rel
		switch {
		case rel.broken() && rel.must && !rel.denied:
			r.reversed = append(r.reversed, i)
		case rel.broken(), rel.denied && rel.is == less|more:
			r.violated, r.normal = i, -1
		case rel.right() && rel.condition && !s.has(why) && s.lang() == english:
			r.asked, r.normal = append(r.asked, i), -1 // "what if it were shorter?" is not the question
		case rel.right():
			r.asked = append(r.asked, i)
			r.normal, r.normalTopic, r.violated = i, true, -1
		}
		r.lastRelation, r.lastRelationAt = &rel, i
	}
}

// carry notes what the next sentences may go on from.
func (r *reasoning) carry(i int, sc scene, relations []relation, events []event) {
	s := &r.doc.sentences[i]
	for _, rel := range relations {
		if rel.right() || rel.broken() {
			rel := rel
			r.lastRelation, r.lastRelationAt = &rel, i
		}
	}
	if len(relations) == 0 && s.has(deadline) && s.has(duration) && s.lang() == english {
		r.lastRelation, r.lastRelationAt = &relation{is: less}, i // "it" may then be the deadline
	}
	if sc.forbidden {
		r.forbidden = i
	}
	switch {
	case sc.right:
		r.normal, r.normalTopic, r.violated = i, s.intro || s.has(why), -1
	case sc.brokenAt >= 0 && len(events) == 0:
		r.violated = i
	case s.intro && len(s.tokens) > 0 && len(relations) == 0 && !s.has(why):
		r.normalTopic = false
	}
}

// ruling sums up. The wrong statement outweighs the right one.
func (r *reasoning) ruling() Ruling {
	if len(r.answers) == 0 {
		r.answers = r.pairs // what one sentence answers needs no others
	}
	answers := append(append([]int{}, r.answers...), r.vague...)
	bad := append(append([]int{}, r.reversed...), r.misled...)
	switch {
	case len(bad) > 0 && len(answers)+len(r.relations) > 0 && (len(r.reversed) > 0 || len(answers) > 0):
		return r.rule(Contradicted, append(bad, append(answers, r.relations...)...))
	case len(r.reversed) > 0:
		return r.rule(Reversed, bad)
	case len(bad) > 0:
		return r.rule(WrongReason, append(bad, r.relations...))
	case len(answers) > 0:
		ruling := r.rule(Stated, answers)
		ruling.Weak = len(r.answers) == 0 || r.doc.cut || r.moots
		return ruling
	case len(r.relations) > 0 && len(r.causes) > 0:
		return r.rule(WrongReason, r.causes)
	case len(r.relations) > 0:
		return r.rule(RelationOnly, r.relations)
	case len(r.asked) > 0 && len(r.causes) > 0:
		return r.rule(WrongReason, r.causes)
	case len(r.asked) > 0:
		return r.rule(TaskCopied, r.asked)
	case len(r.lists) > 0:
		return r.rule(ListOnly, r.lists)
	}
	return Ruling{Outcome: Missing}
}

func (r *reasoning) rule(o Outcome, at []int) Ruling { return r.doc.rule(o, at) }

// maxSentences is how many sentences a ruling shows.
const maxSentences = 6

// rule returns a ruling that rests on some sentences, in the order of the text. It is weak if a sentence was too long to be looked at
// as a whole: a piece of it may contradict what was seen.
func (d *document) rule(o Outcome, at []int) Ruling {
	sort.Ints(at)
	ruling := Ruling{Outcome: o, Weak: d.cut}
	last := -1
	for _, i := range at {
		if i != last && len(ruling.Sentences) < maxSentences {
			ruling.Sentences = append(ruling.Sentences, d.sentences[i].Sentence)
		}
		last = i
	}
	return ruling
}
