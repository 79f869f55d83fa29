package gradertest

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/tools/txtar"
	"sigs.k8s.io/yaml"

	"example.com/labgrader/grader"
	"example.com/labgrader/grader/bundle"
)

// Members of a case's archive. All others are members of its bundle.
const (
	scriptName   = "case.sh"
	wantName     = "want.yaml"
	recordedName = "recorded.yaml"
	// quotedSuffix marks a member that txtar cannot hold as it is: its content is one quoted Go string.
	quotedSuffix = ".quoted"
)

// Case is one way to do the lab. Its file is fixtures/corpus/STEP/VERDICT-NAME.txtar.
type Case struct {
	Path string
	// Step is the name of the step that the case is about, from the directory; Verdict is what it must get.
	Step    string
	Verdict grader.Verdict
	Doc     string // what the case shows
	Script  string // bash; replaces functions of the reference solution
	Want    Want
	// Recorded is nil until the case has been played.
	Recorded *Recorded
	Bundle   *bundle.Bundle
}

// Want is what a case must get beside its step's verdict.
type Want struct {
	// Codes of all findings of the step, notes included, in order.
	Codes []string `json:"codes,omitempty"`
	// Also holds verdicts of other steps that are not pass.
	Also map[string]grader.Verdict `json:"also,omitempty"`
	// Steps that are graded, all if empty: for work in progress.
	Steps []int `json:"steps,omitempty"`
}

// Recorded says what a recording was made from.
type Recorded struct {
	Server string `json:"server"`
	// Script is the hash of the reference solution and the case's script: another one means that the evidence is stale.
	Script string `json:"script"`
}

// Load reads a case.
func Load(path string) (*Case, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("loading a case: %w", err)
	}
	c, err := parse(path, data)
	if err != nil {
		return nil, fmt.Errorf("loading the case %s: %w", path, err)
	}
	return c, nil
}

func parse(path string, data []byte) (*Case, error) {
	verdict, _, found := strings.Cut(filepath.Base(path), "-")
	if !found {
		return nil, fmt.Errorf("the name is not VERDICT-NAME.txtar")
	}
	archive := txtar.Parse(data)
	c := &Case{Path: path, Step: filepath.Base(filepath.Dir(path)), Verdict: grader.Verdict(verdict), Doc: strings.TrimSpace(string(archive.Comment))}
	var members []bundle.Member
	for _, f := range archive.Files {
		var err error
		switch f.Name {
		case scriptName:
			c.Script = string(f.Data)
		case wantName:
			err = yaml.UnmarshalStrict(f.Data, &c.Want)
		case recordedName:
			c.Recorded = &Recorded{}
			err = yaml.UnmarshalStrict(f.Data, c.Recorded)
		default:
			var m bundle.Member
			m, err = unquote(f)
			members = append(members, m)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
	}
	if len(members) == 0 {
		return c, nil
	}
	var err error
	c.Bundle, err = bundle.FromMembers(members)
	return c, err
}

func unquote(f txtar.File) (bundle.Member, error) {
	name, quoted := strings.CutSuffix(f.Name, quotedSuffix)
	if !quoted {
		return bundle.Member{Name: f.Name, Data: f.Data}, nil
	}
	content, err := strconv.Unquote(strings.TrimSpace(string(f.Data)))
	return bundle.Member{Name: name, Data: []byte(content)}, err
}

// Save writes the case, with its recording.
func (c *Case) Save() error {
	want, err := yaml.Marshal(c.Want)
	if err != nil {
		return fmt.Errorf("saving a case: %w", err)
	}
	archive := &txtar.Archive{Comment: []byte(c.Doc + "\n"), Files: []txtar.File{{Name: scriptName, Data: []byte(c.Script)}, {Name: wantName, Data: want}}}
	if c.Recorded != nil {
		recorded, err := yaml.Marshal(c.Recorded)
		if err != nil {
			return fmt.Errorf("saving a case: %w", err)
		}
		archive.Files = append(archive.Files, txtar.File{Name: recordedName, Data: recorded})
	}
	if c.Bundle != nil {
		for _, m := range c.Bundle.Members() {
			archive.Files = append(archive.Files, quote(m))
		}
	}
	if err := os.WriteFile(c.Path, txtar.Format(archive), 0o644); err != nil {
		return fmt.Errorf("saving a case: %w", err)
	}
	return nil
}

func quote(m bundle.Member) txtar.File {
	plain := utf8.Valid(m.Data) && !bytes.ContainsAny(m.Data, "\r\x1b\x00\ufeff") && !bytes.Contains(m.Data, []byte("\n-- ")) &&
		!bytes.HasPrefix(m.Data, []byte("-- ")) && (len(m.Data) == 0 || bytes.HasSuffix(m.Data, []byte("\n")))
	if plain {
		return txtar.File{Name: m.Name, Data: m.Data}
	}
	return txtar.File{Name: m.Name + quotedSuffix, Data: []byte(strconv.Quote(string(m.Data)) + "\n")}
}

// scriptHash identifies what a case plays.
func scriptHash(solution []byte, script string) string {
	sum := sha256.Sum256(append(append([]byte{}, solution...), script...))
	return hex.EncodeToString(sum[:8])
}
