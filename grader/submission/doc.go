// Package submission reads the files that a learner left, and their text and YAML.
//
// Its one rule: nothing in a submission is trusted. A file is opened beneath its directory without following links or
// waiting, must be a regular file with one name, and is read once, up to a cap; everything later works on those bytes.
package submission
