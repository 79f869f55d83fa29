// Package runbook judges what operating rules say about leader election: why the renew deadline must be shorter than the lease
// duration, and what to suspect when the transition count keeps growing.
//
// Its rule: a decision names the sentence it rests on. What counts is what a clause states of the values, who gives up and who
// takes over and in which order, never that words occur; and the wrong statement outweighs the right one.
package runbook

// Outcome is what was found about one of the two questions.
type Outcome string

const (
	// Stated: the text answers the question.
	Stated Outcome = "stated"
	// Missing: no sentence is about the question.
	Missing Outcome = "missing"
	// ListOnly: the words occur, but in a list that states nothing.
	ListOnly Outcome = "list-only"
	// TaskCopied: the question is repeated and not answered.
	TaskCopied Outcome = "task-copied"

	// RelationOnly: that the renew deadline is shorter is said, but not why.
	RelationOnly Outcome = "relation-only"
	// Reversed: the renew deadline is said to be longer, or allowed to be equal.
	Reversed Outcome = "reversed"
	// Contradicted: both the right and a wrong answer are given.
	Contradicted Outcome = "contradicted"
	// WrongReason: a reason is given, and it is not the reason.
	WrongReason Outcome = "wrong-reason"

	// SymptomOnly: growing transitions are explained by what they are, a leader that changes.
	SymptomOnly Outcome = "symptom-only"
	// Denied: causes are named only to be ruled out.
	Denied Outcome = "denied"
	// CauseAlone: only causes are named that do not suffice without clocks, API server or network.
	CauseAlone Outcome = "cause-alone"
)

// Sentence is a sentence of the text as it was written. Line is where it begins, from 1.
type Sentence struct {
	Text string
	Line int
}

// Ruling is the decision about one question. Sentences are those it rests on, in the order of the text: the answer, or what
// is wrong; both when they contradict each other. Weak asks for a reader: the answer was put together from several sentences,
// or something else speaks against it.
type Ruling struct {
	Outcome   Outcome
	Sentences []Sentence
	Weak      bool
}

// Met reports whether the question is answered.
func (r Ruling) Met() bool { return r.Outcome == Stated }

// Judgement is what a text says about both questions, and whether it mentions the three default values (15, 10 and 2 s).
type Judgement struct {
	Reason, Suspicion Ruling
	Defaults          bool
}

// Judge judges a text in English, Korean, Japanese, Chinese, or a mix. It has no errors: a text that is not understood does not
// answer the questions. It may be called from several goroutines.
func (l *Lexicon) Judge(text string) Judgement {
	doc := l.read(text)
	return Judgement{
		Reason: doc.reviewed(doc.reason(), giveUp|twoLeaders), Suspicion: doc.reviewed(doc.suspicion(), cause), Defaults: doc.defaults(),
	}
}
