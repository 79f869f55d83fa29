package cluster_test

import (
	"context"
	"io"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/labgrader/grader"
	"example.com/labgrader/grader/cluster"
)

// everything is one need of each sort.
var everything = []grader.Need{objects(lease), objects(leases), probe(micro), probe(mayUpdate)}

// requireAllInTrouble requires that nothing is taken for known.
func requireAllInTrouble(t *testing.T, state *cluster.State) {
	t.Helper()
	require.Len(t, state.Snapshot.Captures(), 2)
	for _, capture := range state.Snapshot.Captures() {
		assert.NotEmpty(t, capture.Trouble, "%s", capture.Objects)
		assert.Empty(t, capture.Items, "%s", capture.Objects)
	}
	require.Len(t, state.Answers, 2)
	for name, answer := range state.Answers {
		assert.NotEmpty(t, answer.Trouble, name)
		assert.Equal(t, grader.Answer{Trouble: answer.Trouble}, answer, name)
	}
	assert.NotEmpty(t, state.Troubles())
}

func TestNoServerHoldsUpCollectingLongerThanTheContext(t *testing.T) {
	for name, handler := range map[string]http.HandlerFunc{
		"hangs": hang,
		"hangs after the header": func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(200)
			_ = http.NewResponseController(w).Flush()
			hang(w, r)
		},
		"sends drop by drop": drip,
		"closes connections": func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
		"asks to come back later": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "3600")
			sendStatus(w, 429, "TooManyRequests", "busy")
		},
		"is down for long": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "3600")
			sendStatus(w, 503, "ServiceUnavailable", "down")
		},
	} {
		t.Run(name, func(t *testing.T) {
			server := serve(t, handler)
			ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
			defer cancel()
			var answered atomic.Int64
			start := time.Now()
			state := cluster.Collect(ctx, server.config(), everything, func() { answered.Add(1) })
			assert.Less(t, time.Since(start), 5*time.Second)
			assert.Equal(t, int64(len(everything)), answered.Load())
			requireAllInTrouble(t, state)
		})
	}
}

// drip sends a little JSON now and then.
func drip(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	for r.Context().Err() == nil {
		if _, err := io.WriteString(w, " "); err != nil {
			return
		}
		_ = http.NewResponseController(w).Flush()
		time.Sleep(time.Millisecond)
	}
}

func TestWithAContextThatEndedNothingIsAsked(t *testing.T) {
	server := serve(t, serveLease(refuse(500, "InternalError", "not to be asked")))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	state := cluster.Collect(ctx, server.config(), everything, func() {})
	requireAllInTrouble(t, state)
	assert.Empty(t, server.asked(""))
	assert.Zero(t, state.Time)
	for _, sentence := range state.Troubles() {
		assert.Contains(t, sentence, "context canceled")
	}
}

func TestAServerThatIsBusyForAMomentIsAskedAgain(t *testing.T) {
	t.Parallel() // it waits a second, as the server says
	for _, code := range []int{429, 503} {
		t.Run(http.StatusText(code), func(t *testing.T) {
			t.Parallel()
			var count atomic.Int64
			server := serve(t, serveLeaseAfter(&count, func(w http.ResponseWriter) {
				w.Header().Set("Retry-After", "1")
				sendStatus(w, code, "TooManyRequests", "busy")
			}))
			capture := server.capture(t, lease)
			assert.Empty(t, capture.Trouble)
			assert.Len(t, capture.Items, 1)
			assert.Equal(t, int64(2), count.Load())
		})
	}
}

// serveLeaseAfter answers the first request by busy, and then serves the lease.
func serveLeaseAfter(count *atomic.Int64, busy func(http.ResponseWriter)) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		if count.Add(1) == 1 {
			busy(w)
			return
		}
		sendJSON(w, 200, leaseObject("widget-operator"))
	}
}

func TestAConfigurationThatFitsNoServerIsTrouble(t *testing.T) {
	server := serve(t, refuse(500, "", ""))
	config := server.config()
	config.Host = "://"
	state := cluster.Collect(t.Context(), config, everything, func() {})
	requireAllInTrouble(t, state)
	for _, sentence := range state.Troubles() {
		assert.NotEqual(t, ':', rune(sentence[0]), sentence)
	}
	config.Host, config.CAFile, config.Insecure = "https://127.0.0.1:1", "/does/not/exist", false
	requireAllInTrouble(t, cluster.Collect(t.Context(), config, everything, func() {}))
	assert.Empty(t, server.asked(""))
}

func TestNoMoreThan16RequestsAreUnderWayAtOnce(t *testing.T) {
	var now, most atomic.Int64
	server := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		n := now.Add(1)
		for old := most.Load(); n > old && !most.CompareAndSwap(old, n); old = most.Load() {
		}
		time.Sleep(5 * time.Millisecond)
		now.Add(-1)
		sendStatus(w, 404, "NotFound", "")
	})
	var needs []grader.Need
	for _, name := range numberedNames("lease", 100) {
		o := lease
		o.Name = name
		needs = append(needs, objects(o))
	}
	state := server.collect(t, needs...)
	assert.Len(t, state.Snapshot.Captures(), 100)
	assert.LessOrEqual(t, most.Load(), int64(16))
	assert.Greater(t, most.Load(), int64(1), "side by side")
}

func TestTheServersVersionIsOptional(t *testing.T) {
	server := serve(t, refuse(404, "NotFound", ""))
	inner := server.Config.Handler
	for name, handler := range map[string]http.HandlerFunc{
		"forbidden": refuse(403, "Forbidden", ""), "no JSON": reply(200, "text/plain", "v1"), "another JSON": reply(200, "application/json", "[]"), "too large": endless,
	} {
		server.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/version" {
				handler(w, r)
				return
			}
			inner.ServeHTTP(w, r)
		})
		state := server.collect(t, objects(lease))
		assert.Empty(t, state.Version, name)
		assert.Empty(t, state.Troubles(), name)
	}
}
