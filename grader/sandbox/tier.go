package sandbox

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// Tier is a strength of isolation. See the package documentation for what each consists of.
type Tier string

// The tiers, strongest first.
const (
	TierA Tier = "A"
	TierB Tier = "B"
	TierC Tier = "C"
)

// Support says which isolation this machine allows this process.
type Support struct {
	// Tier is the strongest tier that can be had.
	Tier Tier `json:"tier"`
	// Missing says what the stronger tiers lack, in short stable phrases such as
	// "user namespaces: operation not permitted". Empty for tier A.
	Missing []string `json:"missing"`
}

// UnsupportedError is the error of a run whose tier this machine does not allow.
type UnsupportedError struct {
	Tier    Tier
	Missing string // as in Support.Missing
}

func (e *UnsupportedError) Error() string {
	return fmt.Sprintf("tier %s is not available here: %s", e.Tier, e.Missing)
}

// Detect finds the strongest tier by trying: it starts a run without a program in each tier, strongest
// first, until one succeeds. It takes some 50 ms where tier A can be had. When ctx ends first, the tiers
// not yet tried count as missing.
func Detect(ctx context.Context) Support {
	s := Support{Tier: TierC, Missing: []string{}}
	for _, tier := range []Tier{TierA, TierB} {
		missing := Lacks(ctx, tier)
		if len(missing) == 0 {
			s.Tier = tier
			break
		}
		for _, m := range missing {
			if !slices.Contains(s.Missing, m) {
				s.Missing = append(s.Missing, m)
			}
		}
	}
	return s
}

// Lacks tries one tier and returns what it lacks here, in the phrases of Support.Missing; nothing when it
// can be had.
func Lacks(ctx context.Context, tier Tier) []string {
	_, err := Run(ctx, tier, Spec{probe: true})
	if err == nil {
		return nil
	}
	var unsupported *UnsupportedError
	if !errors.As(err, &unsupported) {
		return []string{err.Error()}
	}
	missing := []string{unsupported.Missing}
	if m := landlockMissing(tier); m != "" && m != unsupported.Missing {
		missing = append(missing, m)
	}
	return missing
}
