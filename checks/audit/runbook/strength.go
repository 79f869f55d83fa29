package runbook

import (
	"regexp"
	"strings"
)

// derived notes that sentence i answers by going on from sentence from. That is weak unless it follows directly in the same
// paragraph, or is an item of what that sentence heads.
func (r *reasoning) derived(i, from int) {
	if from >= 0 && r.doc.adjoins(i, from) {
		r.answers = append(r.answers, i)
		return
	}
	r.vague = append(r.vague, i)
}

// adjoins reports whether sentence i stands right after sentence from in its paragraph, or is one of the items under it.
func (d *document) adjoins(i, from int) bool {
	s, head := &d.sentences[i], &d.sentences[from]
	if s.group != head.group {
		return false
	}
	return i-from <= 1 || s.kind == item && head.kind != item && (head.intro || head.kind == heading)
}

var (
	// growthLine begins a line about the second question.
	growthLine = regexp.MustCompile(`(?i)^((if|when|whenever|should|once|what if|why do)\s)?((the|a|growing|rising|increasing|high|many|more)\s)*((count|number) of\s)?(lease)?[ _-]?trans[ia-z]*t?ions?\b`)
	// hanging ends a line whose sentence must go on.
	hanging = regexp.MustCompile(`(?i)(^|\s)(the|a|an|of|if|when|its|their|lease|many|more|growing|rising|increasing|with|by|that|in|for|to|and|or|count|number)$`)
)

// turns reports whether a line turns to the second question and begins a sentence of its own, though the line before has no full stop.
func turns(before, next string) bool {
	return turnsKorean(before, next) || growthLine.MatchString(next) && !hanging.MatchString(strings.TrimSpace(before))
}

// mainClause reports whether the actor at token j begins what follows from the English condition at token i, no comma standing
// between: "once renewals fail it stops".
func (s *sentence) mainClause(i, j int) bool {
	if s.tokens[i].lang != english || !s.tokens[j].has(giveUp) || !s.tokens[j-1].has(link|old|value|must) || j-1 <= i {
		return false
	}
	failed := false
	for k := i + 1; k < j-1; k++ {
		t := s.tokens[k]
		if t.seg != s.tokens[j].seg || t.has(link) && s.folded[t.start:t.end] != "it" {
			return false
		}
		failed = failed || t.has(renew|slow|network|api|loss)
	}
	return failed
}

// numbered reads who goes first from the times of two neighbouring sentences: how long the leader tries, and how long the others
// wait. order is positive if the leader gives up first, negative if not, and 0 if they do not say.
func (r *reasoning) numbered(i int) (order int) {
	if i == 0 || r.doc.sentences[i].lang() != english {
		return 0
	}
	a, b := &r.doc.sentences[i-1], &r.doc.sentences[i]
	if a.group != b.group || a.question || b.question || a.has(count) || b.has(count) {
		return 0
	}
	return max(waitsLonger(a, b), waitsLonger(b, a)) + min(waitsLonger(a, b), waitsLonger(b, a))
}

// waitsLonger compares the one time of a sentence in which the leader gives up with the one time of a sentence about the others.
func waitsLonger(one, others *sentence) int {
	at, waiter := one.first(giveUp), others.first(other)
	if at < 0 || waiter < 0 || one.has(expire|other|deadline|duration) || others.has(giveUp|old|deadline|duration) || one.tokens[at].negated {
		return 0
	}
	leaving, waiting := one.onlyNumber(), others.onlyNumber()
	switch {
	case leaving == 0 || waiting == 0:
		return 0
	case leaving < waiting:
		return 1
	}
	return -1
}

// onlyNumber returns the only time that a sentence gives, or 0.
func (s *sentence) onlyNumber() int {
	number := 0
	for _, t := range s.tokens {
		if !t.has(value) || t.number <= 5 || t.condition {
			continue
		}
		if number != 0 {
			return 0
		}
		number = t.number
	}
	return number
}

// lang returns the language of a sentence's words.
func (s *sentence) lang() language {
	for _, t := range s.tokens {
		if t.lang != english && t.lang != "" {
			return t.lang
		}
	}
	return english
}

