package cluster_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/client-go/rest"

	"example.com/labgrader/grader"
	"example.com/labgrader/grader/cluster"
)

func TestObjectsAreCapturedSideBySideAndKeepTheirOrder(t *testing.T) {
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case leasePath:
			sendJSON(w, 200, leaseObject("widget-operator"))
		case leasesPath:
			sendJSON(w, 200, leaseList("", "a", "b"))
		case "/api/v1/namespaces/op-leader":
			sendJSON(w, 200, map[string]any{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": "op-leader"}})
		default:
			sendStatus(w, 404, "NotFound", "not found")
		}
	})
	wanted := []grader.Objects{lease, leases, nameSpace, configMap}
	needs := []grader.Need{{File: "renew.log"}} // no matter of the cluster
	for _, o := range wanted {
		needs = append(needs, objects(o))
	}
	answered := make(chan struct{}, len(needs))
	state := cluster.Collect(t.Context(), server.config(), needs, func() { answered <- struct{}{} })
	assert.Len(t, answered, len(wanted))
	captures := state.Snapshot.Captures()
	require.Len(t, captures, len(wanted))
	for i, count := range []int{1, 2, 1, 0} {
		assert.Equal(t, wanted[i], captures[i].Objects)
		assert.Len(t, captures[i].Items, count, "%s", wanted[i])
		assert.Empty(t, captures[i].Trouble)
	}
	assert.Equal(t, int64(3), captures[0].Items[0].Object["spec"].(map[string]any)["leaseTransitions"])
	assert.Equal(t, "v1.37.2", state.Version)
	assert.WithinDuration(t, time.Now(), state.Time, time.Minute)
	assert.Empty(t, state.Troubles())
}

// A web server or proxy between grader and cluster has its own words, which say nothing about the learner's objects.
var troubles = map[string]struct {
	handler http.HandlerFunc
	problem string
}{
	"401":                        {refuse(401, "Unauthorized", "who are you"), "who are you"},
	"403":                        {refuse(403, "Forbidden", "leases is forbidden"), "leases is forbidden"},
	"410":                        {refuse(410, "Expired", "too old"), "too old"},
	"429 without Retry-After":    {refuse(429, "TooManyRequests", "busy"), "busy"},
	"500":                        {refuse(500, "InternalError", "etcd is gone"), "etcd is gone"},
	"503":                        {refuse(503, "ServiceUnavailable", "starting"), "starting"},
	"500 in plain text":          {reply(500, "text/plain", "oops"), "oops"},
	"404 in HTML":                {reply(404, "text/html", "<html>Not Found</html>"), "the server could not find the requested resource"},
	"404 in plain text":          {reply(404, "text/plain", "404 page not found\n"), "the server could not find the requested resource"},
	"404 without a body":         {reply(404, "application/json", ""), "the server could not find the requested resource"},
	"404 in another JSON":        {reply(404, "application/json", `{"type":"error","status":404,"code":"NotFound"}`), "the server could not find the requested resource"},
	"404 in a half Status":       {reply(404, "application/json", `{"kind":"Status","apiVersion":"v1","reason":"NotF`), "the server could not find the requested resource"},
	"400 in HTML":                {reply(400, "text/html", "<html>header too large</html>"), "the server rejected our request for an unknown reason"},
	"truncated JSON":             {reply(200, "application/json", `{"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{"na`), "unexpected end of JSON input"},
	"fewer bytes than announced": {short, "unexpected EOF"},
	"a JSON string":              {reply(200, "application/json", `"hello"`), "cannot unmarshal"},
	"a JSON list":                {reply(200, "application/json", `[]`), "cannot unmarshal"},
	"a JSON null":                {reply(200, "application/json", `null`), "'Kind' is missing"},
	"an object without kind":     {reply(200, "application/json", `{}`), "'Kind' is missing"},
	"a Status of success":        {reply(200, "application/json", `{"kind":"Status","apiVersion":"v1","status":"Success"}`), "the server answered with "},
	"a Status of failure, 200":   {refuse(200, "NotFound", "not found"), ""},
	"an object of another kind":  {reply(200, "application/json", `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"widget-operator"}}`), "the server answered with "},
	"a login page":               {reply(200, "text/html", "<html>Log in</html>"), "serializer for text/html doesn't exist"},
	"nothing":                    {reply(200, "application/json", ""), ""},
	"no content":                 {reply(204, "application/json", ""), ""},
	"more than 16 MiB":           {endless, "it is larger than 16777216 bytes"},
}

