package expiry

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/labgrader/grader"
)

// A lease expires after its last second, not in it.
func TestClockState(t *testing.T) {
	assert.Equal(t, live, clock{15 * time.Second, 15}.state())
	assert.Equal(t, expired, clock{15*time.Second + time.Nanosecond, 15}.state())
}

// What a trial puts into the captured leases is what its scene decides by; the acquire time says the opposite.
func TestWorld(t *testing.T) {
	named := func(name string) coordinationv1.Lease {
		return coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Name: name}}
	}
	leases := []coordinationv1.Lease{named(staleName), named(freshName), named("widget-operator")}
	files := map[string]grader.File{tableFile: {Data: []byte("stale-operator\tEXPIRED\nfresh-operator\tLIVE\n")}}
	const seed = 5
	for i, need := range trials() {
		s := scenes(seed)[i]
		t.Run(s.name, func(t *testing.T) {
			w := need.Trial.World(leases, files, seed)
			require.Len(t, w.Leases, 3)
			for j, c := range []clock{s.stale, s.fresh} {
				got := w.Leases[j]
				assert.Equal(t, leases[j].Name, got.Name)
				assert.Equal(t, c.seconds, *got.Spec.LeaseDurationSeconds)
				assert.Equal(t, c.age, *got.Renewed)
				acquired := clock{*got.Acquired, c.seconds}.state()
				assert.NotEqual(t, c.state(), acquired, "acquireTime must not give the answer")
			}
			assert.Equal(t, grader.WorldLease{Lease: leases[2]}, w.Leases[2], "other leases stay as they are")
			if s.flipped {
				assert.Equal(t, map[string]string{tableFile: "stale-operator\tLIVE\nfresh-operator\tEXPIRED\n"}, w.Files)
			} else {
				assert.Empty(t, w.Files)
			}
		})
	}
	assert.Nil(t, leases[0].Spec.LeaseDurationSeconds, "the captured leases are not changed")
}
