package rbac

import (
	"context"
	"errors"

	"example.com/labgrader/checks/internal/oplab"
	"example.com/labgrader/grader"
	"example.com/labgrader/grader/submission"
)

func answers(_ context.Context, view *grader.View) ([]grader.Finding, error) {
	text, err := submission.OpenText(view, answersFile)
	if err != nil {
		return nil, err
	}
	entries, findings := oplab.ReadEntries(text, "rbac.answers", "get", "create", "update", "delete")
	for _, want := range []struct{ verb, value string }{{"get", "yes"}, {"create", "yes"}, {"update", "yes"}, {"delete", "no"}} {
		got, found := entries[want.verb]
		if !found || got.Value == want.value {
			continue
		}
		code := "rbac.answers-form"
		if got.Value == "yes" || got.Value == "no" {
			code = "rbac.answers-value"
		}
		f := grader.Misses(code).With("verb", want.verb).At(answersFile, got.Line)
		findings = append(findings, f.Compare("", got.Value))
	}
	return grader.MeetsUnless(findings...), nil
}

// question is one access review about leases, and its answer when the step is right.
type question struct {
	name    string
	verb    string
	allowed bool
}

// controlName is the probe that asks the same for an account that cannot exist, since its namespace has no valid name: only
// an API server that allows everything to everybody says yes.
const controlName = "access-control"

func questions() []question {
	var all []question
	for _, verb := range []string{"get", "create", "update"} {
		all = append(all, question{"access-" + verb, verb, true})
	}
	for _, verb := range []string{"delete", "list", "watch", "patch", "deletecollection"} {
		all = append(all, question{"access-" + verb, verb, false})
	}
	return all
}

func accessProbes() []grader.Need {
	var needs []grader.Need
	for _, q := range questions() {
		needs = append(needs, accessProbe(q.name, oplab.Namespace, accountName, q.verb, q.allowed))
	}
	return append(needs, accessProbe(controlName, "grader:control", "nobody", "get", false))
}

// accessProbe asks as the API server would for a request of the ServiceAccount.
// Source: https://kubernetes.io/docs/reference/access-authn-authz/authentication/#service-account-tokens
func accessProbe(name, namespace, account, verb string, usually bool) grader.Need {
	return grader.Need{Probe: &grader.Probe{Name: name, Access: &grader.Access{
		User:   "system:serviceaccount:" + namespace + ":" + account,
		Groups: []string{"system:serviceaccounts", "system:serviceaccounts:" + namespace, "system:authenticated"},
		Verb:   verb, Group: "coordination.k8s.io", Resource: "leases", Namespace: oplab.Namespace, Usually: usually,
	}}}
}

func access(_ context.Context, view *grader.View) ([]grader.Finding, error) {
	control, err := view.Answer(controlName)
	if err != nil {
		return nil, err
	}
	if control.Allowed {
		return nil, errors.New("asking for access: this API server allows everything to everybody, so that it cannot tell what the Role allows")
	}
	var findings []grader.Finding
	for _, q := range questions() {
		answer, err := view.Answer(q.name)
		if err != nil {
			return nil, err
		}
		switch {
		case answer.Allowed && !q.allowed:
			findings = append(findings, grader.Misses("rbac.access-extra").With("verb", q.verb))
		case !answer.Allowed && q.allowed:
			findings = append(findings, grader.Misses("rbac.access-denied").With("verb", q.verb))
		}
	}
	return grader.MeetsUnless(findings...), nil
}
