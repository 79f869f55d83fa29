// Package catalogue gives what a learner reads its words: titles, what a step asks for, and sentences for the codes of findings.
//
// Its one rule: it decides nothing. A report in another language differs in titles, messages and hints only.
package catalogue

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"maps"

	"github.com/nicksnyder/go-i18n/v2/i18n"
	"go.yaml.in/yaml/v3"
	"golang.org/x/text/language"

	"example.com/labgrader/grader"
)

//go:embed messages.*.yaml
var common embed.FS

// Catalogue holds the texts of a lab: those of its checks, and those that all checks share.
type Catalogue struct{ bundle *i18n.Bundle }

// New reads the catalogues of the lab's checks, files named messages.LANG.yaml with an entry per code. English titles and
// documentation are those that the checks declare; other languages have theirs in the files.
func New(lab grader.Lab) (*Catalogue, error) {
	c := &Catalogue{bundle: i18n.NewBundle(language.English)}
	c.bundle.RegisterUnmarshalFunc("yaml", yaml.Unmarshal)
	for _, shared := range []fs.FS{common, lab.Messages} {
		if err := c.load(shared); err != nil {
			return nil, fmt.Errorf("loading the shared messages: %w", err)
		}
	}
	for _, check := range lab.Checks {
		if err := c.load(check.Messages); err != nil {
			return nil, fmt.Errorf("loading the messages of %s: %w", check.Name, err)
		}
		if err := c.addEnglish(check); err != nil {
			return nil, fmt.Errorf("taking the documentation of %s: %w", check.Name, err)
		}
	}
	return c, nil
}

func (c *Catalogue) load(messages fs.FS) error {
	names, err := fs.Glob(messages, "messages.*.yaml")
	if err != nil {
		return err
	}
	if len(names) == 0 {
		return errors.New("there is no messages.LANG.yaml")
	}
	for _, name := range names {
		if _, err := c.bundle.LoadMessageFileFS(messages, name); err != nil {
			return fmt.Errorf("loading %s: %w", name, err)
		}
	}
	return nil
}

// Fill puts the titles of steps and criteria and the message and hint of each finding into the report, in the first of the
// languages that has them, else in English. Languages are BCP 47 tags.
func (c *Catalogue) Fill(report *grader.Report, languages ...string) {
	localizer := i18n.NewLocalizer(c.bundle, languages...)
	fill := func(findings []grader.FindingReport) {
		for i := range findings {
			f := &findings[i]
			args := maps.Clone(f.Args)
			for name, code := range f.Phrases {
				if args == nil {
					args = map[string]string{}
				}
				args[name] = text(localizer, code+".message", f.Args)
			}
			f.Message = text(localizer, f.Code+".message", args)
			f.Hint = text(localizer, f.Code+".hint", args)
			if f.Message == "" { // a code without a text is still better than nothing
				f.Message = f.Code
			}
		}
	}
	for i := range report.Steps {
		step := &report.Steps[i]
		step.Title = plain(localizer, TitleID(step.Name, ""), step.Title)
		fill(step.Notes)
		for j := range step.Criteria {
			criterion := &step.Criteria[j]
			criterion.Title = plain(localizer, TitleID(step.Name, criterion.Name), criterion.Title)
			fill(criterion.Findings)
		}
	}
}

// text returns a localized message, or nothing if there is none: a hint need not exist. Where only English has it, that comes
// with an error that says so.
func text(localizer *i18n.Localizer, id string, args map[string]string) string {
	message, err := localizer.Localize(&i18n.LocalizeConfig{MessageID: id, TemplateData: args})
	var fallback *i18n.MessageNotFoundErr
	if err != nil && !errors.As(err, &fallback) {
		return ""
	}
	return message
}
