package checks_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/labgrader/checks"
	"example.com/labgrader/grader"
)

const trouble = "trouble made by the test"

// broken answers every read of one type with trouble.
type broken struct {
	client.Reader
	kind string
	name string
}

func (b broken) Get(ctx context.Context, key client.ObjectKey, obj client.Object, opts ...client.GetOption) error {
	if strings.HasSuffix(strings.TrimPrefix(typeName(obj), "*"), "."+b.kind) && key.Name == b.name {
		return errors.New(trouble)
	}
	return b.Reader.Get(ctx, key, obj, opts...)
}

func (b broken) List(ctx context.Context, list client.ObjectList, opts ...client.ListOption) error {
	if strings.HasSuffix(typeName(list), "."+b.kind+"List") && b.name == "" {
		return errors.New(trouble)
	}
	return b.Reader.List(ctx, list, opts...)
}

// inTrouble returns the evidence without what one need reads.
func inTrouble(e grader.Evidence, need grader.Need) *grader.Evidence {
	switch {
	case need.File != "":
		e.Files = maps.Clone(e.Files)
		e.Files[need.File] = grader.File{Name: need.File, State: grader.FileUnreadable, Detail: trouble}
	case need.Objects != nil:
		e.Cluster = broken{e.Cluster, need.Objects.Kind.Kind, need.Objects.Name}
	case need.Probe != nil:
		e.Answers = maps.Clone(e.Answers)
		e.Answers[need.Probe.Name] = grader.Answer{Trouble: trouble}
	case need.Trial != nil:
		e.Transcripts = maps.Clone(e.Transcripts)
		if e.Transcripts == nil {
			e.Transcripts = map[string]grader.Transcript{}
		}
		e.Transcripts[need.Trial.Name] = grader.Transcript{Trouble: trouble}
	}
	return &e
}

// What the grader could not read never turns a verdict into another one but error, and the error tells the trouble.
func TestTroubleIsNeverTheLearners(t *testing.T) {
	lab := checks.Lab()
	for _, c := range cases(t) {
		for _, check := range lab.Checks {
			if check.Name != c.Step || len(c.Want.Steps) > 0 {
				continue
			}
			options := grader.Options{Steps: []int{check.Step}}
			before := states(grader.Grade(lab, c.Bundle.Evidence(), options))
			for _, need := range lab.Needs(check.Step) {
				for name, now := range states(grader.Grade(lab, inTrouble(*c.Bundle.Evidence(), need), options)) {
					if now == before[name] || strings.HasPrefix(now, "blocked") || strings.HasPrefix(before[name], "blocked") {
						continue
					}
					assert.True(t, strings.HasPrefix(now, "error") && strings.Contains(now, trouble), "%s: with %+v in trouble %s is %s, not %s", c.Path, need, name, now, before[name])
				}
			}
		}
	}
}

// states gives for each criterion its verdict, codes and, of an error, the reason.
func states(report grader.Report) map[string]string {
	all := map[string]string{}
	for _, step := range report.Steps {
		for _, c := range step.Criteria {
			words := []string{string(c.Verdict)}
			for _, f := range c.Findings {
				words = append(words, f.Code, f.Args["reason"])
			}
			all[step.Name+"."+c.Name] = strings.Join(words, " ")
		}
	}
	return all
}

func typeName(v any) string { return fmt.Sprintf("%T", v) }
