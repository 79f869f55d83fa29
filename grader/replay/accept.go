package replay

import (
	"cmp"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

const (
	mediaJSON = "application/json"
	mediaYAML = "application/yaml"
	metaGroup = "meta.k8s.io"
)

// format is how a client wants to be answered.
type format struct {
	media  string
	pretty bool
	// as is the kind to convert to, and version its version; empty when the object itself is wanted.
	as, version string
}

// clause is one of an Accept header.
type clause struct {
	media  string
	params map[string]string
	q      float64
}

// negotiate returns the best format that the client accepts and this server has. Tables and metadata are offered only
// if convertible, which errors and discovery are not.
func negotiate(r *http.Request, convertible, stream bool) (format, bool) {
	for _, c := range parseAccept(r.Header.Get("Accept")) {
		f := format{as: c.params["as"], version: c.params["v"], pretty: c.params["pretty"] == "1" || wantsPretty(r)}
		switch c.media {
		case mediaJSON, mediaYAML:
			f.media = c.media
		case "*/*", "application/*":
			f.media = mediaJSON
		default:
			continue
		}
		if f.acceptable(c.params, convertible, stream) {
			return f, true
		}
	}
	return format{}, false
}

func (f format) acceptable(params map[string]string, convertible, stream bool) bool {
	if params["stream"] != "" && params["stream"] != "watch" || params["sv"] != "" || stream && f.media != mediaJSON {
		return false
	}
	if f.as == "" && params["g"] == "" && f.version == "" {
		return true
	}
	known := f.as == "Table" || f.as == "PartialObjectMetadata" || f.as == "PartialObjectMetadataList"
	return convertible && known && params["g"] == metaGroup && (f.version == "v1" || f.version == "v1beta1")
}

// parseAccept returns the clauses of an Accept header, best first. No header means JSON.
func parseAccept(header string) []clause {
	if header == "" {
		header = mediaJSON
	}
	var clauses []clause
	for part := range strings.SplitSeq(header, ",") {
		media, params, err := mime.ParseMediaType(part)
		if err != nil {
			continue
		}
		c := clause{media: media, params: params, q: 1}
		if q, err := strconv.ParseFloat(params["q"], 64); err == nil {
			c.q = q
		}
		clauses = append(clauses, c)
	}
	slices.SortStableFunc(clauses, func(a, b clause) int {
		return cmp.Or(cmp.Compare(b.q, a.q), cmp.Compare(strings.Count(a.media, "*"), strings.Count(b.media, "*")))
	})
	return clauses
}

// wantsPretty reports whether the client is a human's, as the API server sees it.
func wantsPretty(r *http.Request) bool {
	if asked := r.URL.Query().Get("pretty"); asked != "" {
		pretty, _ := strconv.ParseBool(asked)
		return pretty
	}
	for _, human := range []string{"curl", "Wget", "Mozilla/5.0"} {
		if strings.HasPrefix(r.UserAgent(), human) {
			return true
		}
	}
	return false
}
