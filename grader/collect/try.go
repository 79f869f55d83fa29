package collect

import (
	"context"

	coordinationv1 "k8s.io/api/coordination/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/labgrader/grader"
	"example.com/labgrader/grader/bundle"
	"example.com/labgrader/grader/sandbox"
	"example.com/labgrader/grader/trial"
)

// labNamespace is where the leases are that scripts are tried with.
const labNamespace = "op-leader"

// Try runs the trials among the needs on the evidence in a bundle and returns the bundle with their transcripts. It asks no
// cluster: the evidence of a bundle can be tried again anywhere.
func Try(ctx context.Context, needs []grader.Need, b *bundle.Bundle, source Source, answered func()) (*bundle.Bundle, error) {
	var trials []grader.Trial
	for _, need := range needs {
		if need.Trial != nil {
			trials = append(trials, *need.Trial)
		}
	}
	if len(trials) == 0 {
		return b, nil
	}
	kept, transcripts := run(ctx, trials, b, source, answered)
	all := bundle.Trials{Sandbox: kept, Transcripts: map[string]grader.Transcript{}}
	for i, t := range trials {
		all.Transcripts[t.Name] = transcripts[i]
	}
	return b.WithTrials(all)
}

func run(ctx context.Context, trials []grader.Trial, b *bundle.Bundle, source Source, answered func()) (grader.Sandbox, []grader.Transcript) {
	chosen, err := trial.Choose(ctx, source.RequireSandbox)
	leases := &coordinationv1.LeaseList{}
	evidence := b.Evidence()
	if err == nil {
		err = evidence.Cluster.List(ctx, leases, client.InNamespace(labNamespace))
	}
	if err != nil {
		transcripts := make([]grader.Transcript, len(trials))
		for i := range transcripts {
			transcripts[i].Trouble = err.Error()
			answered()
		}
		return chosen, transcripts
	}
	runner := trial.Runner{
		Tier: sandbox.Tier(chosen.Tier), Kubectl: source.Kubectl, Namespace: b.Namespace(), Base: evidence.Base,
		ServerVersion: evidence.ServerVersion, Files: evidence.Files, Leases: leases.Items,
	}
	return chosen, runner.Run(ctx, trials, answered)
}
