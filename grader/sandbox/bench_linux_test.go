package sandbox

import (
	"context"
	"net"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
)

// BenchmarkRun is the cost of a run that does nothing; its baseline is the bare program.
func BenchmarkRun(b *testing.B) {
	b.Run("bare", func(b *testing.B) {
		for b.Loop() {
			require.NoError(b, exec.Command("true").Run())
		}
	})
	for _, tier := range []Tier{TierA, TierB, TierC} {
		b.Run(string(tier), func(b *testing.B) {
			if missing := Lacks(context.Background(), tier); len(missing) > 0 {
				b.Skip(missing)
			}
			spec := Spec{Argv: []string{"true"}, Serve: func(l net.Listener) { _ = tryAccept(l) }}
			for b.Loop() {
				_, err := Run(context.Background(), tier, spec)
				require.NoError(b, err)
			}
		})
	}
}
