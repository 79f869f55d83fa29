package cluster_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	admissionv1 "k8s.io/api/admissionregistration/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/yaml"

	"example.com/labgrader/grader"
	"example.com/labgrader/grader/cluster"
)

func answers(troubles ...string) map[string]grader.Answer {
	all := map[string]grader.Answer{}
	for i, trouble := range troubles {
		all[fmt.Sprint(i)] = grader.Answer{Trouble: trouble}
	}
	return all
}

// kubeconfig writes one with two contexts, one and two, at hosts of their names. user is what both are.
func kubeconfig(t *testing.T, user string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "config")
	content := `apiVersion: v1
kind: Config
current-context: one
clusters:
- {name: one, cluster: {server: "https://one.example:6443"}}
- {name: two, cluster: {server: "https://two.example:6443"}}
contexts:
- {name: one, context: {cluster: one, user: learner}}
- {name: two, context: {cluster: two, user: learner}}
- {name: broken, context: {cluster: nothing, user: learner}}
users:
- {name: learner, user: ` + user + `}
`
	require.NoError(t, os.WriteFile(name, []byte(content), 0o600))
	return name
}

// noSurroundings hides the kubeconfig and the cluster of whoever runs the test.
func noSurroundings(t *testing.T) {
	t.Helper()
	home := clientcmd.RecommendedHomeFile // client-go works it out once, when the program starts
	clientcmd.RecommendedHomeFile = filepath.Join(t.TempDir(), "config")
	t.Cleanup(func() { clientcmd.RecommendedHomeFile = home })
	for _, name := range []string{"KUBECONFIG", "KUBERNETES_SERVICE_HOST", "KUBERNETES_SERVICE_PORT", "KUBERNETES_MASTER"} {
		t.Setenv(name, "")
	}
}

const (
	token = `{token: secret}`
	exec  = `{exec: {apiVersion: client.authentication.k8s.io/v1, command: /bin/evil, interactiveMode: Never}}`
)

func TestTheKubeconfigIsTheOneThatWasNamed(t *testing.T) {
	noSurroundings(t)
	config, err := cluster.Access{Kubeconfig: kubeconfig(t, token)}.Config()
	require.NoError(t, err)
	assert.Equal(t, "https://one.example:6443", config.Host)
	assert.Equal(t, "secret", config.BearerToken)

	config, err = cluster.Access{Kubeconfig: kubeconfig(t, token), Context: "two"}.Config()
	require.NoError(t, err)
	assert.Equal(t, "https://two.example:6443", config.Host)

	t.Setenv("KUBECONFIG", kubeconfig(t, token))
	config, err = cluster.Access{Context: "two"}.Config()
	require.NoError(t, err)
	assert.Equal(t, "https://two.example:6443", config.Host)

	t.Setenv("KUBECONFIG", filepath.Join(t.TempDir(), "nothing"))
	config, err = cluster.Access{Kubeconfig: kubeconfig(t, token)}.Config()
	require.NoError(t, err, "the flag goes before the environment")
	assert.Equal(t, "https://one.example:6443", config.Host)
}

func TestTheKubeconfigAtHomeIsTheLastResort(t *testing.T) {
	noSurroundings(t)
	require.NoError(t, os.Rename(kubeconfig(t, token), clientcmd.RecommendedHomeFile))
	config, err := cluster.Access{}.Config()
	require.NoError(t, err)
	assert.Equal(t, "https://one.example:6443", config.Host)
}

func TestAKubeconfigThatDoesNotWorkIsAnError(t *testing.T) {
	noSurroundings(t)
	text := filepath.Join(t.TempDir(), "text")
	require.NoError(t, os.WriteFile(text, []byte("a: [\n"), 0o600))
	good := kubeconfig(t, token)
	for name, c := range map[string]struct {
		access  cluster.Access
		env     string
		problem string
	}{
		"none":                {cluster.Access{}, "", "no configuration has been provided"},
		"missing":             {cluster.Access{Kubeconfig: good + ".not"}, "", "no such file or directory"},
		"missing in the env":  {cluster.Access{}, good + ".not", "no configuration has been provided"},
		"a directory":         {cluster.Access{Kubeconfig: filepath.Dir(good)}, "", "is a directory"},
		"no YAML":             {cluster.Access{Kubeconfig: text}, "", "yaml"},
		"no YAML, in the env": {cluster.Access{}, text, "yaml"},
		"unknown context":     {cluster.Access{Kubeconfig: good, Context: "three"}, "", `context "three" does not exist`},
		"unknown cluster":     {cluster.Access{Kubeconfig: good, Context: "broken"}, "", "invalid configuration"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("KUBECONFIG", c.env)
			config, err := c.access.Config()
			assert.Nil(t, config)
			require.ErrorContains(t, err, "loading the kubeconfig: ")
			assert.ErrorContains(t, err, c.problem)
		})
	}
}

func TestACredentialPluginRunsOnlyWhereThatIsAllowed(t *testing.T) {
	noSurroundings(t)
	name := kubeconfig(t, exec)
	_, err := cluster.Access{Kubeconfig: name}.Config()
	assert.EqualError(t, err, `loading the kubeconfig: it wants to run the credential plugin "/bin/evil", which is refused unless --allow-exec-plugin is given`)
	t.Setenv("KUBECONFIG", name)
	_, err = cluster.Access{}.Config()
	assert.ErrorContains(t, err, "which is refused")
	config, err := cluster.Access{Kubeconfig: name, AllowExec: true}.Config()
	require.NoError(t, err)
	assert.Equal(t, "/bin/evil", config.ExecProvider.Command)
}

