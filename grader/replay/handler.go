package replay

import (
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// handle answers one request and logs it.
func (s *Server) handle(w http.ResponseWriter, r *http.Request) {
	t, wellFormed := parsePath(r.URL)
	recorded := &codeRecorder{ResponseWriter: w}
	defer func() { s.log.add(r, t, recorded.code) }()
	if err := s.answer(recorded, r, t, wellFormed); err != nil {
		sendError(recorded, r, err)
	}
}

// answer answers, or returns the error to answer with.
func (s *Server) answer(w http.ResponseWriter, r *http.Request, t target, wellFormed bool) error {
	if !s.authenticated(r) {
		return apierrors.NewUnauthorized("Unauthorized")
	}
	if err := checkMethod(r, t); err != nil {
		return err
	}
	switch {
	case !wellFormed:
		return noSuch()
	case t.resource.Resource == "":
		return s.document(w, r, t)
	}
	return s.read(w, r, t)
}

// authenticated compares digests, so that the time it takes says nothing about the token.
func (s *Server) authenticated(r *http.Request) bool {
	given, want := sha256.Sum256([]byte(r.Header.Get("Authorization"))), sha256.Sum256([]byte("Bearer "+s.token))
	return subtle.ConstantTimeCompare(given[:], want[:]) == 1
}

// checkMethod refuses all but a plain GET.
func checkMethod(r *http.Request, t target) error {
	for name := range r.Header {
		if strings.HasPrefix(name, "Impersonate-") {
			return refuse(t, errors.New("this API is read-only and knows no other user"))
		}
	}
	if r.Header.Get("Upgrade") != "" {
		return refuse(t, errReadOnly)
	}
	switch r.Method {
	case http.MethodGet:
		return nil
	case http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodConnect:
		return refuse(t, errReadOnly)
	}
	return noSuchMethod()
}

// read answers a get, list or watch.
func (s *Server) read(w http.ResponseWriter, r *http.Request, t target) error {
	found, ok := s.discovery.find(t)
	switch k, served := kindServedAs(t.resource); {
	case !ok:
		return noSuch()
	case t.subresource != "":
		return refuse(t, errors.New("this API is read-only and serves no subresources"))
	case !served:
		return refuse(t, fmt.Errorf("this API is read-only and does not serve %s", found))
	case k.namespaced && t.name != "" && t.namespace == "", !k.namespaced && t.namespace != "":
		return noSuch()
	case t.name != "":
		return s.get(w, r, t, k)
	default:
		return s.list(w, r, t, k)
	}
}

func (s *Server) get(w http.ResponseWriter, r *http.Request, t target, k kind) error {
	f, ok := negotiate(r, true, false)
	if !ok {
		return unsupportedMedia()
	}
	if version := r.URL.Query().Get("resourceVersion"); version != "" {
		revision, err := strconv.ParseUint(version, 10, 64)
		if err != nil {
			return fmt.Errorf("resourceVersion: Invalid value: %q: %w", version, err)
		}
		if revision > s.world.servedRevision() {
			return s.world.tooLarge(revision)
		}
	}
	v, err := newView(k, s.minor, f, r.URL.Query(), time.Now())
	if err != nil {
		return err
	}
	found, err := s.world.get(k, t.namespace, t.name)
	if err != nil {
		return err
	}
	value, err := v.one(found)
	if err != nil {
		return err
	}
	send(w, r, http.StatusOK, value, f)
	return nil
}

func (s *Server) list(w http.ResponseWriter, r *http.Request, t target, k kind) error {
	options, err := listOptions(k, r.URL.Query())
	if err != nil {
		return err
	}
	f, ok := negotiate(r, true, options.Watch)
	if !ok {
		return unsupportedMedia()
	}
	v, err := newView(k, s.minor, f, r.URL.Query(), time.Now())
	if err != nil {
		return err
	}
	if options.Watch {
		return s.watch(w, r, t, v, options)
	}
	page, err := s.world.list(k, t.namespace, options)
	if err != nil {
		return err
	}
	value, err := v.many(page)
	if err != nil {
		return err
	}
	send(w, r, http.StatusOK, value, f)
	return nil
}

func unsupportedMedia() error {
	return notAcceptable("only the following media types are accepted: " + mediaJSON + ", " + mediaYAML)
}

// document answers for a path that is not about a resource.
func (s *Server) document(w http.ResponseWriter, r *http.Request, t target) error {
	first := strings.Join(t.document, "/")
	switch first {
	case "healthz", "livez", "readyz":
		sendBody(w, r, http.StatusOK, "text/plain; charset=utf-8", []byte("ok"))
		return nil
	case "version":
		send(w, r, http.StatusOK, s.world.version, format{media: mediaJSON, pretty: true})
		return nil
	case "api", "apis":
		if wantsAggregated(r) {
			w.Header().Set("Cache-Control", "public")
			w.Header().Set("Vary", "Accept")
			sendBody(w, r, http.StatusOK, aggregatedMedia, s.discovery.aggregated(first))
			return nil
		}
	}
	value, ok := s.discovery.document(t.document, r.Host)
	if !ok {
		return noSuch()
	}
	f, ok := negotiate(r, false, false)
	if !ok {
		return unsupportedMedia()
	}
	send(w, r, http.StatusOK, value, f)
	return nil
}

// codeRecorder remembers the status code that was sent.
type codeRecorder struct {
	http.ResponseWriter
	code int
}

// WriteHeader sends the status code.
func (c *codeRecorder) WriteHeader(code int) {
	c.code = code
	c.ResponseWriter.WriteHeader(code)
}

// Unwrap lets a response controller find the writer beneath.
func (c *codeRecorder) Unwrap() http.ResponseWriter { return c.ResponseWriter }
