package expiry

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"example.com/labgrader/checks/internal/oplab"
	"example.com/labgrader/grader"
	"example.com/labgrader/grader/submission"
)

// claim is what the script said in one scene.
type claim struct {
	scene scene
	tried oplab.Tried
	// right are the states that the scene's clocks give, by name; said are the ones that the script's lines mean, empty
	// where a lease has no line of its own, or several.
	right, said map[string]string
	// expects is the table of the scene.
	expects map[string]string
}

// claims returns what the script said in each scene.
func claims(ctx context.Context, view *grader.View) ([]claim, error) {
	table, err := submission.OpenText(view, tableFile)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, s := range scenes(0) {
		names = append(names, trialName(s))
	}
	tries, err := oplab.Tries(ctx, view, scriptFile, names)
	if err != nil {
		return nil, err
	}
	var all []claim
	for i, tried := range tries {
		s := scenes(view.Seed(names[i]))[i]
		c := claim{scene: s, tried: tried, right: map[string]string{staleName: s.stale.state(), freshName: s.fresh.state()}, said: map[string]string{}, expects: map[string]string{}}
		text := table.String()
		if s.flipped {
			text = flip(text)
		}
		for _, line := range strings.Split(text, "\n") {
			name, word, _ := strings.Cut(line, "\t")
			c.expects[name] = word
			c.said[name] = said(tried.Stdout, name, word)
		}
		all = append(all, c)
	}
	return all, nil
}

// said reads the script's line about a lease: OK means the table's word, MISMATCH the other one.
func said(stdout, name, word string) string {
	state := ""
	for _, line := range strings.Split(submission.Clean(stdout), "\n") {
		if !isAbout(line, name) {
			continue
		}
		meant := ""
		switch {
		case okLine.MatchString(line):
			meant = word
		case mismatchLine.MatchString(line):
			meant = flip(word)
		default:
			continue
		}
		if state != "" { // one line for each lease, so a second one is one too many
			return ""
		}
		state = meant
	}
	return state
}

func (c claim) correct() bool {
	return c.said[staleName] == c.right[staleName] && c.said[freshName] == c.right[freshName]
}

// matches reports whether the table's expectations are all right in the scene, so that the script must exit with 0.
func (c claim) matches() bool {
	return c.right[staleName] == c.expects[staleName] && c.right[freshName] == c.expects[freshName]
}

func (c claim) exitRight() bool {
	return (c.tried.ExitCode == 0) == c.matches() && c.tried.Signal == ""
}

// finding starts a finding about the scene: the world in words, what the script should have said, and what it did.
func (c claim) finding(code string) grader.Finding {
	word := func(name string) string {
		if c.right[name] == c.expects[name] {
			return "OK " + name
		}
		return "MISMATCH " + name
	}
	rc := "rc=0"
	if !c.matches() {
		rc = "rc≠0"
	}
	f := grader.Misses(code).At(scriptFile, 0).Phrase("world", "expiry.world-"+c.scene.name)
	f = f.With("staleAge", age(c.scene.stale)).With("staleSeconds", fmt.Sprint(c.scene.stale.seconds)).With("freshAge", age(c.scene.fresh)).With("freshSeconds", fmt.Sprint(c.scene.fresh.seconds))
	return f.Compare(word(staleName)+"\n"+word(freshName)+"\n"+rc, c.tried.Output())
}

func age(c clock) string { return c.age.Round(time.Second).String() }

func script(ctx context.Context, view *grader.View) ([]grader.Finding, error) {
	all, err := claims(ctx, view)
	if err != nil {
		return nil, err
	}
	wrong := slices.IndexFunc(all, func(c claim) bool { return !c.correct() })
	if wrong < 0 {
		return grader.MeetsUnless(), nil
	}
	for _, c := range []claim{all[wrong], all[0]} {
		broken, err := oplab.Broken(view, scriptFile, c.tried)
		if err != nil {
			return nil, err
		}
		if broken != nil {
			return []grader.Finding{*broken}, nil
		}
	}
	code := fault(all)
	table, err := submission.Bytes(view, tableFile)
	if err != nil {
		return nil, err
	}
	if code == "expiry.script-wrong" && bytes.Contains(table, []byte("\r\n")) { // a fault that is known is not the table's
		code = "expiry.script-table-crlf"
	}
	return []grader.Finding{all[wrong].finding(code)}, nil
}

