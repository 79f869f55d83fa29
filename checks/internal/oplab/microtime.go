package oplab

import (
	"regexp"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ParseMicroTime parses as the API server parses a MicroTime: RFC 3339 with exactly six fractional digits, after a dot or,
// as Go's parser allows, a comma, and Z or an offset.
func ParseMicroTime(s string) (time.Time, bool) {
	t, err := time.Parse(metav1.RFC3339Micro, s)
	return t, err == nil
}

// FormatMicroTime is the form in which the API server returns a MicroTime.
func FormatMicroTime(t time.Time) string { return t.UTC().Format(metav1.RFC3339Micro) }

// SecondsOnly matches an RFC 3339 time without fraction; the group is what follows the seconds.
var SecondsOnly = regexp.MustCompile(`\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(Z|[+-]\d{2}:?\d{2}|)`)

// Acquired returns the acquireTime of a Lease; zero if it has none.
func Acquired(lease *coordinationv1.Lease) time.Time { return microTime(lease.Spec.AcquireTime) }

// Renewed returns the renewTime of a Lease; zero if it has none.
func Renewed(lease *coordinationv1.Lease) time.Time { return microTime(lease.Spec.RenewTime) }

func microTime(t *metav1.MicroTime) time.Time {
	if t == nil {
		return time.Time{}
	}
	return t.Time
}
