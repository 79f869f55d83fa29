// Package trial runs the scripts of a submission in worlds that they have not seen.
//
// Its one rule: a script meets its own files at their real path and an API that looks like the learner's, and nothing else of
// the machine; what it does is written down, and judged elsewhere.
package trial
