package collect_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/labgrader/grader"
	"example.com/labgrader/grader/cluster"
	"example.com/labgrader/grader/collect"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// lab has two steps that share some of what they need.
func lab() grader.Lab {
	lease := grader.Objects{
		Kind:     schema.GroupVersionKind{Group: "coordination.k8s.io", Version: "v1", Kind: "Lease"},
		Resource: "leases", Namespace: "op-leader", Name: "widget-operator",
	}
	list := lease
	list.Name = ""
	criterion := func(name string, needs ...grader.Need) grader.Criterion {
		return grader.Criterion{Name: name, Doc: "Is there.", Points: 50, Needs: needs}
	}
	first := criterion("first", grader.Need{File: "one.txt"}, grader.Need{File: "missing.txt"}, grader.Need{Objects: &lease})
	second := criterion("second", grader.Need{File: "one.txt"}, grader.Need{File: "two.txt"}, grader.Need{Objects: &lease}, grader.Need{Objects: &list},
		grader.Need{Probe: &grader.Probe{Name: "patch", DryRun: &grader.DryRun{Object: lease, Type: types.MergePatchType, Body: "{}"}}})
	return grader.Lab{Name: "op-leader", Checks: []grader.Check{
		{Step: 1, Name: "one", Criteria: []grader.Criterion{first}}, {Step: 2, Name: "two", Criteria: []grader.Criterion{second}},
	}}
}

// server answers as an API server with one lease, and remembers what it was asked.
type server struct {
	*httptest.Server
	mu    sync.Mutex
	asked []string
}

func serve(t *testing.T) *server {
	t.Helper()
	s := &server{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.asked = append(s.asked, r.Method+" "+r.URL.Path)
		s.mu.Unlock()
		const object = `{"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{"name":"widget-operator"},"spec":{"leaseTransitions":3}}`
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Date", "Fri, 02 Jan 2026 03:04:05 GMT")
		switch {
		case r.URL.Path == "/version":
			_, _ = fmt.Fprint(w, `{"gitVersion":"v1.37.2"}`)
		case r.Method == http.MethodPatch:
			w.WriteHeader(422)
			_, _ = fmt.Fprint(w, `{"apiVersion":"v1","kind":"Status","status":"Failure","reason":"Invalid","message":"not so","code":422}`)
		case strings.HasSuffix(r.URL.Path, "/leases"):
			_, _ = fmt.Fprint(w, `{"apiVersion":"coordination.k8s.io/v1","kind":"LeaseList","metadata":{},"items":[`+object+`]}`)
		default:
			_, _ = fmt.Fprint(w, object)
		}
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *server) requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.asked...)
}

// source is a submission with two files, and a kubeconfig for a server.
func source(t *testing.T, host string) collect.Source {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "one.txt"), []byte("one\n"), 0o644))
	require.NoError(t, os.Symlink("one.txt", filepath.Join(dir, "two.txt")))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "unasked.txt"), []byte("private\n"), 0o644))
	kubeconfig := filepath.Join(t.TempDir(), "config")
	content := `{"apiVersion": "v1", "kind": "Config", "current-context": "x", "contexts": [{"name": "x", "context": {"cluster": "x"}}],
"clusters": [{"name": "x", "cluster": {"server": "` + host + `"}}]}`
	require.NoError(t, os.WriteFile(kubeconfig, []byte(content), 0o600))
	return collect.Source{Dir: dir, Access: cluster.Access{Kubeconfig: kubeconfig}}
}

// progress remembers what it was told.
type progress struct {
	mu          sync.Mutex
	done, total []int
}

func (p *progress) tell(done, total int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done, p.total = append(p.done, done), append(p.total, total)
}

func run(t *testing.T, from collect.Source, steps ...int) (*grader.Evidence, *progress) {
	t.Helper()
	told := &progress{}
	b, err := collect.Run(t.Context(), lab(), steps, from, told.tell)
	require.NoError(t, err)
	assert.Equal(t, "op-leader", b.Lab())
	return b.Evidence(), told
}

var leaseKey = client.ObjectKey{Namespace: "op-leader", Name: "widget-operator"}

func TestFilesAndClusterAreGathered(t *testing.T) {
	evidence, told := run(t, source(t, serve(t).URL))
	assert.Equal(t, map[string]grader.File{
		"one.txt":     {Name: "one.txt", State: grader.FilePresent, Data: []byte("one\n")},
		"two.txt":     {Name: "two.txt", State: grader.FileNotRegular, Detail: "a symbolic link"},
		"missing.txt": {Name: "missing.txt", State: grader.FileMissing},
	}, evidence.Files)
	var lease coordinationv1.Lease
	require.NoError(t, evidence.Cluster.Get(t.Context(), leaseKey, &lease))
	assert.Equal(t, int32(3), *lease.Spec.LeaseTransitions)
	assert.NoError(t, evidence.Cluster.List(t.Context(), &coordinationv1.LeaseList{}, client.InNamespace("op-leader")))
	assert.Equal(t, map[string]grader.Answer{"patch": {Code: 422, Message: "not so"}}, evidence.Answers)
	assert.Equal(t, "v1.37.2", evidence.ServerVersion)
	assert.Equal(t, "2026-01-02T03:04:05Z", evidence.CapturedAt.Format("2006-01-02T15:04:05Z07:00"))
	assert.Empty(t, evidence.Troubles)

	assert.ElementsMatch(t, []int{1, 2, 3, 4, 5, 6}, told.done, "each need is reported once")
	assert.Equal(t, []int{6, 6, 6, 6, 6, 6}, told.total)
}

