package cluster

import (
	"sort"
	"strings"

	authorizationv1 "k8s.io/api/authorization/v1"
	rbacv1 "k8s.io/api/rbac/v1"

	"example.com/labgrader/grader"
)

// Rules returns the least permissions with which Collect can meet the needs. A dry run needs the permission of the real
// request; RBAC cannot tell the two apart.
func Rules(needs []grader.Need) []rbacv1.PolicyRule {
	verbs := map[string]map[string]bool{} // group/resource/name -> verbs
	allow := func(verb, group, resource, name string) {
		key := group + "/" + resource + "/" + name
		if verbs[key] == nil {
			verbs[key] = map[string]bool{}
		}
		verbs[key][verb] = true
	}
	for _, need := range needs {
		switch {
		case need.Objects != nil && need.Objects.Name == "":
			allow("list", need.Objects.Kind.Group, need.Objects.Resource, "")
		case need.Objects != nil:
			allow("get", need.Objects.Kind.Group, need.Objects.Resource, need.Objects.Name)
		case need.Probe != nil && need.Probe.DryRun != nil:
			o := need.Probe.DryRun.Object
			allow("get", o.Kind.Group, o.Resource, o.Name)
			allow("patch", o.Kind.Group, o.Resource, o.Name)
		case need.Probe != nil && need.Probe.Access != nil:
			allow("create", authorizationv1.GroupName, accessReviews.Resource, "")
		}
	}
	keys := make([]string, 0, len(verbs))
	for key := range verbs {
		keys = append(keys, key)
	}
	sort.Strings(keys)
	rules := make([]rbacv1.PolicyRule, 0, len(keys))
	for _, key := range keys {
		part := strings.SplitN(key, "/", 3)
		rule := rbacv1.PolicyRule{APIGroups: []string{part[0]}, Resources: []string{part[1]}, Verbs: sortedKeys(verbs[key])}
		if part[2] != "" {
			rule.ResourceNames = []string{part[2]}
		}
		rules = append(rules, rule)
	}
	return rules
}

func sortedKeys(set map[string]bool) []string {
	keys := make([]string, 0, len(set))
	for key := range set {
		keys = append(keys, key)
	}
	sort.Strings(keys)
	return keys
}
