package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

func TestDetect(t *testing.T) {
	support := Detect(context.Background())
	assert.Equal(t, support, Detect(context.Background()), "it says the same again")
	for _, tier := range []Tier{TierA, TierB, TierC} {
		_, err := Run(context.Background(), tier, Spec{Argv: []string{"true"}})
		switch {
		case tier == support.Tier:
			assert.NoError(t, err)
		case tier < support.Tier:
			var unsupported *UnsupportedError
			require.ErrorAs(t, err, &unsupported)
			assert.Equal(t, tier, unsupported.Tier)
			assert.Contains(t, support.Missing, unsupported.Missing)
		}
	}
	assert.Equal(t, support.Tier == TierA, len(support.Missing) == 0)
	data, err := json.Marshal(support)
	require.NoError(t, err)
	assert.NotContains(t, string(data), "null")
}

func TestDetectWithoutTime(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	support := Detect(ctx)
	assert.Equal(t, TierC, support.Tier)
	assert.NotEmpty(t, support.Missing)
}

func TestUnknownTier(t *testing.T) {
	for _, tier := range []Tier{"", "D", "a"} {
		_, err := Run(context.Background(), tier, Spec{Argv: []string{"true"}})
		assert.EqualError(t, err, `starting the sandbox: there is no tier "`+string(tier)+`"`)
	}
}

func TestPhrases(t *testing.T) {
	tests := map[string]struct {
		err  error
		want string
	}{
		"refused":      {needs("user namespaces", unix.EPERM), "user namespaces: operation not permitted"},
		"exhausted":    {needs("user namespaces", unix.ENOSPC), "user namespaces: no space left on device"},
		"not a number": {needs("landlock", errors.New("not supported by this kernel")), "landlock: not supported by this kernel"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			err := failureReport(test.err).asError(TierB)
			assert.Equal(t, &UnsupportedError{TierB, test.want}, err)
		})
	}
	assert.EqualError(t, failureReport(errors.New("other")).asError(TierB), "other")
}

func TestLandlockRights(t *testing.T) {
	for abi := 1; abi < 12; abi++ {
		older, newer := handledAccess(abi), handledAccess(abi+1)
		assert.Equal(t, older.Handled_access_fs, older.Handled_access_fs&newer.Handled_access_fs, "ABI %d", abi)
		assert.Equal(t, older.Handled_access_net, older.Handled_access_net&newer.Handled_access_net, "ABI %d", abi)
	}
	// As published for each version of the kernel's interface.
	for abi, want := range map[int]uint64{1: 1<<13 - 1, 2: 1<<14 - 1, 3: 1<<15 - 1, 4: 1<<15 - 1, 5: 1<<16 - 1, 9: 1<<17 - 1} {
		assert.Equal(t, want, handledAccess(abi).Handled_access_fs, "ABI %d", abi)
	}
}
