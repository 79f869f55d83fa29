package expiry

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"example.com/labgrader/grader"
)

// play returns what a script says in every scene that judges by the model; no state means no line.
func play(model func(c claim, name string) string, change func(c *claim)) []claim {
	var all []claim
	for _, s := range scenes(7) {
		c := claim{scene: s, right: map[string]string{staleName: s.stale.state(), freshName: s.fresh.state()}, said: map[string]string{}, expects: map[string]string{staleName: expired, freshName: live}}
		if s.flipped {
			c.expects = map[string]string{staleName: live, freshName: expired}
		}
		c.tried.Requests = []string{"list"}
		for _, name := range []string{staleName, freshName} {
			switch model(c, name) {
			case "":
			case c.expects[name]:
				c.tried.Stdout += "OK " + name + "\n"
			default:
				c.tried.Stdout += "MISMATCH " + name + "\n"
			}
		}
		if change != nil {
			change(&c)
		}
		for name, word := range c.expects {
			c.said[name] = said(c.tried.Stdout, name, word)
		}
		all = append(all, c)
	}
	return all
}

func right(c claim, name string) string { return c.right[name] }

func TestFault(t *testing.T) {
	byName := map[string]string{staleName: expired, freshName: live}
	set := func(stdout string) func(c *claim) { return func(c *claim) { c.tried.Stdout = stdout } }
	unasked := func(c *claim) { c.tried.Requests = nil }
	for want, tests := range map[string]map[string][]claim{
		"expiry.script-lines": {
			"a line for both":   play(right, set("OK stale-operator fresh-operator")),
			"two lines for one": play(right, func(c *claim) { c.tried.Stdout += "OK fresh-operator\n" }),
		},
		"expiry.script-stderr": {"on stderr": play(right, func(c *claim) { c.tried.Stderr, c.tried.Stdout = c.tried.Stdout, "" })},
		"expiry.script-silent": {"silent": play(right, set("")), "other words": play(right, set("stale-operator is old"))},
		"expiry.script-hard-coded": {
			"always the same":   play(right, func(c *claim) { c.tried.Stdout = "OK stale-operator\nOK fresh-operator\n"; unasked(c) }),
			"but for the table": play(func(_ claim, name string) string { return byName[name] }, unasked),
		},
		"expiry.script-trusts-table": {"asked": play(func(c claim, name string) string { return c.expects[name] }, nil)},
		"expiry.script-name-decides": {"asked": play(func(_ claim, name string) string { return byName[name] }, nil)},
		"expiry.script-acquire-time": {"reversed": play(func(c claim, name string) string { return flip(c.right[name]) }, nil)},
		"expiry.script-line-missing": {
			"one lease": play(func(c claim, name string) string {
				if name == freshName {
					return ""
				}
				return c.right[name]
			}, nil),
			"the other lease": play(func(c claim, name string) string {
				if name == staleName {
					return ""
				}
				return c.right[name]
			}, nil),
		},
		"expiry.script-age-only": {"wrong by duration": play(func(c claim, name string) string {
			if c.scene.name == "duration-decides" {
				return flip(c.right[name])
			}
			return c.right[name]
		}, nil)},
		"expiry.script-wrong": {"wrong once": play(func(c claim, name string) string {
			if c.scene.name == "both-changed" && name == staleName {
				return flip(c.right[name])
			}
			return c.right[name]
		}, nil)},
	} {
		for name, all := range tests {
			t.Run(want+"/"+name, func(t *testing.T) { assert.Equal(t, want, fault(all)) })
		}
	}
}

// A script that a signal ended did not exit, whatever code the shell made of it.
func TestExitRight(t *testing.T) {
	matching, turned := play(right, nil)[0], play(right, nil)[1]
	for name, test := range map[string]struct {
		claim      claim
		transcript grader.Transcript
		want       bool
	}{
		"0 where all match":  {matching, grader.Transcript{}, true},
		"1 where all match":  {matching, grader.Transcript{ExitCode: 1}, false},
		"0 where one is not": {turned, grader.Transcript{}, false},
		"1 where one is not": {turned, grader.Transcript{ExitCode: 1}, true},
		"killed":             {turned, grader.Transcript{ExitCode: 137, Signal: "KILL"}, false},
		"killed, code 0":     {matching, grader.Transcript{Signal: "KILL"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			test.claim.tried.Transcript = test.transcript
			assert.Equal(t, test.want, test.claim.exitRight())
		})
	}
}

// A finding shows what this scene wants, since each wants something else.
func TestFindingShowsWhatTheSceneWants(t *testing.T) {
	for i, want := range []string{
		"OK stale-operator\nOK fresh-operator\nrc=0", "MISMATCH stale-operator\nOK fresh-operator\nrc≠0", "OK stale-operator\nMISMATCH fresh-operator\nrc≠0",
		"MISMATCH stale-operator\nMISMATCH fresh-operator\nrc≠0", "MISMATCH stale-operator\nMISMATCH fresh-operator\nrc≠0", "MISMATCH stale-operator\nMISMATCH fresh-operator\nrc≠0",
	} {
		c := play(right, nil)[i]
		c.tried.ExitCode = 3
		f := c.finding("code")
		assert.Equal(t, want, f.Want, c.scene.name)
		assert.Equal(t, c.tried.Output(), f.Got)
		assert.Equal(t, "expiry.world-"+c.scene.name, f.Phrases["world"])
	}
}
