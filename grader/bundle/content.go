package bundle

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"example.com/labgrader/grader"
	"example.com/labgrader/grader/cluster"
)

// Content is what a collection found.
type Content struct {
	Lab           string
	CapturedAt    time.Time
	ServerVersion string
	// Namespace is that of the learner's kubeconfig context; empty where it names none.
	Namespace string
	Files     []grader.File
	Captures  []cluster.Capture
	Answers   map[string]grader.Answer
	Troubles  []string
}

// Trials are the transcripts by the trial's name, and how the scripts were contained.
type Trials struct {
	Sandbox     grader.Sandbox               `json:"sandbox"`
	Transcripts map[string]grader.Transcript `json:"transcripts"`
}

// troubles returns the reasons for which trials could not be carried out, each once.
func (t *Trials) troubles() []string {
	if t == nil {
		return nil
	}
	reasons := map[string]bool{}
	for _, transcript := range t.Transcripts {
		if transcript.Trouble != "" {
			reasons["running the scripts: "+transcript.Trouble] = true
		}
	}
	return slices.Sorted(maps.Keys(reasons))
}

// The stored forms. Their fields are the bundle's format: a change of meaning needs a new Format.
type (
	storedEvidence struct {
		Lab           string                   `json:"lab"`
		CapturedAt    *time.Time               `json:"capturedAt,omitempty"`
		ServerVersion string                   `json:"serverVersion,omitempty"`
		Namespace     string                   `json:"namespace,omitempty"`
		Files         []storedFile             `json:"files"`
		Objects       []storedCapture          `json:"objects"`
		Answers       map[string]grader.Answer `json:"answers"`
		Troubles      []string                 `json:"troubles,omitempty"`
	}
	storedFile struct {
		Name   string           `json:"name"`
		State  grader.FileState `json:"state"`
		Detail string           `json:"detail,omitempty"`
		// Executable: the owner may execute it.
		Executable bool `json:"executable,omitempty"`
	}
	storedCapture struct {
		Group     string           `json:"group,omitempty"`
		Version   string           `json:"version"`
		Kind      string           `json:"kind"`
		Resource  string           `json:"resource"`
		Namespace string           `json:"namespace,omitempty"`
		Name      string           `json:"name,omitempty"`
		Trouble   string           `json:"trouble,omitempty"`
		Items     []map[string]any `json:"items"`
	}
)

func (c Content) encode() ([]byte, error) {
	stored := storedEvidence{Lab: c.Lab, ServerVersion: c.ServerVersion, Namespace: c.Namespace, Files: []storedFile{}, Objects: []storedCapture{}, Answers: c.Answers, Troubles: c.Troubles}
	if !c.CapturedAt.IsZero() {
		at := c.CapturedAt.UTC()
		stored.CapturedAt = &at
	}
	for _, f := range c.Files {
		stored.Files = append(stored.Files, storedFile{Name: f.Name, State: f.State, Detail: f.Detail, Executable: f.Executable})
	}
	for _, capture := range c.Captures {
		o := capture.Objects
		s := storedCapture{Group: o.Kind.Group, Version: o.Kind.Version, Kind: o.Kind.Kind, Resource: o.Resource, Namespace: o.Namespace, Name: o.Name, Trouble: capture.Trouble, Items: []map[string]any{}}
		for _, item := range capture.Items {
			s.Items = append(s.Items, item.Object)
		}
		stored.Objects = append(stored.Objects, s)
	}
	encoded, err := json.MarshalIndent(stored, "", " ")
	if err != nil {
		return nil, fmt.Errorf("encoding the evidence: %w", err)
	}
	return append(encoded, '\n'), nil
}

func (s storedEvidence) captures() []cluster.Capture {
	captures := make([]cluster.Capture, 0, len(s.Objects))
	for _, o := range s.Objects {
		capture := cluster.Capture{Trouble: o.Trouble, Objects: grader.Objects{
			Kind:     schema.GroupVersionKind{Group: o.Group, Version: o.Version, Kind: o.Kind},
			Resource: o.Resource, Namespace: o.Namespace, Name: o.Name,
		}}
		for _, item := range o.Items {
			capture.Items = append(capture.Items, unstructured.Unstructured{Object: item})
		}
		captures = append(captures, capture)
	}
	return captures
}
