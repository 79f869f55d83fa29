package audit

import (
	"testing"

	"github.com/stretchr/testify/assert"
	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"example.com/labgrader/checks/internal/oplab"
	"example.com/labgrader/grader"
)

// The trial that fails, by its scene's place; the others print the same unless told otherwise.
func TestFault(t *testing.T) {
	const a, b = "a holder=h transitions=1 duration=15\n", "b holder=h transitions=1 duration=15\n"
	world := grader.World{}
	for _, name := range []string{"a", "b"} {
		world.Leases = append(world.Leases, grader.WorldLease{Lease: coordinationv1.Lease{
			ObjectMeta: metav1.ObjectMeta{Namespace: oplab.Namespace, Name: name},
			Spec:       coordinationv1.LeaseSpec{HolderIdentity: ptr.To("h"), LeaseTransitions: ptr.To[int32](1), LeaseDurationSeconds: ptr.To[int32](15)},
		}})
	}
	for name, test := range map[string]struct {
		wrong          int
		stdout, stderr string
		others         string // what the other trials print; nothing: the same
		reads          int    // of the other trials
		want           string
	}{
		"on stderr":                     {0, "", a + b, "", 1, "audit.script-stderr"},
		"wrong on stderr":               {0, "\n", a, "", 1, "audit.script-silent"},
		"right on stderr, too":          {0, a, a + b, "", 1, "audit.script-wrong"},
		"the same and nothing read":     {0, a, "", "", 0, "audit.script-hard-coded"},
		"another and nothing read":      {0, a, "", b, 0, "audit.script-wrong"},
		"unsorted":                      {0, b + a, "", "", 1, "audit.script-unsorted"},
		"a lease less with more leases": {1, a, "", "", 1, "audit.script-known-names"},
		"a lease less in another scene": {0, a, "", "", 1, "audit.script-wrong"},
		"a lease of another namespace":  {3, a + b + "c holder=h transitions=1 duration=15\n", "", "", 1, "audit.script-other-namespaces"},
		"the same elsewhere":            {1, a + b + "c holder=h transitions=1 duration=15\n", "", "", 1, "audit.script-wrong"},
		"and one less":                  {3, a + "c holder=h transitions=1 duration=15\n", "", "", 1, "audit.script-wrong"},
		"times":                         {0, a + "b holder=12:00:00 transitions=1 duration=15\n", "", "", 1, "audit.script-times"},
		"a header":                      {0, "NAME\n" + a + b, "", "", 1, "audit.script-format"},
		"a unit":                        {0, a + "b holder=h transitions=1 duration=15s\n", "", "", 1, "audit.script-format"},
		"values of before":              {2, a + "b holder=x transitions=1 duration=15\n", "", "", 1, "audit.script-stale-values"},
	} {
		t.Run(name, func(t *testing.T) {
			all := make([]oplab.Tried, len(scenes()))
			for i := range all {
				all[i] = oplab.Tried{World: world, Transcript: grader.Transcript{Stdout: test.stdout, LeaseReads: test.reads}}
				if i != test.wrong && test.others != "" {
					all[i].Stdout = test.others
				}
			}
			all[test.wrong].Stderr = test.stderr
			assert.Equal(t, test.want, fault(all, test.wrong))
		})
	}
}
