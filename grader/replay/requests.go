package replay

import (
	"net/http"
	"strings"
	"sync"
)

const (
	maxRequests    = 1000
	maxLoggedText  = 256
	maxLoggedAgent = 40
)

// Request is one that a client made, for a transcript.
type Request struct {
	Verb      string `json:"verb"`               // get, list, watch, create, update, patch, delete, deletecollection, or the method in lower case
	Group     string `json:"group,omitempty"`    // of the API; empty for the core group
	Resource  string `json:"resource,omitempty"` // with its subresource after a slash; empty for other paths
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name,omitempty"`
	Path      string `json:"path"`            // as it was sent, with its query, up to 256 bytes
	Agent     string `json:"agent,omitempty"` // the program's name only
	Code      int    `json:"code"`            // the HTTP status of the answer
}

// requestLog holds the first requests in the order in which they were answered.
type requestLog struct {
	mu       sync.Mutex
	requests []Request
}

func (l *requestLog) add(r *http.Request, t target, code int) {
	entry := Request{
		Verb: verbOf(r, t), Group: capped(t.resource.Group), Resource: capped(t.resource.Resource), Namespace: capped(t.namespace),
		Name: capped(t.name), Path: capped(r.URL.RequestURI()), Agent: program(r.UserAgent()), Code: code,
	}
	if t.subresource != "" {
		entry.Resource = capped(t.resource.Resource + "/" + t.subresource)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.requests) < maxRequests {
		l.requests = append(l.requests, entry)
	}
}

func (l *requestLog) all() []Request {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]Request(nil), l.requests...)
}

func verbOf(r *http.Request, t target) string {
	if t.resource.Resource == "" {
		return capped(strings.ToLower(r.Method))
	}
	switch r.Method {
	case http.MethodGet, http.MethodHead:
		watch := strings.ToLower(r.URL.Query().Get("watch"))
		_, asked := r.URL.Query()["watch"]
		switch {
		case t.name != "":
			return "get"
		case asked && watch != "0" && watch != "false":
			return "watch"
		}
		return "list"
	case http.MethodPost:
		return "create"
	case http.MethodPut:
		return "update"
	case http.MethodDelete:
		if t.name == "" {
			return "deletecollection"
		}
	}
	return capped(strings.ToLower(r.Method))
}

// capped cuts a text between characters.
func capped(text string) string {
	if len(text) > maxLoggedText {
		text = strings.ToValidUTF8(text[:maxLoggedText], "")
	}
	return text
}

// program returns the leading word of a user agent, if it is one.
func program(agent string) string {
	end := strings.IndexFunc(agent, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '-' && r != '_' && r != '.'
	})
	if end < 0 {
		end = len(agent)
	}
	return agent[:min(end, maxLoggedAgent)]
}
