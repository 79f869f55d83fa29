// Package rbac checks step 6: the least permissions with which leader election works.
//
// Its rule: permissions are sets. What counts is what is allowed and what is not, however the rules are written down.
package rbac

import (
	"embed"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"

	"example.com/labgrader/checks/internal/oplab"
	"example.com/labgrader/grader"
)

//go:embed messages.*.yaml
var messages embed.FS

const (
	manifestFile = "rbac.yaml"
	answersFile  = "rbac-check.txt"
	roleName     = "leader-election"
	bindingName  = "leader-election"
	accountName  = oplab.Widget
)

// Check returns the check of step 6.
func Check() grader.Check {
	manifest := oplab.File(manifestFile)
	role := oplab.Object(rbacv1.SchemeGroupVersion.WithKind("Role"), "roles", roleName)
	binding := oplab.Object(rbacv1.SchemeGroupVersion.WithKind("RoleBinding"), "rolebindings", bindingName)
	account := oplab.Object(corev1.SchemeGroupVersion.WithKind("ServiceAccount"), "serviceaccounts", accountName)
	return grader.Check{
		Step: 6, Name: "rbac", Title: "The minimum permissions needed for leader election", Messages: messages,
		Criteria: []grader.Criterion{
			{
				Name: "manifest", Points: 1.5,
				Doc:   "The manifest has the three objects\n\nrbac.yaml holds the ServiceAccount, the Role and the RoleBinding of the step in op-leader, in any order, and nothing else.",
				Needs: []grader.Need{manifest},
				Run:   manifestObjects,
			},
			{
				Name: "role", Points: 3,
				Doc: "The Role allows what is needed and no more\n\nIn rbac.yaml and in the cluster the Role leader-election allows just get, create and update on leases of coordination.k8s.io, " +
					"in one rule or several, without resource names.",
				Needs: []grader.Need{manifest, role},
				Run:   roles,
			},
			{
				Name: "binding", Points: 2,
				Doc: "The RoleBinding connects the two\n\nIn rbac.yaml and in the cluster the RoleBinding leader-election gives the Role leader-election to the ServiceAccount widget-operator and to nobody else. " +
					"The same identity written as a User is a note.",
				Needs: []grader.Need{manifest, binding},
				Run:   bindings,
			},
			{
				Name: "service-account", Points: 1,
				Doc:   "The ServiceAccount exists\n\nThe cluster has the ServiceAccount widget-operator in op-leader; can-i would also answer for one that does not exist.",
				Needs: []grader.Need{account},
				Run:   serviceAccount,
			},
			{
				Name: "answers", Points: 3,
				Doc:   "The answers of can-i were saved\n\nrbac-check.txt has the four lines get=, create=, update= and delete= with yes or no, in any order and nothing else, as they are for the right Role.",
				Needs: []grader.Need{oplab.File(answersFile)},
				Run:   answers,
			},
			{
				Name: "access", Points: 2, Requires: []string{"role", "binding"},
				Doc:   "The API server agrees\n\nThe API server allows the ServiceAccount to get, create and update leases in op-leader, and not to delete, list, watch or patch them.",
				Needs: accessProbes(),
				Run:   access,
			},
		},
	}
}
