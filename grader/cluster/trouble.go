package cluster

import (
	"fmt"
	"sort"
	"strings"
)

// Troubles sums up what could not be learned: a sentence for each different reason, with how much it concerns.
func (s *State) Troubles() []string {
	doings := map[string][]string{}
	add := func(trouble string) {
		if trouble == "" {
			return
		}
		doing, reason, found := strings.Cut(trouble, ": ")
		if !found {
			doing, reason = "", trouble
		}
		doings[reason] = append(doings[reason], doing)
	}
	for _, c := range s.Snapshot.Captures() {
		add(c.Trouble)
	}
	for _, a := range s.Answers {
		add(a.Trouble)
	}
	sentences := make([]string, 0, len(doings))
	for reason, concerned := range doings {
		sort.Strings(concerned)
		sentence := strings.TrimPrefix(concerned[0]+": "+reason, ": ")
		if n := len(concerned) - 1; n > 0 {
			sentence += fmt.Sprintf(" (and %d more requests likewise)", n)
		}
		sentences = append(sentences, sentence)
	}
	sort.Strings(sentences)
	return sentences
}
