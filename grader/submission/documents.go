package submission

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	k8syaml "sigs.k8s.io/yaml"

	"example.com/labgrader/grader"
)

// Codes of findings about YAML. Each has the place as its source.
const (
	CodeYAML          = "yaml.invalid" // argument: problem, in the parser's words
	CodeNotObject     = "yaml.not-object"
	CodeManyDocuments = "yaml.too-many-documents"
)

const (
	// maxDocuments is how many documents of one file are looked at.
	maxDocuments = 64
	// maxUnfolded is how many bytes a document may have once its aliases are replaced by what they stand for.
	maxUnfolded = 2 * MaxFile
)

// Document is one YAML or JSON object of a file, read as kubectl would read it.
type Document struct {
	unstructured.Unstructured
	File string
	line int        // of the document's first line
	node *yaml.Node // nil where only JSON could read it
	path []string   // from the document to this object
}

// Line returns the line in the file where the field at path stands, or the nearest one above it that exists.
func (d Document) Line(path ...string) int {
	line := d.line
	node := d.node
	if node != nil {
		line = d.line + node.Line - 1
	}
	for _, key := range append(append([]string{}, d.path...), path...) {
		key, value := child(node, key)
		if value == nil {
			break
		}
		node = value
		line = d.line + key.Line - 1
	}
	return line
}

// At returns the finding with the place of the field at path.
func (d Document) At(f grader.Finding, path ...string) grader.Finding {
	return f.At(d.File, d.Line(path...))
}

// child returns the key node and the value node of a mapping's key or a sequence's index.
func child(node *yaml.Node, key string) (*yaml.Node, *yaml.Node) {
	for node != nil && node.Kind == yaml.AliasNode {
		node = node.Alias
	}
	if node == nil {
		return nil, nil
	}
	switch node.Kind {
	case yaml.MappingNode:
		for i := len(node.Content) - 2; i >= 0; i -= 2 { // of a key that stands twice the last one counts
			if node.Content[i].Value == key {
				return node.Content[i], node.Content[i+1]
			}
		}
	case yaml.SequenceNode:
		if i, err := strconv.Atoi(key); err == nil && i >= 0 && i < len(node.Content) {
			return node.Content[i], node.Content[i]
		}
	}
	return nil, nil
}

// OpenDocuments returns the documents of a declared file, empty ones left out. What cannot be read is a Finding.
func OpenDocuments(view *grader.View, name string) ([]Document, error) {
	data, err := Bytes(view, name)
	if err != nil {
		return nil, err
	}
	return parse(name, data)
}

// OpenObjects is OpenDocuments with the items of every kind: List in its place.
func OpenObjects(view *grader.View, name string) ([]Document, error) {
	documents, err := OpenDocuments(view, name)
	if err != nil {
		return nil, err
	}
	var objects []Document
	for _, d := range documents {
		items, isList := d.Object["items"].([]any)
		if !isList || !strings.HasSuffix(d.GetKind(), "List") {
			objects = append(objects, d)
			continue
		}
		for i, item := range items {
			if object, ok := item.(map[string]any); ok {
				inner := d
				inner.Object = object
				inner.path = []string{"items", strconv.Itoa(i)}
				objects = append(objects, inner)
			}
		}
	}
	return objects, nil
}

func parse(name string, data []byte) ([]Document, error) {
	if !utf8.Valid(data) {
		return nil, grader.Misses(CodeNotUTF8).At(name, 0).With("file", name)
	}
	var documents []Document
	looked := 0
	for _, chunk := range chunks(cleanBytes(data)) {
		if len(bytes.TrimSpace(chunk.text)) == 0 {
			continue
		}
		if looked++; looked > maxDocuments {
			return nil, grader.Misses(CodeManyDocuments).At(name, chunk.line).With("max", strconv.Itoa(maxDocuments))
		}
		document, err := decode(name, chunk)
		if err != nil {
			return nil, err
		}
		if document.Object != nil {
			documents = append(documents, document)
		}
	}
	if len(documents) == 0 {
		return nil, grader.Misses(CodeEmpty).At(name, 0).With("file", name)
	}
	return documents, nil
}

