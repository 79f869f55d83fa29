package rbac

import (
	"testing"

	"github.com/stretchr/testify/assert"
	rbacv1 "k8s.io/api/rbac/v1"

	"example.com/labgrader/grader"
)

func codes(findings []grader.Finding) (all []string) {
	for _, f := range findings {
		all = append(all, f.Code)
	}
	return all
}

// Rules count as the set of what they allow together.
func TestRoleFaults(t *testing.T) {
	rule := func(verbs ...string) rbacv1.PolicyRule {
		return rbacv1.PolicyRule{APIGroups: []string{"coordination.k8s.io"}, Resources: []string{"leases"}, Verbs: verbs}
	}
	named, url := rule("get", "create", "update"), rbacv1.PolicyRule{NonResourceURLs: []string{"/healthz"}, Verbs: []string{"get"}}
	named.ResourceNames = []string{"widget-operator"}
	for name, test := range map[string]struct {
		rules []rbacv1.PolicyRule
		want  []string
		text  string // what the last finding lists
	}{
		"one rule":           {[]rbacv1.PolicyRule{rule("get", "create", "update")}, nil, ""},
		"a rule each":        {[]rbacv1.PolicyRule{rule("get"), rule("create"), rule("update")}, nil, ""},
		"none":               {nil, []string{"rbac.role-lacks"}, "create, get, update"},
		"one verb short":     {[]rbacv1.PolicyRule{rule("get"), rule("create")}, []string{"rbac.role-lacks"}, "update"},
		"one too many":       {[]rbacv1.PolicyRule{rule("get", "create", "update", "list")}, []string{"rbac.role-extra"}, `list leases in group "coordination.k8s.io"`},
		"non-resource URL":   {[]rbacv1.PolicyRule{rule("get", "create", "update"), url}, []string{"rbac.role-extra"}, "/healthz"},
		"one rule is named":  {[]rbacv1.PolicyRule{named, rule("get")}, []string{"rbac.role-names"}, ""},
		"the first is named": {[]rbacv1.PolicyRule{rule("get"), named}, []string{"rbac.role-names"}, ""},
		"another group": {[]rbacv1.PolicyRule{rule("get", "create", "update"), {APIGroups: []string{""}, Resources: []string{"leases"}, Verbs: []string{"get"}}},
			[]string{"rbac.role-extra"}, `get leases in group ""`},
		"another resource": {[]rbacv1.PolicyRule{rule("get", "create", "update"), {APIGroups: []string{"coordination.k8s.io"}, Resources: []string{"*"}, Verbs: []string{"get"}}},
			[]string{"rbac.role-extra"}, `get * in group "coordination.k8s.io"`},
	} {
		t.Run(name, func(t *testing.T) {
			findings := roleFaults(test.rules)
			assert.Equal(t, test.want, codes(findings))
			if test.text != "" {
				last := findings[len(findings)-1]
				assert.Equal(t, test.text, last.Args["verbs"]+last.Got)
			}
		})
	}
}

func TestBindingFaults(t *testing.T) {
	const identity = "system:serviceaccount:op-leader:widget-operator"
	role := rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: "leader-election"}
	account := rbacv1.Subject{Kind: "ServiceAccount", Name: "widget-operator", Namespace: "op-leader"}
	for name, test := range map[string]struct {
		ref     rbacv1.RoleRef
		subject rbacv1.Subject
		want    []string
		got     string
	}{
		"right":             {role, account, nil, ""},
		"without group":     {rbacv1.RoleRef{Kind: "Role", Name: "leader-election"}, account, nil, ""},
		"another kind":      {rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "leader-election"}, account, []string{"rbac.binding-role"}, "ClusterRole leader-election"},
		"another name":      {rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: "x"}, account, []string{"rbac.binding-role"}, "Role x"},
		"another group":     {rbacv1.RoleRef{APIGroup: "x", Kind: "Role", Name: "leader-election"}, account, []string{"rbac.binding-role"}, "Role leader-election"},
		"no namespace":      {role, rbacv1.Subject{Kind: "ServiceAccount", Name: "widget-operator"}, nil, ""},
		"another namespace": {role, rbacv1.Subject{Kind: "ServiceAccount", Name: "widget-operator", Namespace: "x"}, []string{"rbac.binding-subject"}, "ServiceAccount x/widget-operator"},
		"another account":   {role, rbacv1.Subject{Kind: "ServiceAccount", Name: "x", Namespace: "op-leader"}, []string{"rbac.binding-subject"}, "ServiceAccount op-leader/x"},
		"account as a user": {role, rbacv1.Subject{Kind: "User", Name: identity}, []string{"rbac.binding-user"}, ""},
		"another user":      {role, rbacv1.Subject{Kind: "User", Name: "widget-operator"}, []string{"rbac.binding-subject"}, "User /widget-operator"},
		"a group":           {role, rbacv1.Subject{Kind: "Group", Name: identity}, []string{"rbac.binding-subject"}, "Group /" + identity},
		"group of the name": {role, rbacv1.Subject{Kind: "Group", Name: "widget-operator", Namespace: "op-leader"}, []string{"rbac.binding-subject"}, "Group op-leader/widget-operator"},
	} {
		t.Run(name, func(t *testing.T) {
			findings := bindingFaults(&rbacv1.RoleBinding{RoleRef: test.ref, Subjects: []rbacv1.Subject{test.subject}})
			assert.Equal(t, test.want, codes(findings))
			if len(findings) > 0 {
				assert.Equal(t, test.got, findings[0].Got)
			}
		})
	}
	assert.Equal(t, []string{"rbac.binding-subjects"}, codes(bindingFaults(&rbacv1.RoleBinding{RoleRef: role, Subjects: []rbacv1.Subject{account, account}})))
	assert.Equal(t, []string{"rbac.binding-subjects"}, codes(bindingFaults(&rbacv1.RoleBinding{RoleRef: role})))
}

func TestVersionOf(t *testing.T) {
	for kind, want := range map[string]string{"ServiceAccount": "v1", "Role": "rbac.authorization.k8s.io/v1", "RoleBinding": "rbac.authorization.k8s.io/v1"} {
		assert.Equal(t, want, versionOf(kind), kind)
	}
}
