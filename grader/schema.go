package grader

import _ "embed"

// Schema is the JSON Schema of a report.
//
//go:embed report.schema.json
var Schema string
