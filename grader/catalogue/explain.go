package catalogue

import (
	"slices"
	"strings"

	"github.com/nicksnyder/go-i18n/v2/i18n"
	"github.com/nicksnyder/go-i18n/v2/i18n/template"
	"golang.org/x/text/language"

	"example.com/labgrader/grader"
)

// Labels are the words beside what a report or an explanation shows.
type Labels struct {
	Want, Got, Note, Error string
	Points, Requires       string
}

// Labels returns the words in the first of the languages that has them, else in English.
func (c *Catalogue) Labels(languages ...string) Labels {
	localizer := i18n.NewLocalizer(c.bundle, languages...)
	label := func(name string) string { return plain(localizer, "label."+name, name) }
	return Labels{
		Want: label("want"), Got: label("got"), Note: label("note"), Error: label("error"),
		Points: label("points"), Requires: label("requires"),
	}
}

// Explain returns the check with its title and the documentation of its criteria in the first of the languages that has
// them, else in English, and what the step asks for.
func (c *Catalogue) Explain(check grader.Check, languages ...string) (grader.Check, string) {
	localizer := i18n.NewLocalizer(c.bundle, languages...)
	task := plain(localizer, check.Name+".task", "")
	check.Title = plain(localizer, TitleID(check.Name, ""), check.Title)
	check.Criteria = slices.Clone(check.Criteria)
	for i := range check.Criteria {
		criterion := &check.Criteria[i]
		title := plain(localizer, TitleID(check.Name, criterion.Name), criterion.Title())
		doc := plain(localizer, DocID(check.Name, criterion.Name), docBody(*criterion))
		criterion.Doc = strings.TrimSpace(title + "\n\n" + doc)
	}
	return check, task
}

// TitleID returns the key of a step's title or, if a criterion is named, of that criterion's.
func TitleID(step, criterion string) string {
	if criterion == "" {
		return step + ".title"
	}
	return step + "/" + criterion + ".title"
}

// DocID returns the key of what a criterion's documentation says below its title.
func DocID(step, criterion string) string { return step + "/" + criterion + ".doc" }

// docBody returns a criterion's documentation below its title.
func docBody(criterion grader.Criterion) string {
	_, body, _ := strings.Cut(criterion.Doc, "\n")
	return strings.TrimSpace(body)
}

// addEnglish takes the titles and documentation that the check declares as the English ones.
func (c *Catalogue) addEnglish(check grader.Check) error {
	texts := map[string]string{TitleID(check.Name, ""): check.Title}
	for _, criterion := range check.Criteria {
		texts[TitleID(check.Name, criterion.Name)] = criterion.Title()
		texts[DocID(check.Name, criterion.Name)] = docBody(criterion)
	}
	for id, text := range texts {
		if text == "" {
			continue
		}
		if err := c.bundle.AddMessages(language.English, &i18n.Message{ID: id, Other: text}); err != nil {
			return err
		}
	}
	return nil
}

// plain returns a text without arguments as it stands, whatever braces are in it, or the default if there is none.
func plain(localizer *i18n.Localizer, id, otherwise string) string {
	text, _ := localizer.Localize(&i18n.LocalizeConfig{MessageID: id, TemplateParser: template.IdentityParser{}}) // an error may come with the English text
	if text == "" {
		return otherwise
	}
	return text
}
