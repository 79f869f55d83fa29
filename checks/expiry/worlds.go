package expiry

import (
	"math/rand/v2"
	"strings"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"

	"example.com/labgrader/checks/internal/oplab"
	"example.com/labgrader/grader"
)

// clock is what decides whether a lease has expired: how long ago it was renewed, and its duration in seconds.
type clock struct {
	age     time.Duration
	seconds int32
}

func (c clock) state() string {
	if c.age > time.Duration(c.seconds)*time.Second {
		return expired
	}
	return live
}

// scene is a world for the script: the two leases' clocks, and whether the table's expectations are turned round.
type scene struct {
	name         string
	stale, fresh clock
	flipped      bool
}

// scenes returns the worlds. Ages stay far from their durations, so that a slow trial does not change an answer; what is
// drawn from the seed a script cannot know beforehand.
func scenes(seed uint64) []scene {
	r := rand.New(rand.NewPCG(seed, 3))
	between := func(from, to int) int { return from + r.IntN(to-from) }
	seconds := func(from, to int) time.Duration { return time.Duration(between(from, to)) * time.Second }
	old := clock{seconds(580, 640), 15}
	young := clock{seconds(50, 70), 86400}
	back := clock{seconds(3, 10), int32(between(120, 180))}
	late := clock{time.Duration(between(26*60, 40*60)) * time.Minute, 86400}
	return []scene{
		{name: "as-captured", stale: old, fresh: young},
		{name: "stale-renewed", stale: back, fresh: young},
		{name: "fresh-expired", stale: old, fresh: late},
		{name: "both-changed", stale: back, fresh: late},
		{name: "duration-decides", stale: clock{old.age, 3600}, fresh: clock{seconds(280, 320), 60}},
		{name: "table-turned", stale: old, fresh: young, flipped: true},
	}
}

func trialName(s scene) string { return "expiry/" + s.name }

// trials returns the trial of the script in each scene.
func trials() []grader.Need {
	var needs []grader.Need
	for i, s := range scenes(0) { // names do not depend on the seed
		needs = append(needs, grader.Need{Trial: &grader.Trial{
			Name: trialName(s), Script: scriptFile,
			World: func(leases []coordinationv1.Lease, files map[string]grader.File, seed uint64) grader.World {
				return scenes(seed)[i].world(leases, string(files[tableFile].Data))
			},
		}})
	}
	return needs
}

// world puts the clocks into the captured leases. acquireTime says the opposite of renewTime, for who reads that.
func (s scene) world(leases []coordinationv1.Lease, table string) grader.World {
	w := grader.World{}
	for _, lease := range leases {
		changed := grader.WorldLease{Lease: lease}
		if c, ok := map[string]clock{staleName: s.stale, freshName: s.fresh}[lease.Name]; ok {
			changed.Lease = *lease.DeepCopy()
			changed.Spec.LeaseDurationSeconds = &c.seconds
			changed.Renewed = oplab.Ago(c.age)
			changed.Acquired = oplab.Ago(map[string]time.Duration{expired: time.Second, live: 90 * 24 * time.Hour}[c.state()])
		}
		w.Leases = append(w.Leases, changed)
	}
	if s.flipped {
		w.Files = map[string]string{tableFile: flip(table)}
	}
	return w
}

// flip turns the expectations of a table round.
func flip(table string) string {
	return strings.NewReplacer(expired, live, live, expired).Replace(table)
}
