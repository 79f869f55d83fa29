package oplab

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func noon() time.Time { return time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC) }

func entry(fields string, at *metav1.Time) metav1.ManagedFieldsEntry {
	return metav1.ManagedFieldsEntry{Manager: "kubectl", Time: at, FieldsV1: metav1.NewFieldsV1(fields)}
}

// A Lease that was applied again long after its creation was written then, too, even if a patch took the field over since.
func TestWrittenAt(t *testing.T) {
	again, patched := metav1.NewTime(noon().Add(5*time.Hour)), metav1.NewTime(noon().Add(6*time.Hour))
	lease := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{CreationTimestamp: metav1.NewTime(noon()), ManagedFields: []metav1.ManagedFieldsEntry{
		entry(`{"f:spec":{"f:leaseDurationSeconds":{}}}`, &again),
		entry(`{"f:spec":{"f:renewTime":{}}}`, &patched),
		entry(`{"f:spec":{"f:renewTime":{}}}`, nil), // who wrote it is known, when is not
		entry(`{"f:spec":{"f:leaseTransitions":{}}}`, &metav1.Time{Time: noon().Add(9 * time.Hour)}),
		entry(`not JSON`, &again),
		{Manager: "without fields", Time: &again},
	}}}
	assert.Equal(t, Moments{noon(), patched.Time, again.Time}, WrittenAt(lease, "renewTime"))
	assert.Equal(t, Moments{noon(), again.Time}, WrittenAt(lease, "acquireTime"))
	assert.Nil(t, WrittenAt(nil, "renewTime"), "what is not there was never written")
}

// Windows include their ends, and the second that the server cuts from its own times.
func TestFitAtTheEdges(t *testing.T) {
	for name, test := range map[string]struct {
		window Window
		offset time.Duration
		want   bool
	}{
		"now, earliest":             {Now(), -30 * time.Minute, true},
		"now, too early":            {Now(), -30*time.Minute - time.Microsecond, false},
		"now, latest":               {Now(), 61 * time.Second, true},
		"now, too late":             {Now(), 61*time.Second + time.Microsecond, false},
		"ten minutes ago, earliest": {TenMinutesAgo(), -40 * time.Minute, true},
		"ten minutes ago, older":    {TenMinutesAgo(), -40*time.Minute - time.Microsecond, false},
		"ten minutes ago, latest":   {TenMinutesAgo(), -9*time.Minute - 29*time.Second, true},
		"ten minutes ago, younger":  {TenMinutesAgo(), -9*time.Minute - 29*time.Second + time.Microsecond, false},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, test.want, Moments{noon()}.Fit(noon().Add(test.offset), test.window))
		})
	}
	assert.True(t, Moments{noon().Add(-time.Hour), noon()}.Fit(noon(), Now()), "any of the moments will do")
	assert.False(t, Moments(nil).Fit(noon(), Now()))
}

// Only a whole or half hour's shift is taken for local time, and only near the window's end.
func TestFitZone(t *testing.T) {
	for name, test := range map[string]struct {
		offset time.Duration
		want   bool
	}{
		"east":                    {9 * time.Hour, true},
		"west":                    {-5 * time.Hour, true},
		"half an hour":            {5*time.Hour + 30*time.Minute, true},
		"farthest east":           {14 * time.Hour, true},
		"farthest west":           {-14 * time.Hour, true},
		"farther than any":        {14*time.Hour + 30*time.Minute, false},
		"nearer than any":         {30 * time.Minute, false},
		"written five ago":        {9*time.Hour - 5*time.Minute, true},
		"just outside, written 6": {9*time.Hour - 5*time.Minute - time.Second, false},
		"merely wrong":            {9*time.Hour + 15*time.Minute, false},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, test.want, Moments{noon()}.FitZone(noon().Add(test.offset), Now()))
		})
	}
	// A window may itself be narrower than the guess: then it is not widened.
	assert.False(t, Moments{noon()}.FitZone(noon().Add(9*time.Hour-2*time.Minute), Window{-time.Minute, time.Minute}))
}