// chunk is the text of one document and the line on which it starts.
type chunk struct {
	line int
	text []byte
}

var separator = regexp.MustCompile(`^---(\s|$)`)

func chunks(data []byte) []chunk {
	var all []chunk
	current := chunk{line: 1}
	for i, line := range bytes.SplitAfter(data, []byte("\n")) {
		if separator.Match(line) {
			all = append(all, current)
			current = chunk{line: i + 1, text: []byte("\n")}
			if rest := bytes.TrimSpace(line[3:]); len(rest) > 0 && rest[0] != '#' {
				// What follows the separator on its line stays, at its column.
				current.text = append([]byte("   "), line[3:]...)
			}
			continue
		}
		current.text = append(current.text, line...)
	}
	return append(all, current)
}

func decode(name string, c chunk) (Document, error) {
	d := Document{File: name, line: c.line}
	invalid := func(err error) error {
		problem, line := c.locate(err)
		return grader.Misses(CodeYAML).At(name, line).With("problem", problem)
	}
	asJSON, err := d.toJSON(c.text)
	if err != nil {
		return d, invalid(err)
	}
	if string(asJSON) == "null" {
		return d, nil
	}
	// This decoder keeps whole numbers as int64, as objects from the API server have them.
	if err := utiljson.Unmarshal(asJSON, &d.Object); err != nil {
		return d, grader.Misses(CodeNotObject).At(name, d.Line())
	}
	return d, nil
}

// toJSON turns the text of a document into JSON as kubectl does, and sets its node.
func (d *Document) toJSON(text []byte) ([]byte, error) {
	var root yaml.Node
	parseErr := yaml.Unmarshal(text, &root)
	if parseErr == nil && len(root.Content) > 0 {
		d.node = root.Content[0]
	}
	if trimmed := bytes.TrimSpace(text); bytes.HasPrefix(trimmed, []byte("{")) && json.Valid(trimmed) {
		return trimmed, nil // tabs may indent JSON
	}
	if parseErr != nil && bytes.ContainsRune(text, '&') {
		return nil, parseErr // how much its aliases stand for cannot be known
	}
	if d.node != nil && unfolded(d.node, map[*yaml.Node]int{}) > maxUnfolded {
		return nil, fmt.Errorf("its aliases stand for more than %d bytes", maxUnfolded)
	}
	return k8syaml.YAMLToJSON(text)
}

// unfolded returns about how many bytes a node has once its aliases are replaced by what they stand for, or something
// beyond maxUnfolded: a few kilobytes of aliases to a long text would else fill the memory.
func unfolded(node *yaml.Node, known map[*yaml.Node]int) int {
	if size, ok := known[node]; ok {
		return size
	}
	if node.Anchor != "" {
		known[node] = 0 // while it is measured; the decoder refuses a node that contains itself
	}
	size := len(node.Value) + 1
	if node.Alias != nil {
		size += unfolded(node.Alias, known)
	}
	for _, inner := range node.Content {
		size = min(size+unfolded(inner, known), maxUnfolded+1)
	}
	if node.Anchor != "" {
		known[node] = size
	}
	return size
}

var errorLine = regexp.MustCompile(`line (\d+): `)

// locate takes the line number out of a YAML error and counts it from the start of the file.
func (c chunk) locate(err error) (problem string, line int) {
	problem = strings.TrimPrefix(err.Error(), "error converting YAML to JSON: ")
	problem = strings.TrimPrefix(problem, "yaml: ")
	line = c.line
	if m := errorLine.FindStringSubmatch(problem); m != nil {
		n, _ := strconv.Atoi(m[1])
		problem = strings.Replace(problem, m[0], "", 1)
		if !strings.HasPrefix(problem, "did not find expected") {
			n-- // these errors alone count lines from 0
		}
		line = c.line + n
	}
	return fmt.Sprintf("%.200s", problem), line
}
