package replay

import (
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// maxPath is how long a path may be.
const maxPath = 2048

// target is what a path names: part of the API (resource is set), or a document (document is set).
type target struct {
	document    []string // the segments of a path that is not about a resource
	resource    schema.GroupVersionResource
	namespace   string
	name        string
	subresource string
}

// parsePath returns what a path names. It is not ok when the path is malformed: too long, with empty, dotted or encoded
// segments, or with characters that no path of the API has. One slash at the end is ignored.
func parsePath(u *url.URL) (t target, ok bool) {
	segments, ok := split(u)
	if !ok {
		return target{}, false
	}
	switch {
	case len(segments) >= 3 && segments[0] == "api":
		t.resource.Version = segments[1]
		segments = segments[2:]
	case len(segments) >= 4 && segments[0] == "apis":
		t.resource.Group, t.resource.Version = segments[1], segments[2]
		segments = segments[3:]
	default:
		return target{document: segments}, true
	}
	// A namespace's own subresources look like resources in it.
	if len(segments) >= 3 && segments[0] == "namespaces" && segments[2] != "status" && segments[2] != "finalize" {
		t.namespace = segments[1]
		segments = segments[2:]
	}
	t.resource.Resource = segments[0]
	if len(segments) >= 2 {
		t.name = segments[1]
	}
	t.subresource = strings.Join(segments[min(len(segments), 2):], "/")
	return t, true
}

func split(u *url.URL) ([]string, bool) {
	escaped := u.EscapedPath()
	if len(escaped) > maxPath || !strings.HasPrefix(u.Path, "/") || !utf8.ValidString(u.Path) || strings.Contains(strings.ToLower(escaped), "%2f") {
		return nil, false
	}
	if strings.ContainsFunc(u.Path, func(r rune) bool { return unicode.IsControl(r) || r == '\\' }) {
		return nil, false
	}
	path := strings.TrimSuffix(u.Path[1:], "/")
	if path == "" {
		return nil, u.Path == "/"
	}
	segments := strings.Split(path, "/")
	for _, segment := range segments {
		if segment == "" || segment == "." || segment == ".." {
			return nil, false
		}
	}
	return segments, true
}
