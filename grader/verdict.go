package grader

// Verdict is what grading concludes about a criterion, a step or a report.
type Verdict string

const (
	// Pass: the evidence shows that what was asked is there.
	Pass Verdict = "pass"
	// Fail: the evidence shows that it is not.
	Fail Verdict = "fail"
	// Blocked: a criterion that this one requires did not pass, so it was not judged.
	Blocked Verdict = "blocked"
	// Error: the grader could not tell. It is never the learner's failure.
	Error Verdict = "error"
)

// worst sums up verdicts: error over fail over pass. Blocked adds nothing of its own, since the criterion
// that blocks is a fail or an error in the same step. Nothing judged is an error, never a pass.
func worst(verdicts []Verdict) Verdict {
	sum := Error
	if len(verdicts) > 0 {
		sum = Pass
	}
	for _, v := range verdicts {
		switch v {
		case Pass:
		case Fail, Blocked:
			if sum == Pass {
				sum = Fail
			}
		default:
			return Error
		}
	}
	return sum
}
