package grader

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	coordinationv1 "k8s.io/api/coordination/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// labOf makes a lab of one step from criteria that share its worth evenly.
func labOf(criteria ...Criterion) Lab {
	for i := range criteria {
		criteria[i].Points = FullScore / float64(len(criteria))
		if criteria[i].Doc == "" {
			criteria[i].Doc = "A title\n\nAnd more."
		}
	}
	var messages fs.FS = fstest.MapFS{}
	return Lab{Name: "test", Title: "Test", Checks: []Check{{Step: 1, Name: "one", Title: "One", Criteria: criteria, Messages: messages}}}
}

func returns(findings []Finding, err error) func(context.Context, *View) ([]Finding, error) {
	return func(context.Context, *View) ([]Finding, error) { return findings, err }
}

func TestVerdicts(t *testing.T) {
	met := returns(MeetsUnless(), nil)
	for name, test := range map[string]struct {
		run    func(context.Context, *View) ([]Finding, error)
		want   Verdict
		reason string
	}{
		"met":                      {run: met, want: Pass},
		"missed":                   {run: returns([]Finding{Misses("one.x")}, nil), want: Fail},
		"missed and met":           {run: returns([]Finding{Meets(), Misses("one.x")}, nil), want: Fail},
		"a finding as error":       {run: returns(nil, Misses("one.x")), want: Fail},
		"a wrapped finding":        {run: returns(nil, errors.Join(Misses("one.x"))), want: Fail},
		"a note and met":           {run: returns(MeetsUnless(Notes("one.n")), nil), want: Pass},
		"no finding":               {run: returns(nil, nil), want: Error, reason: "no finding"},
		"an empty list":            {run: returns([]Finding{}, nil), want: Error, reason: "no finding"},
		"a note alone":             {run: returns([]Finding{Notes("one.n")}, nil), want: Error, reason: "no finding"},
		"a zero finding":           {run: returns([]Finding{{}}, nil), want: Error, reason: "neither met nor missed"},
		"a zero finding beside":    {run: returns([]Finding{Meets(), {Code: "one.x"}}, nil), want: Error, reason: "neither met nor missed"},
		"a zero finding as error":  {run: returns(nil, Finding{}), want: Error, reason: "neither met nor missed"},
		"a miss without a code":    {run: returns([]Finding{{Kind: Missed}}, nil), want: Error, reason: "no code"},
		"an error":                 {run: returns(nil, errors.New("asking: refused")), want: Error, reason: "refused"},
		"an error beside findings": {run: returns(MeetsUnless(), errors.New("asking: refused")), want: Error, reason: "refused"},
		"a panic":                  {run: func(context.Context, *View) ([]Finding, error) { panic("boom") }, want: Error, reason: "boom"},
	} {
		t.Run(name, func(t *testing.T) {
			report := Grade(labOf(Criterion{Name: "c", Run: test.run}), &Evidence{}, Options{})
			c := report.Steps[0].Criteria[0]
			assert.Equal(t, test.want, c.Verdict)
			assert.Equal(t, test.want, report.Verdict)
			assert.Equal(t, test.want == Pass, c.Points.Earned == FullScore)
			if test.reason != "" {
				assert.Contains(t, c.Findings[0].Args["reason"], test.reason)
				assert.Equal(t, CodeError, c.Findings[0].Code)
			}
		})
	}
}

