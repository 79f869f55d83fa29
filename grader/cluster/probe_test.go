package cluster_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/types"

	"example.com/labgrader/grader"
)

func TestADryRunReturnsTheServersAnswer(t *testing.T) {
	const sentence = `Lease.coordination.k8s.io "widget-operator" is invalid: spec.renewTime: "seconds" <no micro>`
	for name, c := range map[string]struct {
		handler http.HandlerFunc
		want    grader.Answer
	}{
		"accepted":      {func(w http.ResponseWriter, _ *http.Request) { sendJSON(w, 200, leaseObject("widget-operator")) }, grader.Answer{Allowed: true}},
		"invalid":       {refuse(422, "Invalid", sentence), grader.Answer{Code: 422, Message: sentence}},
		"bad request":   {refuse(400, "BadRequest", sentence), grader.Answer{Code: 400, Message: sentence}},
		"conflict":      {refuse(409, "Conflict", sentence), grader.Answer{Code: 409, Message: sentence}},
		"without words": {refuse(400, "BadRequest", ""), grader.Answer{Code: 400}},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, c.want, serve(t, serveLease(c.handler)).answer(t, micro))
		})
	}
}

func TestADryRunThatIsNotAnsweredIsTrouble(t *testing.T) {
	for name, c := range map[string]struct {
		handler http.HandlerFunc
		problem string
	}{
		"403":                   {refuse(403, "Forbidden", "no patching"), "no patching"},
		"401":                   {refuse(401, "Unauthorized", "who"), "who"},
		"404, gone in between":  {refuse(404, "NotFound", "gone"), "gone"},
		"415":                   {refuse(415, "UnsupportedMediaType", "no apply"), "no apply"},
		"429":                   {refuse(429, "TooManyRequests", "busy"), "busy"},
		"500":                   {refuse(500, "InternalError", "webhook"), "webhook"},
		"400 of a proxy":        {reply(400, "text/html", "<html>Bad Request</html>"), "the server rejected our request"},
		"409 of a proxy":        {reply(409, "text/plain", "conflict"), ""},
		"422 of a proxy":        {reply(422, "application/json", `{"error": "no"}`), ""},
		"an answer that is cut": {reply(200, "application/json", `{"kind":"Le`), ""},
	} {
		t.Run(name, func(t *testing.T) {
			answer := serve(t, serveLease(c.handler)).answer(t, micro)
			assert.Equal(t, grader.Answer{Trouble: answer.Trouble}, answer)
			assert.Contains(t, answer.Trouble, "dry-running a patch of leases.coordination.k8s.io op-leader/widget-operator: ")
			assert.Contains(t, answer.Trouble, c.problem)
			oneLine(t, answer.Trouble)
		})
	}
}

func TestOfAnObjectThatDoesNotExistNothingIsPatched(t *testing.T) {
	// An apply would try to create it.
	server := serve(t, refuse(404, "NotFound", "not found"))
	assert.Equal(t, grader.Answer{Absent: true}, server.answer(t, micro))
	assert.Empty(t, server.asked(http.MethodPatch))
}

func TestWhereTheObjectCannotBeSeenNothingIsPatched(t *testing.T) {
	for name, c := range troubles {
		t.Run(name, func(t *testing.T) {
			server := serve(t, c.handler)
			answer := server.answer(t, micro)
			assert.Equal(t, grader.Answer{Trouble: answer.Trouble}, answer)
			assert.Contains(t, answer.Trouble, "getting leases.coordination.k8s.io op-leader/widget-operator: ")
			assert.Empty(t, server.asked(http.MethodPatch))
		})
	}
}

func TestADryRunIsSentAsDeclared(t *testing.T) {
	for kind, force := range map[types.PatchType]bool{types.MergePatchType: false, types.JSONPatchType: false, types.StrategicMergePatchType: false, types.ApplyPatchType: true} {
		t.Run(string(kind), func(t *testing.T) {
			var contentType atomic.Value
			server := serve(t, serveLease(func(w http.ResponseWriter, r *http.Request) {
				contentType.Store(r.Header.Get("Content-Type"))
				sendStatus(w, 409, "Conflict", "conflict with other")
			}))
			p := grader.Probe{Name: "p", DryRun: &grader.DryRun{Object: lease, Type: kind, Body: `{"spec": {"holderIdentity": "x"}}`, FieldManager: "second"}}
			server.answer(t, p)
			sent := server.asked(http.MethodPatch)
			require.Len(t, sent, 1)
			assert.Equal(t, leasePath, sent[0].path)
			assert.Equal(t, p.DryRun.Body, sent[0].body)
			assert.Equal(t, string(kind), contentType.Load())
			want := url.Values{"dryRun": {"All"}, "fieldManager": {"second"}, "timeout": {"20s"}}
			if force {
				want.Set("force", "false") // a forced apply would never meet the conflict
			}
			assert.Equal(t, want, sent[0].query)
		})
	}
}

