package runbook

// reviewed asks for a reader where a question counts as not answered although some sentence speaks of what an answer speaks of:
// a person may see an answer there that was not recognized.
func (d *document) reviewed(ruling Ruling, speaksOf concept) Ruling {
	switch ruling.Outcome {
	case Missing, RelationOnly, SymptomOnly, ListOnly:
	default:
		return ruling
	}
	for i := range d.sentences {
		if s := &d.sentences[i]; !s.list && !s.question && s.has(speaksOf) {
			ruling.Weak = true
		}
	}
	return ruling
}
