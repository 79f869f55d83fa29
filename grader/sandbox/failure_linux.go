package sandbox

import (
	"errors"
	"fmt"
	"syscall"
)

// stepError is a step in making the surroundings that failed. An unsupported step is one that a machine
// without the tier's means fails.
type stepError struct {
	step        string
	err         error
	unsupported bool
}

func (e *stepError) Error() string { return e.step + ": " + e.err.Error() }
func (e *stepError) Unwrap() error { return e.err }

// needs marks an error as the machine's lack of what the step needs.
func needs(step string, err error) error {
	if err == nil {
		return nil
	}
	return &stepError{step, err, true}
}

// failureReport turns an error into a report.
func failureReport(err error) report {
	var entry *entryError
	if errors.As(err, &entry) {
		return entry.report
	}
	r := report{Kind: failed, Detail: err.Error()}
	var step *stepError
	if errors.As(err, &step) {
		r.Step, r.Unsupported = step.step, step.unsupported
	}
	errors.As(err, &r.Errno)
	return r
}

// asError turns a report of failure into the error of a run of the tier.
func (r report) asError(tier Tier) error {
	if !r.Unsupported {
		return errors.New(r.Detail)
	}
	missing := r.Detail
	if r.Errno != 0 {
		missing = phrase(r.Step, r.Errno)
	}
	return &UnsupportedError{tier, missing}
}

// phrase says that a step needs something that this machine refuses: stable, whatever the step was doing.
func phrase(step string, errno syscall.Errno) string {
	return fmt.Sprintf("%s: %s", step, errno.Error())
}
