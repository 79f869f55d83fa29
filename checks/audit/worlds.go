package audit

import (
	"math/rand/v2"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"example.com/labgrader/checks/internal/oplab"
	"example.com/labgrader/grader"
)

// scene is a world for the script: what it does to the captured leases.
type scene struct {
	name   string
	change func(r *rand.Rand, leases []grader.WorldLease) []grader.WorldLease
}

func scenes() []scene {
	return []scene{
		{"as-captured", func(_ *rand.Rand, leases []grader.WorldLease) []grader.WorldLease { return leases }},
		{"more-leases", moreLeases},
		{"changed-values", changedValues},
		{"other-namespaces", otherNamespaces},
	}
}

func trialName(s scene) string { return "audit/" + s.name }

func trials() []grader.Need {
	var needs []grader.Need
	for _, s := range scenes() {
		needs = append(needs, grader.Need{Trial: &grader.Trial{
			Name: trialName(s), Script: scriptFile,
			World: func(leases []coordinationv1.Lease, _ map[string]grader.File, seed uint64) grader.World {
				var copies []grader.WorldLease
				for _, lease := range leases {
					copies = append(copies, grader.WorldLease{Lease: *lease.DeepCopy()})
				}
				return grader.World{Leases: s.change(rand.New(rand.NewPCG(seed, 8)), copies)}
			},
		}})
	}
	return needs
}

// newLease makes a lease. Names are of letters only and differ in the first from each other and from those of the lab, so
// that they sort alike in every locale.
func newLease(r *rand.Rand, namespace, initial string) grader.WorldLease {
	const letters = "abcdefghijklmnopqrstuvwxyz"
	name := initial
	for range 7 {
		name += string(letters[r.IntN(len(letters))])
	}
	created := metav1.NewTime(time.Date(2026, 1, 1+r.IntN(300), r.IntN(24), r.IntN(60), 0, 0, time.UTC))
	return grader.WorldLease{
		Lease: coordinationv1.Lease{
			ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, CreationTimestamp: created},
			Spec: coordinationv1.LeaseSpec{
				HolderIdentity: ptr.To(name + "-" + string(letters[r.IntN(len(letters))])), LeaseTransitions: ptr.To(int32(r.IntN(900))), LeaseDurationSeconds: ptr.To(int32(5 + r.IntN(300))),
			},
		},
		Renewed: oplab.Ago(time.Duration(r.IntN(3600)) * time.Second), Acquired: oplab.Ago(2 * time.Hour),
	}
}

// moreLeases adds leases whose order of creation is not that of their names.
func moreLeases(r *rand.Rand, leases []grader.WorldLease) []grader.WorldLease {
	for _, initial := range []string{"q", "b", "z", "k"} {
		leases = append(leases, newLease(r, oplab.Namespace, initial))
	}
	return leases
}

// changedValues gives every lease another holder, transition count and duration.
func changedValues(r *rand.Rand, leases []grader.WorldLease) []grader.WorldLease {
	for i := range leases {
		other := newLease(r, oplab.Namespace, "h")
		leases[i].Spec.HolderIdentity = other.Spec.HolderIdentity
		leases[i].Spec.LeaseTransitions = ptr.To(*other.Spec.LeaseTransitions + 2)
		leases[i].Spec.LeaseDurationSeconds = ptr.To(*other.Spec.LeaseDurationSeconds + 20)
	}
	return leases
}

// otherNamespaces adds leases that are not the lab's.
func otherNamespaces(r *rand.Rand, leases []grader.WorldLease) []grader.WorldLease {
	return append(leases, newLease(r, "kube-system", "c"), newLease(r, "default", "m"))
}