func TestUndeclaredReadIsAnErrorWhateverTheCriterionMakesOfIt(t *testing.T) {
	for name, read := range map[string]func(context.Context, *View){
		"file":      func(_ context.Context, v *View) { _, _ = v.File("other") },
		"probe":     func(_ context.Context, v *View) { _, _ = v.Answer("other") },
		"criterion": func(_ context.Context, v *View) { _, _ = v.Passed("one.other") },
		"object": func(ctx context.Context, v *View) {
			_ = v.Cluster().Get(ctx, client.ObjectKey{Namespace: "n", Name: "x"}, &coordinationv1.Lease{})
		},
		"list": func(ctx context.Context, v *View) { _ = v.Cluster().List(ctx, &coordinationv1.LeaseList{}) },
	} {
		t.Run(name, func(t *testing.T) {
			run := func(ctx context.Context, v *View) ([]Finding, error) {
				read(ctx, v)
				return MeetsUnless(), nil
			}
			report := Grade(labOf(Criterion{Name: "c", Run: run, Needs: []Need{{File: "declared"}}}), &Evidence{Files: map[string]File{"other": {State: FilePresent}}}, Options{})
			assert.Equal(t, Error, report.Verdict)
			assert.Contains(t, report.Steps[0].Criteria[0].Findings[0].Args["reason"], "undeclared")
		})
	}
}

func TestEvidenceThatIsMissingIsAnError(t *testing.T) {
	needs := []Need{{File: "f"}, {Probe: &Probe{Name: "p"}}, {Objects: &Objects{Kind: coordinationv1.SchemeGroupVersion.WithKind("Lease"), Resource: "leases", Namespace: "n", Name: "x"}}}
	reads := map[string]func(context.Context, *View) error{
		"file": func(_ context.Context, v *View) error { _, err := v.File("f"); return err },
		"probe": func(_ context.Context, v *View) error {
			_, err := v.Answer("p")
			return err
		},
		"object": func(ctx context.Context, v *View) error {
			return v.Cluster().Get(ctx, client.ObjectKey{Namespace: "n", Name: "x"}, &coordinationv1.Lease{})
		},
	}
	for name, evidence := range map[string]*Evidence{
		"never collected": {},
		"in trouble":      {Files: map[string]File{"f": {State: FileUnreadable, Detail: "input/output error"}}, Answers: map[string]Answer{"p": {Trouble: "refused"}}},
	} {
		for what, read := range reads {
			t.Run(name+" "+what, func(t *testing.T) {
				run := func(ctx context.Context, v *View) ([]Finding, error) { return MeetsUnless(), read(ctx, v) }
				assert.Equal(t, Error, Grade(labOf(Criterion{Name: "c", Needs: needs, Run: run}), evidence, Options{}).Verdict)
			})
		}
	}
}

func TestRequiredAndConsulted(t *testing.T) {
	misses := returns([]Finding{Misses("one.x")}, nil)
	consults := func(_ context.Context, v *View) ([]Finding, error) {
		passed, err := v.Passed("one.a")
		if err != nil || passed {
			return MeetsUnless(), err
		}
		return []Finding{Misses("one.y")}, nil
	}
	report := Grade(labOf(
		Criterion{Name: "b", Requires: []string{"a"}, Run: returns(MeetsUnless(), nil)},
		Criterion{Name: "a", Run: misses},
		Criterion{Name: "c", Consults: []string{"one.a"}, Run: consults},
		Criterion{Name: "d", Requires: []string{"b"}, Run: returns(MeetsUnless(), nil)},
	), &Evidence{}, Options{})
	var verdicts []Verdict
	for _, c := range report.Steps[0].Criteria {
		verdicts = append(verdicts, c.Verdict)
	}
	assert.Equal(t, []Verdict{Blocked, Fail, Fail, Blocked}, verdicts)
	assert.Equal(t, Fail, report.Verdict)
	assert.Equal(t, "a", report.Steps[0].Criteria[0].Findings[0].Args["requires"])
	assert.Zero(t, report.Score.Earned)
}

func TestWorst(t *testing.T) {
	for name, test := range map[string]struct {
		verdicts []Verdict
		want     Verdict
	}{
		"nothing":        {nil, Error},
		"pass":           {[]Verdict{Pass, Pass}, Pass},
		"fail":           {[]Verdict{Pass, Fail}, Fail},
		"blocked":        {[]Verdict{Blocked, Pass}, Fail},
		"error wins":     {[]Verdict{Fail, Error, Pass}, Error},
		"unknown, error": {[]Verdict{Pass, ""}, Error},
	} {
		t.Run(name, func(t *testing.T) { assert.Equal(t, test.want, worst(test.verdicts)) })
	}
}

