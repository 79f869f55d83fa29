//go:build controlplane

package replay_test

import "strings"

const (
	audit   = `{range .items[*]}{.metadata.name} holder={.spec.holderIdentity} transitions={.spec.leaseTransitions} duration={.spec.leaseDurationSeconds}{"\n"}{end}`
	auditGo = `{{range .items}}{{.metadata.name}} holder={{.spec.holderIdentity}} transitions={{or .spec.leaseTransitions 0}} duration={{.spec.leaseDurationSeconds}}{{"\n"}}{{end}}`
	columns = `NAME:.metadata.name,HOLDER:.spec.holderIdentity,N:.spec.leaseTransitions,D:.spec.leaseDurationSeconds`
	leases  = "/apis/coordination.k8s.io/v1/namespaces/op-leader/leases"
)

// reads are invocations that must give the same output and exit code. A line's words are its arguments.
func reads() [][]string {
	lines := `
get lease
get leases
get leases.coordination.k8s.io
get leases.v1.coordination.k8s.io
get leases -n op-leader
get leases -n other
get leases -n no-such-namespace
get leases -A
get leases -A -o wide
get leases -o wide
get leases -o name
get leases -o json
get leases -o yaml
get leases -A -o json
get leases --no-headers
get leases --show-labels
get leases -L app
get leases --show-kind
get leases --sort-by=.metadata.name
get leases --sort-by=.spec.renewTime
get leases --sort-by={.spec.leaseDurationSeconds} -o name
get leases -l app=widget
get leases -l app=widget -A
get leases -l !app
get leases -l app=none
get leases -l app=a=b
get leases --field-selector metadata.name=widget-operator
get leases --field-selector metadata.name!=widget-operator
get leases --field-selector metadata.namespace=other -A
get leases --field-selector spec.holderIdentity=x
get ns --field-selector status.phase=Active
get ns --field-selector metadata.namespace=x
get leases --chunk-size=1
get leases -A --chunk-size=1 -o name
get leases --chunk-size=0
get leases --server-print=false
get leases -A --server-print=false
get leases -o yaml --show-managed-fields
get lease widget-operator
get lease widget-operator -o yaml
get lease widget-operator -o json
get lease widget-operator -o wide
get lease widget-operator -o name
get lease widget-operator -o json --show-managed-fields
get lease widget-operator -n other -o yaml
get lease widget-operator stale-operator
get lease widget-operator missing stale-operator
get lease/widget-operator lease/stale-operator
get lease/widget-operator configmap/order-1
get lease,configmap
get lease widget-operator -o jsonpath={.spec.renewTime}
get lease widget-operator -o jsonpath-as-json={.spec}
get lease stale-operator -o jsonpath={.spec.leaseTransitions}
get lease no-holder -o jsonpath={.spec.holderIdentity}
get lease missing
get lease missing --ignore-not-found
get lease missing -o yaml
get lease widget-operator -n no-such-namespace
get ns
get ns op-leader
get ns op-leader -o yaml
get ns no-such-namespace
get no-such-resource
get leases.no-such-group.io
get pods.v9.apps
get cm
get cm order-1 -o yaml
get cm order-1 -o jsonpath={.data.phase}
get cm -o yaml
get cm -A
get sa
get sa -o yaml
get sa widget-operator -o wide
get role
get role -o yaml
get role -A
get rolebinding
get rolebinding -o wide
get rolebinding -A -o wide
get rolebinding leader-election -o yaml
get events
get -f testdata/objects.yaml
describe lease widget-operator
describe leases
describe lease missing
describe ns op-leader
describe cm order-1
describe sa widget-operator
describe role leader-election
describe rolebinding leader-election
get --raw /version
get --raw /api
get --raw /apis
get --raw /api/v1
get --raw /apis/coordination.k8s.io
get --raw /apis/coordination.k8s.io/v1
get --raw /apis/rbac.authorization.k8s.io/v1
get --raw /healthz
get --raw /readyz
get --raw LEASES
get --raw LEASES?limit=2
get --raw LEASES?labelSelector=app%3Dwidget
get --raw LEASES?fieldSelector=metadata.name%3Dwidget-operator&resourceVersion=0
get --raw LEASES?fieldSelector=spec.holderIdentity%3Dx
get --raw LEASES?limit=many
get --raw LEASES?resourceVersionMatch=Exact
get --raw LEASES?continue=abc
get --raw LEASES/widget-operator
get --raw LEASES/widget-operator?pretty=true
get --raw LEASES/missing
get --raw LEASES/
get --raw LEASES//widget-operator
get --raw LEASES/widget-operator/status
get --raw /apis/coordination.k8s.io/v1/leases/widget-operator
get --raw /apis/coordination.k8s.io/v1/no-such-resource
get --raw /apis/no-such-group/v1/leases
get --raw /api/v1/namespaces/op-leader/configmaps/order-1
api-resources
api-resources --api-group=coordination.k8s.io
api-resources -o wide
api-resources -o name --namespaced=false
api-versions
version
version -o json
wait --for=jsonpath={.spec.holderIdentity}=widget-operator-1 lease/widget-operator --timeout=5s
wait --for=jsonpath={.spec.holderIdentity}=nobody lease/widget-operator --timeout=1s
`
	all := split(lines)
	return append(all,
		[]string{"get", "leases", "-o", "jsonpath=" + audit},
		[]string{"get", "leases", "-A", "-o", "jsonpath=" + audit},
		[]string{"get", "leases", "-o", "go-template=" + auditGo},
		[]string{"get", "leases", "-o", "custom-columns=" + columns},
		[]string{"get", "leases", "-o", "custom-columns=" + columns, "--no-headers"},
		[]string{"get", "leases", "-A", "-o", "custom-columns=" + columns, "--no-headers", "--sort-by=.metadata.name"},
		[]string{"get", "leases", "-l", "app in (widget,stale)", "-o", "name"},
	)
}

