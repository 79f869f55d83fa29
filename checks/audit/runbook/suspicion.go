package runbook

import "strings"

// suspecting is what has been gathered about the second question, as indexes of sentences.
type suspecting struct {
	doc *document

	answers, vague []int
	alone, denied  []int
	topics, asked  []int
	lists          []int
	named          concept // causes that were named
	ruledOut       concept // causes that were denied
}

const (
	ofClock  = clock | skew
	ofServer = api | slow
	minor    = restart | starved
	cause    = skew | clock | api | slow | network | minor
)

// suspicion decides whether the text says what to suspect when the transition count keeps growing.
func (d *document) suspicion() Ruling {
	q := &suspecting{doc: d}
	for i := range d.sentences {
		s := &d.sentences[i]
		if s.list {
			if s.has(cause) {
				q.lists = append(q.lists, i)
			}
			continue
		}
		if s.topicOfGrowth() || q.growsOn(i) {
			q.topic(i)
		}
	}
	return q.ruling()
}

// topicOfGrowth reports whether a sentence speaks of a growing number of transitions.
func (s *sentence) topicOfGrowth() bool {
	switch {
	case s.has(count) && s.has(grow|churn):
		return true
	case s.has(count):
		return s.has(suspect|why) || s.intro && s.kind != plain
	}
	return s.has(churn) && (s.has(suspect|because|cond|condAfter|why) || s.intro || s.question)
}

// topic takes the causes that sentence i gives for growing transitions, and those of the sentences that go on from it.
func (q *suspecting) topic(i int) {
	s := &q.doc.sentences[i]
	q.topics = append(q.topics, i)
	asks := s.question && !s.announced()
	if asks {
		q.asked = append(q.asked, i)
	}
	found, denied := s.causes(true)
	if asks {
		found = 0
	}
	if s.effects() {
		found = 0
	}
	if found == 0 && denied == 0 && q.sumsUp(i) {
		q.take(i-1, q.foundBefore(i), true)
	}
	if q.doc.refuted(i) {
		found, denied = 0, found
	}
	q.ruledOut |= denied
	if denied != 0 {
		q.denied = append(q.denied, i)
	}
	q.take(i, found, false)
	if sufficient(found) {
		return
	}
	q.follow(i)
}

// announced reports whether a question is one of a list of things to look at: "Check: are the clocks in step?"
func (s *sentence) announced() bool {
	colon := strings.IndexAny(s.folded, ":→⇒")
	if colon < 0 && s.lang() == english {
		colon = strings.IndexAny(s.folded, ">") // of an arrow
	}
	at := s.first(suspect)
	if s.kind == item || s.lang() == english && s.has(count) {
		at = s.first(suspect | grow) // of a checklist: "transitions grow: are the clocks in step?"
	}
	return colon >= 0 && at >= 0 && s.tokens[at].start < colon && s.last(cause) >= 0 && s.tokens[s.last(cause)].start > colon && !s.has(why)
}

// sufficient reports whether causes suffice.
func sufficient(found concept) bool { return found&(skew|api|network) != 0 }

func (q *suspecting) take(i int, found concept, vague bool) {
	q.named |= found
	switch {
	case sufficient(found) && vague:
		q.vague = append(q.vague, i)
	case sufficient(found):
		q.answers = append(q.answers, i)
	case found&minor != 0:
		q.alone = append(q.alone, i)
	}
}

// follow looks at the sentences after sentence i: all that it announces, or else the next ones that go on to suspect something.
func (q *suspecting) follow(i int) {
	topic := &q.doc.sentences[i]
	announces := topic.intro || topic.question
	pending := concept(0)
	pendingAt := -1
	for j := i + 1; j < len(q.doc.sentences) && j <= i+16; j++ {
		s := &q.doc.sentences[j]
		if q.leaves(topic, s, i, j) {
			return
		}
		listed := announces && (s.kind == item || topic.kind == heading || j == i+1 || s.unit == topic.unit)
		if !listed && j > i+3 && s.kind != item {
			return
		}
		goesOn := s.has(suspect|because) || listed
		found, denied := s.causes(listed || s.has(suspect))
		q.ruledOut |= denied
		if denied != 0 {
			q.denied = append(q.denied, j)
		}
		if s.question && (!listed || j != i+1 || !topic.announced()) {
			pending, pendingAt = pending|found, j
			continue
		}
		if pending != 0 && s.has(suspect) && s.has(link|pair) {
			q.take(pendingAt, pending, true)
		}
		if s.effects() || !goesOn {
			continue
		}
		q.take(j, found, j > i+1 && !listed)
	}
}