// review answers access reviews, by the number of the request.
func review(count *atomic.Int64, status func(n int64) map[string]any) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		object := map[string]any{"apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview"}
		if s := status(count.Add(1)); s != nil {
			object["status"] = s
		}
		sendJSON(w, 201, object)
	}
}

func usually(usual bool) grader.Probe {
	access := *mayUpdate.Access
	access.Usually = usual
	return grader.Probe{Name: "access", Access: &access}
}

func TestAnAccessReviewAsksForTheSubject(t *testing.T) {
	var count atomic.Int64
	server := serve(t, review(&count, func(int64) map[string]any { return map[string]any{"allowed": true, "reason": "RBAC"} }))
	assert.Equal(t, grader.Answer{Allowed: true}, server.answer(t, mayUpdate))
	sent := server.asked(http.MethodPost)
	require.Len(t, sent, 1, "the usual answer is believed at once")
	assert.Equal(t, reviewPath, sent[0].path)
	var got map[string]any
	require.NoError(t, json.Unmarshal([]byte(sent[0].body), &got))
	assert.Equal(t, map[string]any{
		"apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview",
		"spec": map[string]any{
			"user": "system:serviceaccount:op-leader:op", "groups": []any{"system:authenticated"},
			"resourceAttributes": map[string]any{"verb": "update", "group": "coordination.k8s.io", "resource": "leases", "namespace": "op-leader"},
		},
	}, got)
}

func TestAnUnusualAnswerIsAskedForAgain(t *testing.T) {
	t.Parallel() // the pauses between the questions add up to more than a second
	for name, c := range map[string]struct {
		usual     bool
		usualFrom int64 // the number of the request from which on the answer is the usual one
		allowed   bool
		asked     int64
	}{
		"usually yes, yes at once":    {true, 1, true, 1},
		"usually yes, yes the second": {true, 2, true, 2},
		"usually yes, yes the fourth": {true, 4, true, 4},
		"usually yes, always no":      {true, 5, false, 4},
		"usually no, no at once":      {false, 1, false, 1},
		"usually no, no the third":    {false, 3, false, 3},
		"usually no, always yes":      {false, 5, true, 4},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var count atomic.Int64
			server := serve(t, review(&count, func(n int64) map[string]any {
				return map[string]any{"allowed": (n >= c.usualFrom) == c.usual}
			}))
			assert.Equal(t, grader.Answer{Allowed: c.allowed}, server.answer(t, usually(c.usual)))
			assert.Equal(t, c.asked, count.Load())
		})
	}
}

func TestAnAccessReviewThatIsNotAnsweredIsTrouble(t *testing.T) {
	var count atomic.Int64
	status := func(s map[string]any) http.HandlerFunc {
		return review(&count, func(int64) map[string]any { return s })
	}
	for name, c := range map[string]struct {
		handler http.HandlerFunc
		problem string
	}{
		"403":               {refuse(403, "Forbidden", "no reviews"), "no reviews"},
		"404":               {refuse(404, "NotFound", "no such API"), "no such API"},
		"500":               {refuse(500, "InternalError", "down"), "down"},
		"no status":         {status(nil), "the answer has no status"},
		"an empty status":   {status(map[string]any{}), "the answer has no status"},
		"no yes or no":      {status(map[string]any{"allowed": "yes"}), "the answer has no status"},
		"nothing of a kind": {reply(201, "application/json", `{}`), "'Kind' is missing"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, usual := range []bool{true, false} {
				server := serve(t, c.handler)
				answer := server.answer(t, usually(usual))
				assert.Equal(t, grader.Answer{Trouble: answer.Trouble}, answer)
				assert.Contains(t, answer.Trouble, "reviewing the access of system:serviceaccount:op-leader:op: ")
				assert.Contains(t, answer.Trouble, c.problem)
				assert.Len(t, server.asked(http.MethodPost), 1, "trouble is not asked for again")
			}
		})
	}
}

func TestAnEvaluationErrorBesideANoIsStillANo(t *testing.T) {
	t.Parallel()
	var count atomic.Int64
	server := serve(t, review(&count, func(int64) map[string]any {
		return map[string]any{"allowed": false, "evaluationError": "role not found"}
	}))
	assert.Equal(t, grader.Answer{}, server.answer(t, usually(false)))
}

func TestAnEmptyProbeIsTrouble(t *testing.T) {
	server := serve(t, refuse(500, "", ""))
	assert.Equal(t, grader.Answer{Trouble: "asking nothing: the probe is empty"}, server.answer(t, grader.Probe{Name: "nothing"}))
}