// fault tells from all scenes which way the script decides.
func fault(all []claim) string {
	each := func(model func(c claim, name string) string) bool {
		for _, c := range all {
			for _, name := range []string{staleName, freshName} {
				if c.said[name] != model(c, name) {
					return false
				}
			}
		}
		return true
	}
	spoke, asked, crowded := false, false, false
	for _, c := range all {
		spoke = spoke || c.said[staleName] != "" || c.said[freshName] != ""
		asked = asked || len(c.tried.Requests) > 0
		crowded = crowded || c.crowded()
	}
	same := func(scenes func(c claim) bool) bool {
		return !slices.ContainsFunc(all, func(c claim) bool { return scenes(c) && c.tried.Stdout != all[0].tried.Stdout })
	}
	byName := map[string]string{staleName: expired, freshName: live}
	switch {
	case crowded:
		return "expiry.script-lines"
	case !spoke && speaksOnStderr(all[0]):
		return "expiry.script-stderr"
	case !spoke:
		return "expiry.script-silent"
	case !asked && same(func(claim) bool { return true }):
		return "expiry.script-hard-coded"
	case each(func(c claim, name string) string { return c.expects[name] }):
		return "expiry.script-trusts-table"
	case !asked && same(func(c claim) bool { return !c.scene.flipped }):
		return "expiry.script-hard-coded"
	case each(func(_ claim, name string) string { return byName[name] }):
		return "expiry.script-name-decides"
	case each(func(c claim, name string) string { return flip(c.right[name]) }):
		return "expiry.script-acquire-time"
	case onlyDurationWrong(all):
		return "expiry.script-age-only"
	case each(func(c claim, name string) string { return c.rightIfSaid(name) }):
		return "expiry.script-line-missing"
	}
	return "expiry.script-wrong"
}

// crowded reports whether a line stands for both leases, or several lines for one.
func (c claim) crowded() bool {
	lines := map[string]int{}
	for _, line := range strings.Split(submission.Clean(c.tried.Stdout), "\n") {
		if !okLine.MatchString(line) && !mismatchLine.MatchString(line) {
			continue
		}
		for _, name := range []string{staleName, freshName} {
			if strings.Contains(line, name) {
				lines[name]++
			}
			if strings.Contains(line, name) && !isAbout(line, name) {
				return true
			}
		}
	}
	return lines[staleName] > 1 || lines[freshName] > 1
}

// rightIfSaid is the right state where the script said one at all.
func (c claim) rightIfSaid(name string) string {
	if c.said[name] == "" {
		return ""
	}
	return c.right[name]
}

func speaksOnStderr(c claim) bool {
	return said(c.tried.Stderr, staleName, c.expects[staleName]) != ""
}

func onlyDurationWrong(all []claim) bool {
	for _, c := range all {
		if c.correct() == (c.scene.name == "duration-decides") {
			return false
		}
	}
	return true
}

func exitCode(ctx context.Context, view *grader.View) ([]grader.Finding, error) {
	all, err := claims(ctx, view)
	if err != nil {
		return nil, err
	}
	wrong := slices.IndexFunc(all, func(c claim) bool { return !c.exitRight() })
	if wrong < 0 {
		return grader.MeetsUnless(), nil
	}
	code := "expiry.exit-wrong"
	switch {
	case all[wrong].matches():
		code = "expiry.exit-nonzero"
	case !slices.ContainsFunc(all, func(c claim) bool { return c.tried.ExitCode != 0 }):
		code = "expiry.exit-lost"
	case oneLineDecides(all):
		code = "expiry.exit-last-line"
	}
	return []grader.Finding{all[wrong].finding(code)}, nil
}

// oneLineDecides reports whether the exit code follows one of the two leases only.
func oneLineDecides(all []claim) bool {
	for _, name := range []string{staleName, freshName} {
		if !slices.ContainsFunc(all, func(c claim) bool { return (c.tried.ExitCode == 0) != (c.right[name] == c.expects[name]) }) {
			return true
		}
	}
	return false
}

func quiet(ctx context.Context, view *grader.View) ([]grader.Finding, error) {
	all, err := claims(ctx, view)
	if err != nil {
		return nil, err
	}
	for _, c := range all {
		if len(c.tried.Changed) > 0 {
			return []grader.Finding{grader.Misses("expiry.script-writes").At(scriptFile, 0).Compare("", strings.Join(c.tried.Changed, ", "))}, nil
		}
	}
	return grader.MeetsUnless(), nil
}
