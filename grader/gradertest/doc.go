// Package gradertest keeps cases: a way to do the lab, the verdicts it must get, and the evidence recorded from a real control
// plane.
//
// Its one rule: a verdict is stated by hand, in the file's name and in want.yaml, and no recording changes it.
package gradertest
