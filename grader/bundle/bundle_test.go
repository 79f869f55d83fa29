package bundle_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/labgrader/grader"
	"example.com/labgrader/grader/bundle"
	"example.com/labgrader/grader/cluster"
)

func TestABundleIsTheSameAfterWritingAndReading(t *testing.T) {
	before := pack(t, content())
	after, err := bundle.Read(bytes.NewReader(written(t, before)))
	require.NoError(t, err)
	assert.Equal(t, before.Members(), after.Members())
	assert.Equal(t, before.Digest(), after.Digest())
	assert.Equal(t, before.Lab(), after.Lab())
	assert.Equal(t, before.Evidence(), after.Evidence())
	assert.Equal(t, written(t, before), written(t, after))
}

func TestEvidenceIsWhatWasFound(t *testing.T) {
	found := content()
	b := pack(t, found)
	evidence := b.Evidence()
	assert.Equal(t, "op-leader", b.Lab())
	assert.Equal(t, b.Digest(), evidence.Digest)
	assert.Regexp(t, "^sha256:[0-9a-f]{64}$", evidence.Digest)
	assert.Equal(t, time.Date(2026, 1, 1, 18, 4, 5, 0, time.UTC), evidence.CapturedAt)
	assert.Equal(t, found.ServerVersion, evidence.ServerVersion)
	assert.Equal(t, found.Answers, evidence.Answers)
	assert.Equal(t, found.Troubles, evidence.Troubles)
	assert.Len(t, evidence.Files, len(found.Files))
	for _, file := range found.Files {
		assert.Equal(t, file, evidence.Files[file.Name])
	}
	assert.Equal(t, found.Captures, evidence.Cluster.(*cluster.Snapshot).Captures())
}

func TestTheClusterInABundleAnswersAsTheCapture(t *testing.T) {
	reader := pack(t, content()).Evidence().Cluster
	key := client.ObjectKey{Namespace: "op-leader", Name: "widget-operator"}
	var lease coordinationv1.Lease
	require.NoError(t, reader.Get(t.Context(), key, &lease))
	assert.Equal(t, int64(9007199254740993), lease.Generation, "a float would have lost the last digit")
	assert.Equal(t, "리더-租约-\u202e<&>\"\n", *lease.Spec.HolderIdentity)
	assert.Equal(t, int32(3), *lease.Spec.LeaseTransitions)
	err := reader.List(t.Context(), &coordinationv1.LeaseList{}, client.InNamespace("op-leader"))
	assert.EqualError(t, err, "listing leases: forbidden")
	assert.False(t, apierrors.IsNotFound(err))
}

func TestNothingFoundIsABundleToo(t *testing.T) {
	b, err := bundle.Read(bytes.NewReader(written(t, pack(t, bundle.Content{Lab: "op-leader"}))))
	require.NoError(t, err)
	evidence := b.Evidence()
	assert.Zero(t, evidence.CapturedAt)
	assert.Empty(t, evidence.ServerVersion)
	assert.Empty(t, evidence.Files)
	assert.Empty(t, evidence.Answers)
	assert.Empty(t, evidence.Troubles)
	err = evidence.Cluster.Get(t.Context(), client.ObjectKey{Name: "x"}, &coordinationv1.Lease{})
	assert.ErrorContains(t, err, "was not captured")
}

func TestEqualContentGivesEqualBytes(t *testing.T) {
	want := written(t, pack(t, content()))
	for range 5 { // maps come in another order each time
		assert.Equal(t, want, written(t, pack(t, content())))
	}
	sorted := slices.IsSortedFunc(pack(t, content()).Members(), func(a, b bundle.Member) int { return strings.Compare(a.Name, b.Name) })
	assert.True(t, sorted)
}

func TestTheDigestTellsEveryDifference(t *testing.T) {
	seen := map[string]string{}
	for name, change := range map[string]func(*bundle.Content){
		"nothing":       func(*bundle.Content) {},
		"lab":           func(c *bundle.Content) { c.Lab = "other" },
		"time":          func(c *bundle.Content) { c.CapturedAt = c.CapturedAt.Add(time.Second) },
		"version":       func(c *bundle.Content) { c.ServerVersion = "v1.36.0" },
		"file's bytes":  func(c *bundle.Content) { c.Files[0].Data = []byte("other") },
		"file's name":   func(c *bundle.Content) { c.Files[0].Name = "other.txt" },
		"file's state":  func(c *bundle.Content) { c.Files[5].State = grader.FileTooLarge },
		"file's detail": func(c *bundle.Content) { c.Files[6].Detail = "a socket" },
		"object":        func(c *bundle.Content) { c.Captures[0].Items[0].SetGeneration(9007199254740992) },
		"no object":     func(c *bundle.Content) { c.Captures[0].Items = nil },
		"what objects":  func(c *bundle.Content) { c.Captures[0].Objects.Namespace = "other" },
		"trouble":       func(c *bundle.Content) { c.Captures[1].Trouble = "listing leases: refused" },
		"answer":        func(c *bundle.Content) { c.Answers["access"] = grader.Answer{} },
		"troubles":      func(c *bundle.Content) { c.Troubles = nil },
	} {
		c := content()
		change(&c)
		digest := pack(t, c).Digest()
		assert.Empty(t, seen[digest], "%s and %s have the same digest", name, seen[digest])
		seen[digest] = name
	}
}