// thens reads "it stops, then the lease expires": two events with a word for their succession between them, nothing being supposed.
func (s *sentence) thens(add func(at, earlier, later int, firm bool)) {
	if s.lang() != english || s.has(cond|condAfter) {
		return
	}
	for i, t := range s.tokens {
		text := s.folded[t.start:t.end]
		if text != "then" && text != "and then" {
			continue
		}
		e, l := -1, s.eventRight(i)
		for j := i - 1; j >= 0 && e < 0; j-- {
			if k := turnOf(s.tokens[j]); k == leaves || k == succeeds {
				e = j
			}
		}
		if e >= 0 && l >= 0 && !s.tokens[e].negated && !s.tokens[l].negated {
			add(i, e, l, true)
		}
	}
}

// guarded reports whether the word for still at token i is said of a leader, and that nobody else leads then.
func (s *sentence) guarded(i int) bool {
	leading, barred := false, false
	for _, t := range s.tokens {
		near := t.seg == s.tokens[i].seg && abs(t.start-s.tokens[i].start) <= 60
		leading = leading || near && t.has(lead|old) && !t.negated
		barred = barred || t.has(take) && t.negated && t.seg != s.tokens[i].seg
		if t.has(take|expire) && !t.negated || t.has(valid) {
			return false
		}
	}
	return leading && barred && s.tokens[i].lang == english && !s.tokens[i].negated
}

// asksWhether reports whether what is said of the cause at token i is to be found out: "check whether the clocks are fine".
func (s *sentence) asksWhether(i int) bool {
	for _, t := range s.tokens[:i] {
		if t.has(suspect) && !t.has(deny) {
			return true
		}
	}
	return false
}

// leadsToo reports whether token j has another lead, in a clause other than clause seg: "while the new one reconciles too".
func (s *sentence) leadsToo(j, seg int) bool {
	t := s.tokens[j]
	return t.lang == english && j > 0 && t.has(lead) && t.seg != seg && !t.negated && !t.condition &&
		s.tokens[j-1].has(other) && s.tokens[j-1].seg == t.seg && !s.tokens[j-1].has(no)
}

// cannot reports whether the entry at token i goes on with a denial, as "both managers can" does in "can't".
func (s *sentence) cannot(i int) bool {
	rest := s.folded[s.tokens[i].end:]
	return s.tokens[i].lang == english && strings.HasPrefix(rest, "'t")
}

// ofValues reports whether a word for equal names what is equal: "with equal values".
func (s *sentence) ofValues(t token) bool {
	text := s.folded[t.start:t.end]
	return t.lang == english && (strings.HasSuffix(text, "values") || strings.HasSuffix(text, "numbers") || strings.HasSuffix(text, "for both") || strings.HasSuffix(text, "settings"))
}

// betweens reads "between the moment it gives up and the moment another takes over".
func (s *sentence) betweens(add func(at, earlier, later int, firm bool)) {
	at := strings.Index(s.folded, "between")
	if at < 0 || s.lang() != english || s.has(cond|would) {
		return
	}
	for i, t := range s.tokens {
		if t.start < at && t.has(prevent|no) {
			return // "no gap between"
		}
		if k := turnOf(t); t.start < at || k != leaves && k != succeeds {
			continue
		}
		if l := s.eventRight(i); l >= 0 && s.tokens[l].seg == t.seg+1 && !t.negated && !s.tokens[l].negated {
			add(i, i, l, true)
		}
		return
	}
}

// bringsAbout reports whether a sentence says the right relation and then an event, with no word that makes the event what the
// relation is there against: "shorter = danger of two leaders".
func (s *sentence) bringsAbout(sc scene, e event) bool {
	return s.lang() == english && sc.right && !sc.forbidden && sc.rightAt < e.at && !s.has(because|purpose|otherwise|prevent|wrong)
}

// laterOn reads two sentences, the second of which tells what comes after the first: "It stops. Only later may another take over."
// order is as in numbered.
func (r *reasoning) laterOn(i int) (order int) {
	if i == 0 || r.doc.sentences[i].lang() != english {
		return 0
	}
	before, s := &r.doc.sentences[i-1], &r.doc.sentences[i]
	if before.group != s.group || before.question || before.has(count|other) || s.has(count|cond) || len(s.orders())+len(before.orders()) > 0 {
		return 0
	}
	at := s.first(later)
	if at < 0 || s.tokens[at].has(first|already|loss) {
		return 0
	}
	one, next := before.eventOf(len(before.tokens)-1), s.eventOf(at)
	if one < 0 || next < 0 || before.tokens[one].negated || before.tokens[one].condition || s.tokens[next].negated {
		return 0
	}
	switch first, second := turnOf(before.tokens[one]), turnOf(s.tokens[next]); {
	case first == leaves && second == succeeds:
		return 1
	case first == succeeds && second == leaves:
		return -1
	}
	return 0
}