func TestAnUnreachableClusterPutsEveryNeedInTrouble(t *testing.T) {
	needs := append([]grader.Need{{File: "renew.log"}}, everything...)
	state := cluster.Unreachable(needs, errors.New("loading the kubeconfig: no such file"))
	requireAllInTrouble(t, state)
	assert.Zero(t, state.Time)
	assert.Empty(t, state.Version)
	assert.Equal(t, []string{"loading the kubeconfig: no such file (and 3 more requests likewise)"}, state.Troubles())
	assert.Empty(t, cluster.Unreachable(nil, errors.New("x")).Troubles(), "nothing that was needed, no trouble")
}

func dryRun(o grader.Objects) grader.Need {
	return probe(grader.Probe{Name: o.String(), DryRun: &grader.DryRun{Object: o, Type: types.MergePatchType}})
}

func TestRulesAreTheLeastThatCollectingNeeds(t *testing.T) {
	other := lease
	other.Name = "other"
	rules := cluster.Rules([]grader.Need{
		probe(mayUpdate), objects(nameSpace), objects(leases), objects(lease), dryRun(lease), {File: "renew.log"},
		objects(other), objects(configMap), objects(leases), dryRun(lease), probe(micro), objects(lease),
	})
	rule := func(group, resource, name string, verbs ...string) rbacv1.PolicyRule {
		r := rbacv1.PolicyRule{APIGroups: []string{group}, Resources: []string{resource}, Verbs: verbs}
		if name != "" {
			r.ResourceNames = []string{name}
		}
		return r
	}
	assert.Equal(t, []rbacv1.PolicyRule{
		rule("", "configmaps", "settings", "get"),
		rule("", "namespaces", "op-leader", "get"),
		rule("authorization.k8s.io", "subjectaccessreviews", "", "create"),
		rule("coordination.k8s.io", "leases", "", "list"),
		rule("coordination.k8s.io", "leases", "other", "get"),
		rule("coordination.k8s.io", "leases", "widget-operator", "get", "patch"),
	}, rules)
	assert.Empty(t, cluster.Rules(nil))
	assert.Empty(t, cluster.Rules([]grader.Need{{File: "renew.log"}, probe(grader.Probe{Name: "empty"})}))
}

func TestTheAccountCanBeAppliedAndMayOnlyDryRun(t *testing.T) {
	needs := []grader.Need{objects(leases), dryRun(lease), dryRun(configMap), probe(micro), probe(mayUpdate)}
	var kinds []string
	var policy *admissionv1.ValidatingAdmissionPolicy
	for _, object := range cluster.Account(needs) {
		encoded, err := yaml.Marshal(object)
		require.NoError(t, err)
		// What kubectl would make of it is what was meant.
		decoded, kind, err := scheme.Codecs.UniversalDeserializer().Decode(encoded, nil, nil)
		require.NoError(t, err, "%s", encoded)
		kinds = append(kinds, kind.Kind)
		assert.Equal(t, object.GetObjectKind().GroupVersionKind(), *kind)
		switch o := decoded.(type) {
		case *rbacv1.ClusterRole:
			assert.Equal(t, cluster.Rules(needs), o.Rules)
		case *rbacv1.ClusterRoleBinding:
			assert.Equal(t, rbacv1.RoleRef{APIGroup: "rbac.authorization.k8s.io", Kind: "ClusterRole", Name: "grader"}, o.RoleRef)
			assert.Equal(t, []rbacv1.Subject{{Kind: "ServiceAccount", Namespace: "grader", Name: "grader"}}, o.Subjects)
		case *admissionv1.ValidatingAdmissionPolicy:
			policy = o
		case *admissionv1.ValidatingAdmissionPolicyBinding:
			assert.Equal(t, policy.Name, o.Spec.PolicyName)
			assert.Equal(t, []admissionv1.ValidationAction{admissionv1.Deny}, o.Spec.ValidationActions)
		}
	}
	assert.Equal(t, "Namespace ServiceAccount ClusterRole ClusterRoleBinding ValidatingAdmissionPolicy ValidatingAdmissionPolicyBinding", strings.Join(kinds, " "))
	spec := policy.Spec
	assert.Equal(t, admissionv1.Fail, *spec.FailurePolicy)
	assert.Equal(t, `request.userInfo.username == "system:serviceaccount:grader:grader"`, spec.MatchConditions[0].Expression)
	assert.Equal(t, "has(request.dryRun) && request.dryRun", spec.Validations[0].Expression)
	rule := spec.MatchConstraints.ResourceRules[0]
	assert.ElementsMatch(t, []admissionv1.OperationType{"CREATE", "UPDATE", "DELETE"}, rule.Operations)
	assert.Equal(t, []string{"", "coordination.k8s.io"}, rule.APIGroups)
	assert.Equal(t, []string{"configmaps", "leases"}, rule.Resources)
	assert.Equal(t, []string{"*"}, rule.APIVersions)
}
