package cluster_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"go.uber.org/goleak"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"

	"example.com/labgrader/grader"
	"example.com/labgrader/grader/cluster"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var (
	lease = grader.Objects{
		Kind:     schema.GroupVersionKind{Group: "coordination.k8s.io", Version: "v1", Kind: "Lease"},
		Resource: "leases", Namespace: "op-leader", Name: "widget-operator",
	}
	leases     = grader.Objects{Kind: lease.Kind, Resource: lease.Resource, Namespace: lease.Namespace}
	configMap  = grader.Objects{Kind: schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"}, Resource: "configmaps", Namespace: "op-leader", Name: "settings"}
	nameSpace  = grader.Objects{Kind: schema.GroupVersionKind{Version: "v1", Kind: "Namespace"}, Resource: "namespaces", Name: "op-leader"}
	micro      = grader.Probe{Name: "micro", DryRun: &grader.DryRun{Object: lease, Type: types.MergePatchType, Body: `{"spec":{"renewTime":"2026-01-02T03:04:05Z"}}`, FieldManager: "test"}}
	mayUpdate  = grader.Probe{Name: "may-update", Access: &grader.Access{User: "system:serviceaccount:op-leader:op", Groups: []string{"system:authenticated"}, Verb: "update", Group: "coordination.k8s.io", Resource: "leases", Namespace: "op-leader", Usually: true}}
	leasePath  = "/apis/coordination.k8s.io/v1/namespaces/op-leader/leases/widget-operator"
	leasesPath = "/apis/coordination.k8s.io/v1/namespaces/op-leader/leases"
	reviewPath = "/apis/authorization.k8s.io/v1/subjectaccessreviews"
)

func objects(o grader.Objects) grader.Need { return grader.Need{Objects: &o} }
func probe(p grader.Probe) grader.Need     { return grader.Need{Probe: &p} }

// asked is one request that an API server got.
type asked struct {
	method, path string
	query        url.Values
	body         string
}

// api is an API server that answers as a test says, and remembers what it was asked.
type api struct {
	*httptest.Server
	mu  sync.Mutex
	all []asked
}

// serve starts an API server. When the test ends, it requires of every request that it changed nothing.
func serve(t *testing.T, handler http.HandlerFunc) *api {
	t.Helper()
	a := &api{}
	a.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		a.mu.Lock()
		a.all = append(a.all, asked{r.Method, r.URL.Path, r.URL.Query(), string(body)})
		a.mu.Unlock()
		if r.URL.Path == "/version" {
			_, _ = io.WriteString(w, `{"major": "1", "gitVersion": "v1.37.2"}`)
			return
		}
		handler(w, r)
	}))
	t.Cleanup(func() {
		a.Close()
		for _, r := range a.asked("") {
			dryRun := r.method == http.MethodPatch && assert.ObjectsAreEqual([]string{"All"}, r.query["dryRun"])
			review := r.method == http.MethodPost && r.path == reviewPath
			assert.True(t, r.method == http.MethodGet || dryRun || review, "%+v", r)
		}
	})
	return a
}

// asked returns the requests of a method, or with an empty one all.
func (a *api) asked(method string) []asked {
	a.mu.Lock()
	defer a.mu.Unlock()
	var some []asked
	for _, r := range a.all {
		if method == "" || r.method == method {
			some = append(some, r)
		}
	}
	return some
}

func (a *api) config() *rest.Config { return &rest.Config{Host: a.URL} }

// collect asks the API server, and requires that each need is reported as answered.
func (a *api) collect(t *testing.T, needs ...grader.Need) *cluster.State {
	t.Helper()
	var answered atomic.Int64
	state := cluster.Collect(t.Context(), a.config(), needs, func() { answered.Add(1) })
	assert.Equal(t, int64(len(needs)), answered.Load())
	return state
}

// capture collects one need for objects.
func (a *api) capture(t *testing.T, o grader.Objects) cluster.Capture {
	t.Helper()
	captures := a.collect(t, objects(o)).Snapshot.Captures()
	assert.Len(t, captures, 1)
	assert.Equal(t, o, captures[0].Objects)
	return captures[0]
}

// answer collects one probe.
func (a *api) answer(t *testing.T, p grader.Probe) grader.Answer {
	t.Helper()
	answers := a.collect(t, probe(p)).Answers
	assert.Len(t, answers, 1)
	return answers[p.Name]
}

// reply answers every request the same.
func reply(code int, contentType, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { send(w, code, contentType, body) }
}

func send(w http.ResponseWriter, code int, contentType, body string) {
	w.Header().Set("Content-Type", contentType)
	w.WriteHeader(code)
	_, _ = io.WriteString(w, body)
}

// refuse answers every request with a Status, as an API server does.
func refuse(code int, reason, message string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { sendStatus(w, code, reason, message) }
}

func sendStatus(w http.ResponseWriter, code int, reason, message string) {
	sendJSON(w, code, map[string]any{
		"kind": "Status", "apiVersion": "v1", "metadata": map[string]any{}, "status": "Failure", "reason": reason, "message": message, "code": code,
	})
}

func sendJSON(w http.ResponseWriter, code int, object map[string]any) {
	encoded, _ := json.Marshal(object)
	send(w, code, "application/json", string(encoded))
}

func leaseObject(name string) map[string]any {
	return map[string]any{
		"apiVersion": "coordination.k8s.io/v1", "kind": "Lease",
		"metadata": map[string]any{"name": name, "namespace": "op-leader"},
		"spec":     map[string]any{"holderIdentity": "operator-a", "leaseTransitions": 3},
	}
}

func leaseList(next string, names ...string) map[string]any {
	items := make([]any, len(names))
	for i, name := range names {
		items[i] = leaseObject(name)
	}
	return map[string]any{"apiVersion": "coordination.k8s.io/v1", "kind": "LeaseList", "metadata": map[string]any{"continue": next}, "items": items}
}

// serveLease serves the lease, and leaves the rest to next.
func serveLease(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet && r.URL.Path == leasePath {
			sendJSON(w, 200, leaseObject("widget-operator"))
			return
		}
		next(w, r)
	}
}

// numberedNames returns n names.
func numberedNames(prefix string, n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("%s-%04d", prefix, i)
	}
	return names
}

// hang holds a request until the client gives up.
func hang(_ http.ResponseWriter, r *http.Request) {
	select {
	case <-r.Context().Done():
	case <-time.After(30 * time.Second): // the test has failed by then
	}
}

// oneLine requires of a sentence about trouble that it is one, and that it shows no query.
func oneLine(t *testing.T, sentence string) {
	t.Helper()
	assert.NotEmpty(t, sentence)
	assert.NotContains(t, sentence, "\n")
	assert.False(t, strings.Contains(sentence, "?") || strings.Contains(sentence, "limit="), sentence)
}
