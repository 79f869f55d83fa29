package checks_test

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"text/template"
	"text/template/parse"
	"unicode"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
	"golang.org/x/text/width"

	"example.com/labgrader/checks"
	"example.com/labgrader/grader"
	"example.com/labgrader/grader/catalogue"
)

// texts are the entries of one file messages.LANG.yaml: "lease.live-missing.hint", "lease/live.title", "label.want".
type texts map[string]string

// place is a directory that has a file messages.LANG.yaml for each language. Declared are the titles and documentation in
// the code, which are the English ones.
type place struct {
	name     string
	files    fs.FS
	declared texts
}

func places() []place {
	lab := checks.Lab()
	all := []place{{name: "grader/catalogue", files: os.DirFS("../grader/catalogue")}, {name: "oplab", files: lab.Messages}}
	for _, check := range lab.Checks {
		all = append(all, place{name: check.Name, files: check.Messages, declared: declared(check)})
	}
	return all
}

func declared(check grader.Check) texts {
	all := texts{catalogue.TitleID(check.Name, ""): check.Title}
	for _, c := range check.Criteria {
		_, doc, _ := strings.Cut(c.Doc, "\n")
		all[catalogue.TitleID(check.Name, c.Name)] = c.Title()
		all[catalogue.DocID(check.Name, c.Name)] = strings.TrimSpace(doc)
	}
	return all
}

func (p place) read(t *testing.T, lang string) texts {
	t.Helper()
	data, err := fs.ReadFile(p.files, "messages."+lang+".yaml")
	require.NoError(t, err, "%s has no texts in %s", p.name, lang)
	var file map[string]map[string]string
	require.NoError(t, yaml.Unmarshal(data, &file), "%s %s", p.name, lang)
	all := texts{}
	for entry, parts := range file {
		for part, text := range parts {
			all[entry+"."+part] = text
		}
	}
	return all
}

func TestEveryTextIsThereInEveryLanguage(t *testing.T) {
	for _, p := range places() {
		english := p.read(t, "en")
		for id := range p.declared {
			assert.NotContains(t, english, id, "the code says it")
		}
		if p.declared != nil {
			assert.Contains(t, english, p.name+".task")
		}
		for id, text := range english {
			assert.NotEmpty(t, strings.TrimSpace(text), id)
		}
		wanted := maps.Clone(english)
		maps.Copy(wanted, p.declared)
		for _, lang := range catalogue.Languages()[1:] {
			assert.Empty(t, faults(lang, wanted, p.read(t, lang)), "messages.%s.yaml of %s", lang, p.name)
		}
	}
}

// faults returns what is wrong with the texts of a language.
func faults(lang string, english, have texts) []string {
	var found []string
	for _, id := range slices.Sorted(maps.Keys(have)) {
		if _, wanted := english[id]; !wanted {
			found = append(found, id+": English has no such text")
		}
	}
	for _, id := range slices.Sorted(maps.Keys(english)) {
		text, there := have[id]
		if !there {
			found = append(found, id+": missing")
			continue
		}
		if isTemplate(id) && !slices.Equal(arguments(english[id]), arguments(text)) {
			found = append(found, fmt.Sprintf("%s: has the arguments %v, not %v", id, arguments(text), arguments(english[id])))
		}
		if fault := scriptFault(lang, id, text); fault != "" {
			found = append(found, id+": "+fault)
		}
	}
	return found
}

// isTemplate reports whether a text takes arguments.
func isTemplate(id string) bool {
	return strings.HasSuffix(id, ".message") || strings.HasSuffix(id, ".hint")
}

// arguments returns the names that a template takes, each once. A text that is no template has the argument "?".
func arguments(text string) []string {
	parsed, err := template.New("").Parse(text)
	if err != nil {
		return []string{"?"}
	}
	if parsed.Tree == nil {
		return nil
	}
	var names []string
	for _, node := range parsed.Root.Nodes {
		if action, ok := node.(*parse.ActionNode); ok {
			names = append(names, action.Pipe.String())
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// scriptFault says what shows that a text is not in the language, if anything does. The lab's own tasks have Korean
// placeholders in every language.
func scriptFault(lang, id, text string) string {
	hangul, kana, han := has(text, unicode.Hangul), has(text, unicode.Hiragana, unicode.Katakana), has(text, unicode.Han)
	task := strings.HasSuffix(id, ".task")
	sentence := isTemplate(id) || strings.HasSuffix(id, ".doc")
	switch {
	case lang == "ko" && !hangul:
		return "has no Hangul"
	case lang == "ko" && kana, lang == "zh" && kana:
		return "has kana"
	case lang == "ja" && !kana && (sentence || !han):
		return "has no kana"
	case lang == "zh" && !han:
		return "has no Han characters"
	case lang != "ko" && hangul && !task:
		return "has Hangul"
	}
	return ""
}

func has(text string, scripts ...*unicode.RangeTable) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return unicode.In(r, scripts...) })
}

func TestFaultsAreFound(t *testing.T) {
	english := texts{"one.x.message": "The holder is {{.holder}} in {{.file}}.", "one.task": "Write <이름>.", "one.title": "One"}
	for name, test := range map[string]struct {
		lang string
		have texts
		want []string
	}{
		"right":           {"ja", texts{"one.x.message": "{{.file}}のホルダーは{{.holder}}です。", "one.task": "<이름>を書く", "one.title": "一"}, nil},
		"missing, extra":  {"zh", texts{"one.x.message": "{{.file}} 持有者 {{.holder}}", "one.task": "写 <이름>", "one.name": "一"}, []string{"one.name: English has no such text", "one.title: missing"}},
		"arguments":       {"zh", texts{"one.x.message": "持有者 {{.Holder}}", "one.task": "写", "one.title": "一"}, []string{"one.x.message: has the arguments [.Holder], not [.file .holder]"}},
		"not translated":  {"ko", texts{"one.x.message": english["one.x.message"], "one.task": "쓴다", "one.title": ""}, []string{"one.title: has no Hangul", "one.x.message: has no Hangul"}},
		"other language":  {"ko", texts{"one.x.message": "홀더は {{.holder}} {{.file}}", "one.task": "쓴다", "one.title": "하나"}, []string{"one.x.message: has kana"}},
		"Korean left":     {"zh", texts{"one.x.message": "홀더 {{.holder}} 文件 {{.file}}", "one.task": "写 <이름>", "one.title": "一"}, []string{"one.x.message: has Hangul"}},
		"Chinese left":    {"ja", texts{"one.x.message": "持有者 {{.holder}} {{.file}}", "one.task": "書く", "one.title": "One"}, []string{"one.title: has no kana", "one.x.message: has no kana"}},
		"broken template": {"ja", texts{"one.x.message": "ホルダー{{.holder}", "one.task": "書く", "one.title": "一"}, []string{"one.x.message: has the arguments [?], not [.file .holder]"}},
	} {
		t.Run(name, func(t *testing.T) { assert.Equal(t, test.want, faults(test.lang, english, test.have)) })
	}
}

// Terminals disagree on how wide some letters are. The lab's own titles and tasks are left as they are.
func TestNoTextHasLettersOfAmbiguousWidth(t *testing.T) {
	for _, p := range places() {
		for _, lang := range catalogue.Languages() {
			for id, text := range p.read(t, lang) {
				if strings.HasSuffix(id, ".task") || strings.HasSuffix(id, ".title") {
					continue
				}
				for _, r := range text {
					assert.NotEqual(t, width.EastAsianAmbiguous, width.LookupRune(r).Kind(), "%s %s: %q in %s", p.name, lang, r, text)
				}
			}
		}
	}
}
