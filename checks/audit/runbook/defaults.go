package runbook

import "regexp"

// defaultValue matches the default values of leader election where they stand as numbers of their own.
var defaultValue = regexp.MustCompile(`(^|[^0-9.])(15|10|2)($|[^0-9.]|\.($|[^0-9]))`)

// defaults reports whether the text mentions the three values 15, 10 and 2 s.
func (d *document) defaults() bool {
	seen := map[string]bool{}
	for i := range d.sentences {
		text := d.sentences[i].folded
		for {
			at := defaultValue.FindStringSubmatchIndex(text)
			if at == nil {
				break
			}
			seen[text[at[4]:at[5]]] = true
			text = text[at[5]:]
		}
	}
	return seen["15"] && seen["10"] && seen["2"]
}
