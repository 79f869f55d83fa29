// Package checks lists the checks of the lab op-leader.
//
// Its one rule: the list below is all there is. A new check is a package beside the others and a line here.
package checks

import (
	"example.com/labgrader/checks/audit"
	"example.com/labgrader/checks/expiry"
	"example.com/labgrader/checks/internal/oplab"
	"example.com/labgrader/checks/lease"
	"example.com/labgrader/checks/microtime"
	"example.com/labgrader/checks/rbac"
	"example.com/labgrader/checks/renew"
	"example.com/labgrader/checks/splitbrain"
	"example.com/labgrader/checks/takeover"
	"example.com/labgrader/grader"
)

// Lab returns the lab with its eight checks, in the order of the steps.
func Lab() grader.Lab {
	return grader.Lab{
		Name: "op-leader", Title: "The reconcile ran twice", Messages: oplab.Messages,
		Checks: []grader.Check{
			lease.Check(), renew.Check(), expiry.Check(), takeover.Check(),
			microtime.Check(), rbac.Check(), splitbrain.Check(), audit.Check(),
		},
	}
}