func TestStrictTurnsNotesIntoFailures(t *testing.T) {
	lab := labOf(Criterion{Name: "c", Run: returns(MeetsUnless(Notes("one.n").With("x", "1")), nil)})
	report := Grade(lab, &Evidence{}, Options{})
	assert.Equal(t, Pass, report.Verdict)
	assert.Equal(t, "one.n", report.Steps[0].Notes[0].Code)
	strict := Grade(lab, &Evidence{}, Options{Strict: true})
	assert.Equal(t, Fail, strict.Verdict)
	assert.Empty(t, strict.Steps[0].Notes)
	assert.Equal(t, "one.n", strict.Steps[0].Criteria[0].Findings[0].Code)
}

func TestPartialCredit(t *testing.T) {
	report := Grade(labOf(
		Criterion{Name: "a", Run: returns(MeetsUnless(), nil)},
		Criterion{Name: "b", Run: returns([]Finding{Misses("one.x")}, nil)},
	), &Evidence{}, Options{})
	assert.Equal(t, Score{Earned: 50, Possible: 100}, report.Score)
}

func TestWhatIsShownIsEscaped(t *testing.T) {
	f := Misses("one.x").With("arg", "a\x1b[31m").At("f\x07", 3).Compare("w\u202e", "g\xff")
	r := newFindingReport(f)
	assert.Equal(t, FindingReport{Code: "one.x", Want: `w\u202e`, Got: `g\xff`, Source: &Source{File: `f\u0007`, Line: 3}, Args: map[string]string{"arg": `a\u001b[31m`}}, r)
	long := Escape(strings.Repeat("x", shownMax+10))
	assert.True(t, strings.HasSuffix(long, "... (10 more bytes)"), long[len(long)-40:])
}

func FuzzEscape(f *testing.F) {
	f.Add("a\x1b]0;title\x07\u009b31m\u2028\u200b\xc3")
	f.Fuzz(func(t *testing.T, s string) {
		for _, r := range Escape(s) {
			if r != '\n' && r != '\t' && (r < 0x20 || r >= 0x7f && r < 0xa0 || r == 0x202e) {
				t.Fatalf("%q lets %q through", s, r)
			}
		}
	})
}

func TestReportFitsItsSchema(t *testing.T) {
	schema, err := jsonschema.UnmarshalJSON(strings.NewReader(Schema))
	require.NoError(t, err)
	compiler := jsonschema.NewCompiler()
	require.NoError(t, compiler.AddResource("report.json", schema))
	compiled, err := compiler.Compile("report.json")
	require.NoError(t, err)
	digest := "sha256:" + strings.Repeat("0", 64)
	report := Grade(labOf(
		Criterion{Name: "a", Run: returns(MeetsUnless(Notes("one.n")), nil)},
		Criterion{Name: "b", Run: returns([]Finding{Misses("one.x").At("f", 1).Compare("a", "b")}, nil)},
		Criterion{Name: "c", Requires: []string{"b"}, Run: returns(MeetsUnless(), nil)},
		Criterion{Name: "d", Run: returns(nil, errors.New("x"))},
	), &Evidence{Digest: digest, ServerVersion: "v1", Troubles: []string{"t"}}, Options{})
	for _, r := range []Report{report, Grade(labOf(), &Evidence{}, Options{})} {
		encoded, err := json.Marshal(r)
		require.NoError(t, err)
		instance, err := jsonschema.UnmarshalJSON(strings.NewReader(string(encoded)))
		require.NoError(t, err)
		assert.NoError(t, compiled.Validate(instance), string(encoded))
	}
}