func TestTheSameStateGivesTheSameEvidence(t *testing.T) {
	from := source(t, serve(t).URL)
	first, _ := run(t, from)
	for range 3 {
		again, _ := run(t, from)
		assert.Equal(t, first.Digest, again.Digest)
	}
}

func TestOnlyWhatTheChosenStepsNeedIsGathered(t *testing.T) {
	api := serve(t)
	evidence, told := run(t, source(t, api.URL), 1)
	assert.Len(t, evidence.Files, 2)
	assert.Empty(t, evidence.Answers)
	assert.Equal(t, 3, told.total[0])
	assert.ElementsMatch(t, []int{1, 2, 3}, told.done)
	assert.ElementsMatch(t, []string{"GET /version", "GET /apis/coordination.k8s.io/v1/namespaces/op-leader/leases/widget-operator"}, api.requests())
	err := evidence.Cluster.List(t.Context(), &coordinationv1.LeaseList{}, client.InNamespace("op-leader"))
	assert.ErrorContains(t, err, "was not captured")
}

func TestADirectoryThatDoesNotExistIsASubmissionWithoutFiles(t *testing.T) {
	from := source(t, serve(t).URL)
	from.Dir = filepath.Join(from.Dir, "nothing")
	evidence, _ := run(t, from)
	for _, file := range evidence.Files {
		assert.Equal(t, grader.FileMissing, file.State, file.Name)
	}
	assert.Len(t, evidence.Files, 3)
	assert.Empty(t, evidence.Troubles)
}

func TestADirectoryThatCannotBeReadIsTroubleButTheClusterIsThere(t *testing.T) {
	from := source(t, serve(t).URL)
	from.Dir = filepath.Join(from.Dir, "one.txt")
	evidence, told := run(t, from)
	require.Len(t, evidence.Files, 3)
	for _, file := range evidence.Files {
		assert.Equal(t, grader.FileUnreadable, file.State, file.Name)
		assert.Contains(t, file.Detail, "not a directory", file.Name)
	}
	require.Len(t, evidence.Troubles, 1, "said once, not for each file")
	assert.Contains(t, evidence.Troubles[0], "opening the submission: ")
	assert.NoError(t, evidence.Cluster.Get(t.Context(), leaseKey, &coordinationv1.Lease{}))
	assert.Len(t, told.done, 6)
}

func TestAFileThatCannotBeReadIsTroubleOfItsOwn(t *testing.T) {
	l := lab()
	l.Checks[0].Criteria[0].Needs[0].File = strings.Repeat("x", 300) // longer than a name may be
	b, err := collect.Run(t.Context(), l, []int{1}, source(t, serve(t).URL), func(int, int) {})
	require.NoError(t, err)
	evidence := b.Evidence()
	assert.Equal(t, grader.FileUnreadable, evidence.Files[l.Checks[0].Criteria[0].Needs[0].File].State)
	assert.Equal(t, grader.FileMissing, evidence.Files["missing.txt"].State)
	require.Len(t, evidence.Troubles, 1)
	assert.Contains(t, evidence.Troubles[0], "reading xxx")
}

// requireClusterInTrouble requires that nothing about the cluster is taken for known, while the files are there.
func requireClusterInTrouble(t *testing.T, evidence *grader.Evidence, problem string) {
	t.Helper()
	assert.Equal(t, "one\n", string(evidence.Files["one.txt"].Data))
	err := evidence.Cluster.Get(t.Context(), leaseKey, &coordinationv1.Lease{})
	assert.ErrorContains(t, err, problem)
	assert.False(t, apierrors.IsNotFound(err))
	assert.ErrorContains(t, evidence.Cluster.List(t.Context(), &coordinationv1.LeaseList{}, client.InNamespace("op-leader")), problem)
	assert.Contains(t, evidence.Answers["patch"].Trouble, problem)
	assert.Zero(t, evidence.CapturedAt)
	require.Len(t, evidence.Troubles, 1)
	assert.Contains(t, evidence.Troubles[0], problem)
}

func TestWithoutAKubeconfigTheFilesAreStillThere(t *testing.T) {
	api := serve(t)
	from := source(t, api.URL)
	from.Access.Kubeconfig += ".not"
	evidence, _ := run(t, from)
	requireClusterInTrouble(t, evidence, "loading the kubeconfig: ")
	assert.Empty(t, api.requests())
}

func TestWithoutAServerTheFilesAreStillThere(t *testing.T) {
	api := serve(t)
	api.Close()
	evidence, told := run(t, source(t, api.URL))
	requireClusterInTrouble(t, evidence, "connection refused")
	assert.Len(t, told.done, 6)
}

func TestWhenTheContextEndedTheRestIsTrouble(t *testing.T) {
	api := serve(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	b, err := collect.Run(ctx, lab(), nil, source(t, api.URL), func(int, int) {})
	require.NoError(t, err)
	requireClusterInTrouble(t, b.Evidence(), "context canceled")
	assert.Empty(t, api.requests())
}
