// Package bundle keeps evidence as bytes: in memory, and on disk as one tar.gz.
//
// Its one rule: evidence is read from the same bytes whether it was just collected or comes from a file, so a bundle graded
// elsewhere gives the same steps, byte for byte. The digest over those bytes names the evidence.
package bundle
