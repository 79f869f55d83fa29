// Package oplab holds what several checks of the lab op-leader share: the names of its objects, how to read them, when a
// value was written, and the criteria that Lease manifests have in common.
//
// Its one rule: what is here is about the lab's objects, not about one step.
package oplab

import "embed"

// Messages are the texts of the codes that this package makes.
//
//go:embed messages.*.yaml
var Messages embed.FS