// short announces more than it sends.
func short(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Length", "1000")
	send(w, 200, "application/json", `{"apiVersion":"coordination.k8s.io/v1",`)
}

// endless sends JSON for as long as somebody reads it.
func endless(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	_, err := io.WriteString(w, `{"kind":"Lease","x":"`)
	for block := strings.Repeat("x", 1<<20); err == nil; {
		_, err = io.WriteString(w, block)
	}
}

func TestAnAnswerThatSaysNothingAboutAnObjectIsTrouble(t *testing.T) {
	for name, c := range troubles {
		for _, o := range []grader.Objects{lease, leases} {
			t.Run(name+", "+o.String(), func(t *testing.T) {
				capture := serve(t, c.handler).capture(t, o)
				assert.Empty(t, capture.Items)
				assert.Contains(t, capture.Trouble, c.problem)
				assert.Contains(t, capture.Trouble, o.String()+": ")
				oneLine(t, capture.Trouble)
			})
		}
	}
}

func TestOnlyTheAPIServersOwnNotFoundMeansAbsent(t *testing.T) {
	notFound := refuse(404, "NotFound", `leases.coordination.k8s.io "widget-operator" not found`)
	capture := serve(t, notFound).capture(t, lease)
	assert.Equal(t, cluster.Capture{Objects: lease}, capture)
	// A list that is not found is no empty list: the API server has no such resource.
	capture = serve(t, notFound).capture(t, leases)
	assert.Contains(t, capture.Trouble, "listing leases.coordination.k8s.io in op-leader: ")
	// An object of another name would else look like a missing one.
	capture = serve(t, func(w http.ResponseWriter, _ *http.Request) { sendJSON(w, 200, leaseObject("other")) }).capture(t, lease)
	assert.Contains(t, capture.Trouble, `the server answered with the Lease "other" instead`)
}

func TestARefusedKindLeavesTheOthersAlone(t *testing.T) {
	server := serve(t, serveLease(refuse(403, "Forbidden", "configmaps is forbidden")))
	state := server.collect(t, objects(lease), objects(configMap))
	captures := state.Snapshot.Captures()
	assert.Len(t, captures[0].Items, 1)
	assert.Contains(t, captures[1].Trouble, "getting configmaps op-leader/settings: ")
	assert.Equal(t, []string{"getting configmaps op-leader/settings: configmaps is forbidden"}, state.Troubles())
}

func TestARefusedConnectionIsTrouble(t *testing.T) {
	server := serve(t, refuse(500, "", ""))
	server.Close()
	state := server.collect(t, objects(lease), objects(leases), objects(configMap), probe(micro), probe(mayUpdate))
	for _, capture := range state.Snapshot.Captures() {
		assert.Contains(t, capture.Trouble, "connection refused")
		oneLine(t, capture.Trouble)
	}
	assert.Zero(t, state.Time)
	assert.Empty(t, state.Version)
	require.Len(t, state.Troubles(), 1, "one reason is one sentence")
	assert.Contains(t, state.Troubles()[0], "asking "+server.URL+": dial tcp")
	assert.Contains(t, state.Troubles()[0], "(and 4 more requests likewise)")
}

func TestAListIsReadPageByPage(t *testing.T) {
	names := numberedNames("lease", 450)
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		limit, _ := strconv.Atoi(r.URL.Query().Get("limit"))
		from, _ := strconv.Atoi(r.URL.Query().Get("continue"))
		next := ""
		if from+limit < len(names) {
			next = strconv.Itoa(from + limit)
		}
		sendJSON(w, 200, leaseList(next, names[from:min(from+limit, len(names))]...))
	})
	capture := server.capture(t, leases)
	assert.Empty(t, capture.Trouble)
	var got []string
	for _, item := range capture.Items {
		got = append(got, item.GetName())
	}
	assert.Equal(t, names, got)
	pages := slices.DeleteFunc(server.asked("GET"), func(r asked) bool { return r.path != leasesPath })
	assert.Len(t, pages, 3)
}

