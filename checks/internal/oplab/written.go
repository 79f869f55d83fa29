package oplab

import (
	"encoding/json"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Owners returns the managedFields entries that own the field at path, such as spec, renewTime.
// Source: https://kubernetes.io/docs/reference/using-api/server-side-apply/
func Owners(object metav1.Object, path ...string) []metav1.ManagedFieldsEntry {
	var owners []metav1.ManagedFieldsEntry
	for _, entry := range object.GetManagedFields() {
		if owns(entry, path) {
			owners = append(owners, entry)
		}
	}
	return owners
}

func owns(entry metav1.ManagedFieldsEntry, path []string) bool {
	if entry.FieldsV1 == nil {
		return false
	}
	raw, err := json.Marshal(entry.FieldsV1)
	if err != nil {
		return false
	}
	var fields map[string]any
	if json.Unmarshal(raw, &fields) != nil {
		return false
	}
	for _, step := range path {
		next, ok := fields["f:"+step].(map[string]any)
		if !ok {
			return false
		}
		fields = next
	}
	return true
}

// Moments are times at which a value may have been written, as the API server dated them, cut to the second.
type Moments []time.Time

// WrittenAt returns the moments at which a field of spec of the Lease may have been written: its creation; the write of
// each entry that owns the field; and of each that owns leaseDurationSeconds, since a later write may have taken the field
// over. Objects are applied again after a mistake, so no one of them alone tells. The Lease may be nil.
func WrittenAt(lease *coordinationv1.Lease, field string) Moments {
	if lease == nil {
		return nil
	}
	moments := Moments{lease.CreationTimestamp.Time}
	for _, f := range []string{field, "leaseDurationSeconds"} {
		for _, owner := range Owners(lease, "spec", f) {
			if owner.Time != nil {
				moments = append(moments, owner.Time.Time)
			}
		}
	}
	return moments
}

// Window is an interval of offsets from a moment, ends included.
type Window struct{ From, To time.Duration }

// Now is the window of a value that the lab calls "the current time": written by hand up to half an hour before, and
// up to a minute after, since clocks differ.
func Now() Window { return Window{-30 * time.Minute, time.Minute} }

// TenMinutesAgo is the window of a value that the lab calls "10 minutes ago".
func TenMinutesAgo() Window { return Window{-40 * time.Minute, -9*time.Minute - 30*time.Second} }

// Fit reports whether t lies in the window of some moment.
func (m Moments) Fit(t time.Time, w Window) bool {
	for _, moment := range m {
		// The moment is cut to the second: what was written may be up to a second later.
		if d := t.Sub(moment); d >= w.From && d <= w.To+time.Second {
			return true
		}
	}
	return false
}

// zoneWidth is how wide a window is for guessing an offset: narrower than half the step between offsets, so that a time which
// is merely wrong is seldom taken for local time.
const zoneWidth = 6 * time.Minute

// FitZone reports whether t would lie in the window of some moment, close to its end, had it been written with a UTC offset
// other than its own, as when local time is labelled Z. Offsets are whole and half hours from 1 to 14.
func (m Moments) FitZone(t time.Time, w Window) bool {
	w.From = max(w.From, w.To-zoneWidth)
	for shift := time.Hour; shift <= 14*time.Hour; shift += 30 * time.Minute {
		if m.Fit(t.Add(shift), w) || m.Fit(t.Add(-shift), w) {
			return true
		}
	}
	return false
}
