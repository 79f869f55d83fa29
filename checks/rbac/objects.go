package rbac

import (
	"context"
	"fmt"
	"slices"
	"sort"
	"strings"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"example.com/labgrader/checks/internal/oplab"
	"example.com/labgrader/grader"
	"example.com/labgrader/grader/submission"
)

func manifestObjects(_ context.Context, view *grader.View) ([]grader.Finding, error) {
	objects, err := submission.OpenObjects(view, manifestFile)
	if err != nil {
		return nil, err
	}
	wanted := []string{"ServiceAccount " + accountName, "Role " + roleName, "RoleBinding " + bindingName}
	var findings []grader.Finding
	for _, o := range objects {
		name := o.GetKind() + " " + o.GetName()
		i := slices.Index(wanted, name)
		if i < 0 {
			findings = append(findings, o.At(grader.Misses("rbac.manifest-extra"), "kind").Compare("", name))
			continue
		}
		wanted = slices.Delete(wanted, i, i+1)
		if want := versionOf(o.GetKind()); o.GetAPIVersion() != want {
			findings = append(findings, o.At(grader.Misses("manifest.api-version").Compare(want, o.GetAPIVersion()), "apiVersion"))
		}
		if ns := o.GetNamespace(); ns != "" && ns != oplab.Namespace {
			f := grader.Misses("rbac.manifest-namespace").With("object", name).Compare(oplab.Namespace, ns)
			findings = append(findings, o.At(f, "metadata", "namespace"))
		}
	}
	for _, name := range wanted {
		findings = append(findings, grader.Misses("rbac.manifest-missing").At(manifestFile, 0).With("object", name))
	}
	return grader.MeetsUnless(findings...), nil
}

// versionOf returns the API version of a kind that the step asks for.
func versionOf(kind string) string {
	if kind == "ServiceAccount" {
		return corev1.SchemeGroupVersion.String()
	}
	return rbacv1.SchemeGroupVersion.String()
}

// fromManifest fills object with the one of that kind and name in rbac.yaml, if there is one.
func fromManifest(view *grader.View, kind, name string, object any) (submission.Document, bool, error) {
	objects, err := submission.OpenObjects(view, manifestFile)
	if err != nil {
		return submission.Document{}, false, oplab.Trouble(err) // the criterion about the manifest says what is wrong with it
	}
	for _, o := range objects {
		if o.GetKind() != kind || o.GetName() != name {
			continue
		}
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(o.Object, object); err != nil {
			return o, false, o.At(grader.Misses("rbac.manifest-malformed").With("object", kind+" "+name).With("problem", err.Error()), "kind")
		}
		return o, true, nil
	}
	return submission.Document{}, false, nil
}

func roles(ctx context.Context, view *grader.View) ([]grader.Finding, error) {
	var findings []grader.Finding
	written := &rbacv1.Role{}
	document, found, err := fromManifest(view, "Role", roleName, written)
	if err != nil {
		return nil, err
	}
	if found {
		for _, f := range roleFaults(written.Rules) {
			findings = append(findings, document.At(f, "rules"))
		}
	}
	live := &rbacv1.Role{}
	found, err = oplab.Get(ctx, view, roleName, live)
	if err != nil {
		return nil, err
	}
	if !found {
		return append(findings, grader.Misses("rbac.role-missing")), nil
	}
	if len(findings) == 0 { // what the manifest has wrong the cluster has wrong too
		findings = roleFaults(live.Rules)
	}
	return grader.MeetsUnless(findings...), nil
}

// roleFaults compares rules, as the set of what they allow, with what leader election needs.
func roleFaults(rules []rbacv1.PolicyRule) []grader.Finding {
	missing := map[string]bool{"get": true, "create": true, "update": true}
	extra := map[string]bool{}
	named := false
	for _, rule := range rules {
		named = named || len(rule.ResourceNames) > 0
		for _, url := range rule.NonResourceURLs {
			extra[url] = true
		}
		for _, verb := range rule.Verbs {
			for _, group := range rule.APIGroups {
				for _, resource := range rule.Resources {
					_, needed := map[string]bool{"get": true, "create": true, "update": true}[verb]
					if needed && group == "coordination.k8s.io" && resource == "leases" {
						delete(missing, verb)
						continue
					}
					extra[fmt.Sprintf("%s %s in group %q", verb, resource, group)] = true
				}
			}
		}
	}
	var findings []grader.Finding
	if named {
		findings = append(findings, grader.Misses("rbac.role-names"))
	}
	if len(missing) > 0 {
		findings = append(findings, grader.Misses("rbac.role-lacks").With("verbs", sorted(missing)))
	}
	if len(extra) > 0 {
		findings = append(findings, grader.Misses("rbac.role-extra").Compare("", sorted(extra)))
	}
	return findings
}

func sorted(set map[string]bool) string {
	var all []string
	for s := range set {
		all = append(all, s)
	}
	sort.Strings(all)
	return strings.Join(all, ", ")
}

func bindings(ctx context.Context, view *grader.View) ([]grader.Finding, error) {
	var findings []grader.Finding
	written := &rbacv1.RoleBinding{}
	document, found, err := fromManifest(view, "RoleBinding", bindingName, written)
	if err != nil {
		return nil, err
	}
	if found {
		for _, f := range bindingFaults(written) {
			if f.Kind == grader.Missed { // a note is told once, about the live object
				findings = append(findings, document.At(f, "subjects"))
			}
		}
	}
	live := &rbacv1.RoleBinding{}
	found, err = oplab.Get(ctx, view, bindingName, live)
	if err != nil {
		return nil, err
	}
	if !found {
		return append(findings, grader.Misses("rbac.binding-missing")), nil
	}
	if len(findings) == 0 {
		findings = bindingFaults(live)
	}
	return grader.MeetsUnless(findings...), nil
}

func bindingFaults(binding *rbacv1.RoleBinding) []grader.Finding {
	var findings []grader.Finding
	if ref := binding.RoleRef; ref.Kind != "Role" || ref.Name != roleName || (ref.APIGroup != "" && ref.APIGroup != rbacv1.GroupName) { // the server fills in the group
		findings = append(findings, grader.Misses("rbac.binding-role").Compare("Role "+roleName, ref.Kind+" "+ref.Name))
	}
	if len(binding.Subjects) != 1 {
		f := grader.Misses("rbac.binding-subjects").Compare("1", fmt.Sprint(len(binding.Subjects)))
		return append(findings, f)
	}
	subject := binding.Subjects[0]
	identity := "system:serviceaccount:" + oplab.Namespace + ":" + accountName
	namespace := subject.Namespace
	if namespace == "" {
		namespace = oplab.Namespace
	}
	switch {
	case subject.Kind == rbacv1.ServiceAccountKind && subject.Name == accountName && namespace == oplab.Namespace:
	case subject.Kind == rbacv1.UserKind && subject.Name == identity:
		findings = append(findings, grader.Notes("rbac.binding-user"))
	default:
		f := grader.Misses("rbac.binding-subject")
		findings = append(findings, f.Compare("ServiceAccount "+oplab.Namespace+"/"+accountName, strings.TrimSuffix(subject.Kind+" "+subject.Namespace+"/"+subject.Name, "/")))
	}
	return findings
}

func serviceAccount(ctx context.Context, view *grader.View) ([]grader.Finding, error) {
	found, err := oplab.Get(ctx, view, accountName, &corev1.ServiceAccount{})
	if err != nil {
		return nil, err
	}
	if !found {
		return nil, grader.Misses("rbac.account-missing")
	}
	return grader.MeetsUnless(), nil
}