// watches are invocations that --watch is added to.
func watches() [][]string {
	return split(`
get leases -o name
get lease widget-operator -o name
get cm -o name
`)
}

// writes are invocations that a replay must refuse, whatever a real server does.
func writes() [][]string {
	lines := `
delete lease widget-operator
delete lease widget-operator --dry-run=server
delete leases --all
delete ns op-leader
label lease widget-operator a=b
annotate lease widget-operator a=b
apply -f testdata/objects.yaml
apply -f testdata/objects.yaml --validate=false
apply --server-side -f testdata/order.yaml
apply --server-side --force-conflicts -f testdata/order.yaml
apply --server-side --dry-run=server -f testdata/order.yaml
create -f testdata/order.yaml
create ns another
create cm another --dry-run=server
create token widget-operator
replace -f testdata/order.yaml
replace --force -f testdata/order.yaml
edit lease widget-operator
diff -f testdata/order.yaml
auth can-i get leases
auth whoami
get leases --as=system:admin
get secrets
get pods
get nodes
get clusterroles
exec some-pod -- id
logs some-pod
port-forward some-pod 8080:80
get --raw /api/v1/namespaces/op-leader/pods/some-pod/proxy/
get --raw /api/v1/namespaces/op-leader/status
get --raw /api/v1/nodes/some-node/proxy/run
get --raw /metrics
`
	all := split(lines)
	patch := []string{"patch", "lease", "widget-operator", "--type=merge", "-p", `{"spec":{"leaseTransitions":7}}`}
	return append(all, patch, append(patch[:len(patch):len(patch)], "--dry-run=server"))
}

func split(lines string) [][]string {
	var all [][]string
	for line := range strings.Lines(strings.ReplaceAll(strings.TrimSpace(lines), "LEASES", leases)) {
		all = append(all, strings.Fields(line))
	}
	return all
}
