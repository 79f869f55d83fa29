package cluster

import (
	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"example.com/labgrader/grader"
)

// AccountName names the account that Account describes, its namespace, and all that belongs to it.
const AccountName = "grader"

// Account returns the objects that make a ServiceAccount grader/grader with which Collect works and nothing else does.
// Its dry runs need the permission to patch two objects; an admission policy takes back what is not a dry run.
func Account(needs []grader.Need) []runtime.Object {
	meta := func(namespace, name string) metav1.ObjectMeta {
		return metav1.ObjectMeta{Namespace: namespace, Name: name}
	}
	user := "system:serviceaccount:" + AccountName + ":" + AccountName
	const policy = "grader-changes-nothing"
	fail := admissionv1.Fail
	return []runtime.Object{
		&corev1.Namespace{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Namespace"}, ObjectMeta: meta("", AccountName)},
		&corev1.ServiceAccount{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "ServiceAccount"}, ObjectMeta: meta(AccountName, AccountName)},
		&rbacv1.ClusterRole{TypeMeta: metav1.TypeMeta{APIVersion: rbacv1.SchemeGroupVersion.String(), Kind: "ClusterRole"}, ObjectMeta: meta("", AccountName), Rules: Rules(needs)},
		&rbacv1.ClusterRoleBinding{
			TypeMeta:   metav1.TypeMeta{APIVersion: rbacv1.SchemeGroupVersion.String(), Kind: "ClusterRoleBinding"},
			ObjectMeta: meta("", AccountName),
			RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: AccountName},
			Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: AccountName, Name: AccountName}},
		},
		&admissionv1.ValidatingAdmissionPolicy{
			TypeMeta:   metav1.TypeMeta{APIVersion: admissionv1.SchemeGroupVersion.String(), Kind: "ValidatingAdmissionPolicy"},
			ObjectMeta: meta("", policy),
			Spec: admissionv1.ValidatingAdmissionPolicySpec{
				FailurePolicy:   &fail,
				MatchConditions: []admissionv1.MatchCondition{{Name: "by-the-grader", Expression: `request.userInfo.username == "` + user + `"`}},
				MatchConstraints: &admissionv1.MatchResources{ResourceRules: []admissionv1.NamedRuleWithOperations{{RuleWithOperations: admissionv1.RuleWithOperations{
					Operations: []admissionv1.OperationType{admissionv1.Create, admissionv1.Update, admissionv1.Delete},
					Rule:       admissionv1.Rule{APIGroups: changedGroups(needs), APIVersions: []string{"*"}, Resources: changedResources(needs)},
				}}}},
				Validations: []admissionv1.Validation{{Expression: "has(request.dryRun) && request.dryRun", Message: "the grader may only dry-run"}},
			},
		},
		&admissionv1.ValidatingAdmissionPolicyBinding{
			TypeMeta:   metav1.TypeMeta{APIVersion: admissionv1.SchemeGroupVersion.String(), Kind: "ValidatingAdmissionPolicyBinding"},
			ObjectMeta: meta("", policy),
			Spec:       admissionv1.ValidatingAdmissionPolicyBindingSpec{PolicyName: policy, ValidationActions: []admissionv1.ValidationAction{admissionv1.Deny}},
		},
	}
}

func changedGroups(needs []grader.Need) []string {
	return changed(needs, func(o grader.Objects) string { return o.Kind.Group })
}

func changedResources(needs []grader.Need) []string {
	return changed(needs, func(o grader.Objects) string { return o.Resource })
}

// changed returns a property of the objects of all dry runs, each value once.
func changed(needs []grader.Need, property func(grader.Objects) string) []string {
	set := map[string]bool{}
	for _, need := range needs {
		if need.Probe != nil && need.Probe.DryRun != nil {
			set[property(need.Probe.DryRun.Object)] = true
		}
	}
	return sortedKeys(set)
}
