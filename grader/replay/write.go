package replay

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"
)

// gzipFrom is the size from which the API server compresses.
const gzipFrom = 128 << 10

// encode marshals as the API server does: a newline at the end unless it is pretty.
func encode(value any, f format) ([]byte, error) {
	encoded, err := json.Marshal(value)
	switch {
	case err != nil:
		return nil, fmt.Errorf("encoding the answer: %w", err)
	case f.media == mediaYAML:
		return yaml.JSONToYAML(encoded)
	case f.pretty:
		var out bytes.Buffer
		err := json.Indent(&out, encoded, "", "  ")
		return out.Bytes(), err
	}
	return append(encoded, '\n'), nil
}

// send answers with a value.
func send(w http.ResponseWriter, r *http.Request, code int, value any, f format) {
	body, err := encode(value, f)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	sendBody(w, r, code, f.media, body)
}

func sendBody(w http.ResponseWriter, r *http.Request, code int, media string, body []byte) {
	header := w.Header()
	header.Set("Content-Type", media)
	if header.Get("Cache-Control") == "" {
		header.Set("Cache-Control", "no-cache, private")
	}
	if len(body) > gzipFrom && acceptsGzip(r) {
		header.Set("Content-Encoding", "gzip")
		header.Add("Vary", "Accept-Encoding")
		w.WriteHeader(code)
		compressed := gzip.NewWriter(w)
		_, _ = compressed.Write(body) // the client may be gone
		_ = compressed.Close()
		return
	}
	header.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(code)
	_, _ = w.Write(body) // the client may be gone
}

func acceptsGzip(r *http.Request) bool {
	for encoding := range strings.SplitSeq(r.Header.Get("Accept-Encoding"), ",") {
		name, _, _ := strings.Cut(encoding, ";")
		if strings.TrimSpace(name) == "gzip" {
			return true
		}
	}
	return false
}

// sendError answers with a Status.
func sendError(w http.ResponseWriter, r *http.Request, err error) {
	var known apierrors.APIStatus
	status := metav1.Status{Status: metav1.StatusFailure, Message: err.Error(), Code: http.StatusInternalServerError}
	if errors.As(err, &known) {
		status = known.Status()
	}
	status.TypeMeta = metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}
	if status.Details != nil && status.Details.RetryAfterSeconds > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(status.Details.RetryAfterSeconds)))
	}
	f, ok := negotiate(r, false, false)
	if !ok {
		f = format{media: mediaJSON, pretty: true}
	}
	send(w, r, int(status.Code), &status, f)
}

var errReadOnly = errors.New("this API is read-only")

// refuse is the error for what could change or reveal something. The resource is empty for other paths.
func refuse(t target, why error) error {
	return apierrors.NewForbidden(t.resource.GroupResource(), t.name, why)
}

// noSuch is the error for what the API does not have.
func noSuch() error {
	return apierrors.NewGenericServerResponse(http.StatusNotFound, "", schema.GroupResource{}, "", "", 0, false)
}

// noSuchMethod is the error for a method that no API has.
func noSuchMethod() error {
	return apierrors.NewGenericServerResponse(http.StatusMethodNotAllowed, "", schema.GroupResource{}, "", "", 0, false)
}
