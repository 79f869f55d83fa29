package gradertest

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"example.com/labgrader/grader"
	"example.com/labgrader/grader/solve"
)

// playLimit bounds one case; the reference solution takes about four seconds.
const playLimit = 2 * time.Minute

// prelude lets a case do something after a step, by a function after_N, without replacing the step.
const prelude = `
mkdir -p "$dir"
solve() {
  local step
  for step in 1 2 3 4 5 6 7 8; do
    "step_$step"
    if declare -F "after_$step" >/dev/null; then "after_$step"; fi
  done
}`

// Play resets the session, does the lab as the case says, and puts the evidence into the case. The solution is the path of
// the reference solution's script.
func (c *Case) Play(ctx context.Context, lab grader.Lab, session *solve.Session, solution string) error {
	ctx, cancel := context.WithTimeout(ctx, playLimit)
	defer cancel()
	if err := session.Reset(ctx); err != nil {
		return err
	}
	source, err := os.ReadFile(solution)
	if err != nil {
		return fmt.Errorf("playing a case: %w", err)
	}
	dir, err := os.MkdirTemp("", "grader-case-")
	if err != nil {
		return fmt.Errorf("playing a case: %w", err)
	}
	defer os.RemoveAll(dir) //nolint:errcheck // a temporary directory
	script := filepath.Join(dir, scriptName)
	content := fmt.Sprintf("source %q\n%s\n%s\nsolve\n", filepath.Join(dir, "solve.sh"), prelude, c.Script)
	for name, data := range map[string][]byte{script: []byte(content), filepath.Join(dir, "solve.sh"): source} {
		if err := os.WriteFile(name, data, 0o755); err != nil {
			return fmt.Errorf("playing a case: %w", err)
		}
	}
	var out bytes.Buffer
	if err := session.Run(ctx, &out, script); err != nil {
		return fmt.Errorf("playing %s: %w\n%s", c.Path, err, out.String())
	}
	c.Bundle, err = session.Collect(ctx, c.lab(lab), c.Want.Steps...)
	if err != nil {
		return fmt.Errorf("playing %s: %w", c.Path, err)
	}
	c.Recorded = &Recorded{Server: c.Bundle.Evidence().ServerVersion, Script: scriptHash(source, c.Script)}
	return nil
}

// Stale reports whether the case's recording was made from another script or solution than there are now.
func (c *Case) Stale(solution []byte) bool {
	return c.Recorded == nil || c.Recorded.Script != scriptHash(solution, c.Script)
}
