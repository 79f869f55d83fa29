package bundle

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	utiljson "k8s.io/apimachinery/pkg/util/json"

	"example.com/labgrader/grader"
	"example.com/labgrader/grader/cluster"
)

const (
	evidenceName = "evidence.json"
	trialsName   = "trials.json"
	filesPrefix  = "files/"
)

// Member is one named piece of a bundle: evidence.json, files/NAME, or trials.json.
type Member struct {
	Name string
	Data []byte
}

// Bundle is evidence as bytes. Its members are sorted by name.
type Bundle struct {
	members []Member
	stored  storedEvidence
	trials  *Trials // nil: none were run
}

// Pack makes a bundle of what a collection found.
func Pack(content Content) (*Bundle, error) {
	encoded, err := content.encode()
	if err != nil {
		return nil, err
	}
	members := []Member{{Name: evidenceName, Data: encoded}}
	for _, f := range content.Files {
		if f.State == grader.FilePresent {
			members = append(members, Member{Name: filesPrefix + f.Name, Data: f.Data})
		}
	}
	return FromMembers(members)
}

// FromMembers makes a bundle of its pieces. It is an error if the files that evidence.json calls present are not
// just the ones that are there.
func FromMembers(members []Member) (*Bundle, error) {
	b := &Bundle{members: slices.Clone(members)}
	slices.SortFunc(b.members, func(x, y Member) int { return strings.Compare(x.Name, y.Name) })
	data, ok := b.member(evidenceName)
	if !ok {
		return nil, fmt.Errorf("reading the bundle: there is no %s in it", evidenceName)
	}
	if err := utiljson.Unmarshal(data, &b.stored); err != nil {
		return nil, fmt.Errorf("reading the bundle: %s: %w", evidenceName, err)
	}
	if data, ok := b.member(trialsName); ok {
		b.trials = &Trials{}
		if err := utiljson.Unmarshal(data, b.trials); err != nil {
			return nil, fmt.Errorf("reading the bundle: %s: %w", trialsName, err)
		}
	}
	named := map[string]bool{evidenceName: true, trialsName: true}
	for _, f := range b.stored.Files {
		if f.State != grader.FilePresent {
			continue
		}
		name := filesPrefix + f.Name
		if _, ok := b.member(name); !ok {
			return nil, fmt.Errorf("reading the bundle: %s is not in it", name)
		}
		named[name] = true
	}
	for i, m := range b.members {
		switch {
		case !named[m.Name]:
			return nil, fmt.Errorf("reading the bundle: it holds %s, which %s does not name", m.Name, evidenceName)
		case i > 0 && m.Name == b.members[i-1].Name:
			return nil, fmt.Errorf("reading the bundle: it holds %s twice", m.Name)
		}
	}
	return b, nil
}

// WithTrials returns the bundle with these trials, in the place of others that it may have.
func (b *Bundle) WithTrials(trials Trials) (*Bundle, error) {
	encoded, err := json.MarshalIndent(trials, "", " ")
	if err != nil {
		return nil, fmt.Errorf("encoding the trials: %w", err)
	}
	return FromMembers(append(b.untried(), Member{Name: trialsName, Data: append(encoded, '\n')}))
}

// untried returns the members that are not trials.
func (b *Bundle) untried() []Member {
	return slices.DeleteFunc(slices.Clone(b.members), func(m Member) bool { return m.Name == trialsName })
}

// Members returns the pieces, sorted by name. They must not be changed.
func (b *Bundle) Members() []Member { return b.members }

// Lab returns the name of the lab that the evidence was collected for.
func (b *Bundle) Lab() string { return b.stored.Lab }

// Namespace is that of the learner's kubeconfig context; empty where it names none.
func (b *Bundle) Namespace() string { return b.stored.Namespace }

// Digest names the content: "sha256:" and the hash of the members' names and hashes.
func (b *Bundle) Digest() string { return digest(b.members) }

// Base is the digest without the trials.
func (b *Bundle) Base() string { return digest(b.untried()) }

func digest(members []Member) string {
	sum := sha256.New()
	for _, m := range members {
		_, _ = fmt.Fprintf(sum, "%x %s\n", sha256.Sum256(m.Data), m.Name) // a hash takes every write
	}
	return "sha256:" + hex.EncodeToString(sum.Sum(nil))
}

// Evidence returns what the bundle holds as grading reads it.
func (b *Bundle) Evidence() *grader.Evidence {
	e := &grader.Evidence{
		Digest: b.Digest(), Base: b.Base(), ServerVersion: b.stored.ServerVersion, Files: map[string]grader.File{},
		Cluster: cluster.NewSnapshot(b.stored.captures()), Answers: b.stored.Answers, Troubles: slices.Concat(b.stored.Troubles, b.trials.troubles()),
	}
	if b.stored.CapturedAt != nil {
		e.CapturedAt = *b.stored.CapturedAt
	}
	for _, f := range b.stored.Files {
		file := grader.File{Name: f.Name, State: f.State, Detail: f.Detail, Executable: f.Executable}
		if f.State == grader.FilePresent {
			file.Data, _ = b.member(filesPrefix + path.Base(f.Name))
		}
		e.Files[f.Name] = file
	}
	if b.trials != nil {
		e.Transcripts, e.Sandbox = b.trials.Transcripts, &b.trials.Sandbox
	}
	return e
}

func (b *Bundle) member(name string) ([]byte, bool) {
	i, found := slices.BinarySearchFunc(b.members, name, func(m Member, name string) int { return strings.Compare(m.Name, name) })
	if !found {
		return nil, false
	}
	return b.members[i].Data, true
}