func TestAListOfMoreThan2000ObjectsIsTrouble(t *testing.T) {
	for count, problem := range map[int]string{2000: "", 2001: "listing leases.coordination.k8s.io in op-leader: there are more than 2000"} {
		server := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			sendJSON(w, 200, leaseList("", numberedNames("lease", count)...)) // more than was asked for
		})
		capture := server.capture(t, leases)
		assert.Equal(t, problem, capture.Trouble)
		assert.Equal(t, problem == "", len(capture.Items) == count)
	}
}

func TestAListThatNeverEndsIsTrouble(t *testing.T) {
	for name, page := range map[string][]string{"empty pages": nil, "one object each": {"a"}} {
		t.Run(name, func(t *testing.T) {
			server := serve(t, func(w http.ResponseWriter, _ *http.Request) { sendJSON(w, 200, leaseList("more", page...)) })
			capture := server.capture(t, leases)
			assert.Equal(t, cluster.Capture{Objects: leases, Trouble: "listing leases.coordination.k8s.io in op-leader: it does not end after 20 pages"}, capture)
			assert.LessOrEqual(t, len(server.asked("GET")), 21)
		})
	}
}

func TestAListThatBreaksOffIsTroubleAsAWhole(t *testing.T) {
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("continue") != "" {
			sendStatus(w, 410, "Expired", "the continue token is too old")
			return
		}
		sendJSON(w, 200, leaseList("more", "a"))
	})
	capture := server.capture(t, leases)
	assert.Empty(t, capture.Items)
	assert.Contains(t, capture.Trouble, "the continue token is too old")
}

func TestARedirectIsNotFollowed(t *testing.T) {
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		t.Error("the redirect was followed, with the credentials")
	}))
	defer elsewhere.Close()
	for _, target := range []string{elsewhere.URL + leasePath, leasePath + "/x"} {
		for _, code := range []int{301, 302, 307, 308} {
			server := serve(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, target, code) })
			config := &rest.Config{Host: server.URL, BearerToken: "secret"}
			state := cluster.Collect(t.Context(), config, []grader.Need{objects(lease), probe(mayUpdate)}, func() {})
			assert.Contains(t, state.Snapshot.Captures()[0].Trouble, "the server redirects elsewhere")
			assert.Contains(t, state.Answers[mayUpdate.Name].Trouble, "the server redirects elsewhere")
		}
	}
}

func TestTheTimeIsTheServersEarliest(t *testing.T) {
	for name, c := range map[string]struct {
		dates []string
		want  time.Time
	}{
		"garbage":     {[]string{"yesterday"}, time.Time{}},
		"none":        {[]string{""}, time.Time{}},
		"in the past": {[]string{"Fri, 02 Jan 2026 03:04:05 GMT"}, time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)},
		"the earliest counts": {[]string{"Fri, 02 Jan 2026 03:04:06 GMT", "", "Fri, 02 Jan 2026 03:04:05 GMT", "x", "Fri, 02 Jan 2026 03:04:07 GMT"},
			time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)},
	} {
		t.Run(name, func(t *testing.T) {
			var needs []grader.Need
			for i := range c.dates {
				o := lease
				o.Name = fmt.Sprint(i)
				needs = append(needs, objects(o))
			}
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				i, err := strconv.Atoi(r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:])
				if w.Header()["Date"] = nil; err == nil && c.dates[i] != "" { // nil: the HTTP server adds none either
					w.Header().Set("Date", c.dates[i])
				}
				sendStatus(w, 404, "NotFound", "")
			}))
			defer server.Close()
			state := cluster.Collect(t.Context(), &rest.Config{Host: server.URL}, needs, func() {})
			assert.True(t, c.want.Equal(state.Time), "%s", state.Time)
		})
	}
}