func TestTheSameInstantInAnotherZoneIsTheSameContent(t *testing.T) {
	c := content()
	c.CapturedAt = c.CapturedAt.In(time.FixedZone("", -3600))
	assert.Equal(t, pack(t, content()).Digest(), pack(t, c).Digest())
}

func TestContentThatCannotBeStoredIsAnError(t *testing.T) {
	c := content()
	c.Captures[0].Items = []unstructured.Unstructured{{Object: map[string]any{"x": func() {}}}}
	_, err := bundle.Pack(c)
	assert.ErrorContains(t, err, "encoding the evidence: ")
}

func TestMembersMustFitTheEvidence(t *testing.T) {
	evidence := func(files string) bundle.Member {
		return bundle.Member{Name: "evidence.json", Data: []byte(`{"lab": "op-leader", "files": [` + files + `]}`)}
	}
	const a = `{"name": "a", "state": "present"}`
	file := func(name string) bundle.Member { return bundle.Member{Name: "files/" + name, Data: []byte("x")} }
	for name, c := range map[string]struct {
		members []bundle.Member
		problem string
	}{
		"nothing":                       {nil, "there is no evidence.json in it"},
		"no evidence":                   {[]bundle.Member{file("a")}, "there is no evidence.json in it"},
		"evidence that is no JSON":      {[]bundle.Member{{Name: "evidence.json", Data: []byte("x")}}, "evidence.json: "},
		"evidence that is empty":        {[]bundle.Member{{Name: "evidence.json"}}, "evidence.json: "},
		"evidence that is a list":       {[]bundle.Member{{Name: "evidence.json", Data: []byte("[]")}}, "evidence.json: "},
		"a present file is not there":   {[]bundle.Member{evidence(a)}, "files/a is not in it"},
		"a file that is not named":      {[]bundle.Member{evidence(a), file("a"), file("b")}, "it holds files/b, which evidence.json does not name"},
		"a file that is missing":        {[]bundle.Member{evidence(`{"name": "a", "state": "missing"}`), file("a")}, "it holds files/a, which evidence.json does not name"},
		"a member that is no file":      {[]bundle.Member{evidence(a), file("a"), {Name: "b"}}, "it holds b, which evidence.json does not name"},
		"named twice, and another file": {[]bundle.Member{evidence(a + "," + a), file("a"), {Name: "b"}}, "it holds b, which evidence.json does not name"},
		"a file twice":                  {[]bundle.Member{evidence(a), file("a"), file("a")}, "it holds files/a twice"},
		"evidence twice":                {[]bundle.Member{evidence(""), evidence("")}, "it holds evidence.json twice"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := bundle.FromMembers(c.members)
			assert.ErrorContains(t, err, "reading the bundle: "+c.problem)
		})
	}
	b, err := bundle.FromMembers([]bundle.Member{file("a"), evidence(a)})
	require.NoError(t, err)
	assert.Equal(t, "x", string(b.Evidence().Files["a"].Data))
}

func TestFromMembersLeavesItsArgumentAlone(t *testing.T) {
	members := slices.Clone(pack(t, content()).Members())
	slices.Reverse(members)
	before := slices.Clone(members)
	b, err := bundle.FromMembers(members)
	require.NoError(t, err)
	assert.Equal(t, before, members)
	assert.Equal(t, pack(t, content()).Digest(), b.Digest(), "the order does not matter")
}

// failing fails after some bytes, as a full disk does.
type failing struct{ left int }

var errFull = errors.New("disk full")

func (w *failing) Write(p []byte) (int, error) {
	if w.left -= len(p); w.left < 0 {
		return 0, errFull
	}
	return len(p), nil
}

func TestWritingReportsThatTheDiskIsFull(t *testing.T) {
	c := content()
	// Bytes that do not compress, so that they are written before the end.
	for i := range 1 << 15 {
		c.Files[0].Data = fmt.Appendf(c.Files[0].Data, "%x", i*i*7919)
	}
	b := pack(t, c)
	size := len(written(t, b))
	for _, left := range []int{0, 1, 100, size / 2, size - 1} {
		assert.ErrorIs(t, b.Write(&failing{left}), errFull, "%d bytes", left)
	}
	assert.NoError(t, b.Write(&failing{size}))
}