// leaves reports whether sentence j is about something other than the topic at sentence i.
func (q *suspecting) leaves(topic, s *sentence, i, j int) bool {
	if s.group != topic.group && (s.kind == heading || !topic.intro && !topic.question || j > i+1 && s.kind != item && topic.kind != heading) {
		return true
	}
	if s.topicOfGrowth() && !s.question {
		return true
	}
	if s.has(deadline|duration) && s.has(comparison|deadline) && !s.has(cause) {
		return true
	}
	if s.kind == item && topic.kind == item && s.unit != topic.unit && s.indent <= topic.indent && (!s.has(suspect) || topic.checkpoint()) {
		return true
	}
	return s.intro && s.unit != topic.unit && !s.has(cause|suspect)
}

// bare reports whether a sentence is little more than a cause: "Clock skew, most of the time."
func (s *sentence) bare() bool {
	return !runewidthOver(s.folded, 70) && !s.has(deadline|duration|count)
}

// effects reports whether a sentence calls what it names an effect of growing transitions.
func (s *sentence) effects() bool {
	at := s.first(effect)
	if at < 0 || s.has(suspect) {
		return false
	}
	topic := s.first(count)
	if topic < 0 {
		topic = s.first(churn | link)
	}
	return topic < at && at < s.last(skew|clock|api|network)
}

// causes returns the causes that a sentence names and those that it denies. listed says that the sentence is one of suspects, so
// that a bare word for the clocks or the API server is meant as one.
func (s *sentence) causes(listed bool) (found, denied concept) {
	listed = listed && (s.has(suspect|because) || s.endsWithCause() || s.onlyCauses() || s.pointsAtCauses() || s.kind == item || s.kind == row || s.bare())
	for i := range s.tokens {
		c := s.causeAt(i, listed)
		if c == 0 {
			continue
		}
		if s.ruledOut(i) {
			denied |= c
		} else {
			found |= c
		}
	}
	return found, denied
}

// causeAt returns which cause token i names.
func (s *sentence) causeAt(i int, listed bool) concept {
	t := s.tokens[i]
	switch {
	case t.has(skew):
		return skew
	case t.has(clock) && (listed || s.beside(i, slow)):
		return skew
	case t.has(api) && (listed || s.beside(i, slow)):
		return api
	case t.has(network) && s.blames(i):
		return network
	}
	return t.is & minor
}

// beside reports whether the clause of token i, or the next, has a token of a concept.
func (s *sentence) beside(i int, c concept) bool {
	for _, t := range s.tokens {
		if t.has(c) && t.comma == s.tokens[i].comma {
			return true
		}
	}
	return false
}

// ruledOut reports whether the cause at token i is denied: by a word before it in its clause, or by one after it.
func (s *sentence) ruledOut(i int) bool {
	t := s.tokens[i]
	for j := i - 1; j >= 0; j-- {
		u := s.tokens[j]
		if u.comma != t.comma || u.has(and) && j > 0 && !s.tokens[j-1].has(cause) || u.has(suspect) && !u.has(deny) && !s.deniedBefore(j) {
			break
		}
		if u.has(deny) || u.has(no) && s.nextIsCause(j) {
			return true
		}
	}
	for j := i + 1; j < len(s.tokens); j++ {
		u := s.tokens[j]
		if u.has(denyAfter) && (!u.has(fine) || !s.asksWhether(i)) {
			return true
		}
		if u.has(cond|condAfter) || u.has(suspect) && j+1 < len(s.tokens) && !s.tokens[j+1].has(denyAfter|notAfter) {
			break
		}
	}
	return false
}

func (s *sentence) deniedBefore(j int) bool {
	return j > 0 && s.tokens[j-1].has(deny|no) && s.tokens[j-1].seg == s.tokens[j].seg
}

// nextIsCause reports whether a denial at token j is of a cause.
func (s *sentence) nextIsCause(j int) bool {
	return j+1 < len(s.tokens) && s.tokens[j+1].has(cause|suspect) && s.tokens[j+1].comma == s.tokens[j].comma
}

// ruling sums up.
func (q *suspecting) ruling() Ruling {
	answers := append(append([]int{}, q.answers...), q.vague...)
	left := q.named &^ q.ruledOut
	switch {
	case len(answers) > 0 && sufficient(left):
		ruling := q.doc.rule(Stated, answers)
		ruling.Weak = ruling.Weak || len(q.answers) == 0
		return ruling
	case len(answers) > 0:
		return q.doc.rule(Contradicted, append(answers, q.denied...))
	case len(q.denied) > 0:
		return q.doc.rule(Denied, q.denied)
	case len(q.alone) > 0:
		return q.doc.rule(CauseAlone, q.alone)
	case len(q.topics) > 0 && len(q.asked) == len(q.topics):
		return q.doc.rule(TaskCopied, q.asked)
	case len(q.topics) > 0:
		return q.doc.rule(SymptomOnly, q.topics)
	case len(q.lists) > 0:
		return q.doc.rule(ListOnly, q.lists)
	}
	return Ruling{Outcome: Missing}
}
