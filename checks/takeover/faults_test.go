package takeover

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestValueFault(t *testing.T) {
	for name, test := range map[string]struct{ key, got, want string }{
		"blank":                   {"before-transitions", "", "takeover.record-blank"},
		"holder read too late":    {"before-holder", "widget-operator-1", "takeover.record-late"},
		"count read too late":     {"before-transitions", "1", "takeover.record-late"},
		"count of more":           {"before-transitions", "2", "takeover.record-counted"},
		"another holder":          {"before-holder", "me", "takeover.record-value"},
		"a holder of 1":           {"before-holder", "1", "takeover.record-value"},
		"wrong afterwards":        {"after-transitions", "2", "takeover.record-value"},
		"afterwards as before":    {"after-holder", "widget-operator-0", "takeover.record-value"},
		"1 afterwards is no fear": {"after-holder", "1", "takeover.record-value"},
		"next holder elsewhere":   {"after-transitions", "widget-operator-1", "takeover.record-value"},
	} {
		t.Run(name, func(t *testing.T) { assert.Equal(t, test.want, valueFault(test.key, test.got)) })
	}
}

func owned(manager, fields string, at *metav1.Time) metav1.ManagedFieldsEntry {
	return metav1.ManagedFieldsEntry{Manager: manager, Operation: metav1.ManagedFieldsOperationUpdate, Time: at, FieldsV1: metav1.NewFieldsV1(`{"f:spec":` + fields + `}`)}
}

func with(entries ...metav1.ManagedFieldsEntry) *coordinationv1.Lease {
	return &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{ManagedFields: entries}}
}

// The learner's clock may be a minute ahead, and every owner must have written before.
func TestWrittenBefore(t *testing.T) {
	noon := metav1.NewTime(time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC))
	later := metav1.NewTime(noon.Add(time.Hour))
	const holder = `{"f:holderIdentity":{}}`
	for name, test := range map[string]struct {
		lease *coordinationv1.Lease
		ahead time.Duration
		want  bool
	}{
		"a minute ahead":          {with(owned("a", holder, &noon)), time.Minute, false},
		"more than a minute":      {with(owned("a", holder, &noon)), time.Minute + time.Microsecond, true},
		"another owner wrote it":  {with(owned("a", holder, &noon), owned("b", holder, &later)), 2 * time.Minute, false},
		"an owner without a time": {with(owned("a", holder, nil)), 2 * time.Minute, false},
		"nobody owns it":          {with(owned("a", `{"f:renewTime":{}}`, &noon)), 2 * time.Minute, false},
	} {
		t.Run(name, func(t *testing.T) { assert.Equal(t, test.want, writtenBefore(test.lease, noon.Add(test.ahead))) })
	}
}

// A manager's writes by another operation, or to another subresource, are another entry.
func TestCommonOwner(t *testing.T) {
	both := owned("a", `{"f:x":{},"f:y":{}}`, nil)
	x, y := owned("a", `{"f:x":{}}`, nil), owned("a", `{"f:y":{}}`, nil)
	applied, status, other := y, y, owned("b", `{"f:y":{}}`, nil)
	applied.Operation, status.Subresource = metav1.ManagedFieldsOperationApply, "status"
	for name, test := range map[string]struct {
		lease *coordinationv1.Lease
		want  bool
	}{
		"one entry": {with(both), true}, "the second entry": {with(owned("b", `{"f:x":{}}`, nil), both), true},
		"another manager": {with(x, other), false}, "another operation": {with(x, applied), false}, "another subresource": {with(x, status), false},
		"one field only": {with(x), false}, "nobody": {with(), false},
	} {
		t.Run(name, func(t *testing.T) {
			owner, found := commonOwner(test.lease, "x", "y")
			assert.Equal(t, test.want, found)
			if found {
				assert.Equal(t, "a", owner.Manager)
			}
		})
	}
}

func TestShown(t *testing.T) {
	assert.Equal(t, "(none)", shown(time.Time{}))
	assert.Equal(t, "2026-01-01T12:00:00.000000Z", shown(time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)))
}
