// Package grader is the engine: it turns evidence into a report.
//
// Its one rule: Grade is a pure function of the lab and the evidence. It asks no clock, no network and no disk,
// so the same evidence gives the same report wherever and whenever it is graded. Everything active (reading files,
// asking the API server, running scripts) happens before, in collection, driven by the needs that the criteria declare.
package grader
