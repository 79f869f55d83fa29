package checks_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"pgregory.net/rapid"

	"example.com/labgrader/grader"
)

// manifests are the files of YAML that the lab asks for, with whether other documents may stand beside the one asked for.
var manifests = map[string]bool{
	"lease-widget.yaml": true, "lease-stale.yaml": true, "lease-fresh.yaml": true, "child-a.yaml": true, "child-b.yaml": true,
	"lease-initial.yaml": false, "rbac.yaml": false,
}

// honest draws a submission that should pass: when it was done, how its files are written, and who wrote the objects.
func honest(r *rapid.T, w *work) {
	timeline(r, w)
	for _, name := range slices.Sorted(maps.Keys(manifests)) {
		w.files[name] = rewritten(r, w.files[name], manifests[name])
	}
	for _, name := range []string{"takeover.txt", "rbac-check.txt", "leases.tsv", "expiry.txt"} {
		lines := strings.Split(strings.TrimSpace(w.files[name]), "\n")
		w.files[name] = strings.Join(rapid.Permutation(lines).Draw(r, name), "\n") + "\n"
	}
	manager := rapid.StringMatching(`[a-z]{1,8}(-[a-z]{1,8})?`).Draw(r, "manager")
	w.each("Lease", "", func(o *unstructured.Unstructured) {
		entries := o.GetManagedFields()
		for i := range entries {
			if entries[i].Manager == "kubectl-patch" {
				entries[i].Manager = manager
			}
		}
		o.SetManagedFields(rapid.Permutation(entries).Draw(r, "entries"))
	})
	for i, capture := range w.captures {
		w.captures[i].Items = rapid.Permutation(capture.Items).Draw(r, "objects")
	}
	w.captures = rapid.Permutation(w.captures).Draw(r, "captures")
	for _, name := range slices.Sorted(maps.Keys(w.files)) {
		if !strings.HasSuffix(name, ".sh") {
			w.files[name] = ends(r, w.files[name])
		}
	}
}

// rewritten writes YAML in another way that means the same: order of keys and documents, quotes, more documents.
func rewritten(r *rapid.T, content string, more bool) string {
	var documents []string
	for _, document := range strings.Split(content, "\n---\n") {
		var node yaml.Node
		if err := yaml.Unmarshal([]byte(document), &node); err != nil {
			r.Fatal(err)
		}
		restyle(r, &node)
		out, err := yaml.Marshal(&node)
		if err != nil {
			r.Fatal(err)
		}
		documents = append(documents, string(out))
	}
	if more && rapid.Bool().Draw(r, "one more document") {
		documents = append(documents, "apiVersion: v1\nkind: Namespace\nmetadata: {name: op-leader}\n", "# nothing\n")
	}
	return strings.Join(rapid.Permutation(documents).Draw(r, "documents"), "---\n")
}

// restyle shuffles the keys of mappings, and draws the style of strings.
func restyle(r *rapid.T, n *yaml.Node) {
	if n.Kind == yaml.MappingNode {
		var pairs [][2]*yaml.Node
		for i := 0; i < len(n.Content); i += 2 {
			pairs = append(pairs, [2]*yaml.Node{n.Content[i], n.Content[i+1]})
		}
		n.Content = nil
		for _, pair := range rapid.Permutation(pairs).Draw(r, "keys") {
			n.Content = append(n.Content, pair[0], pair[1])
		}
		if rapid.IntRange(0, 4).Draw(r, "flow") == 0 {
			n.Style = yaml.FlowStyle
		}
	}
	if n.Kind == yaml.ScalarNode && n.Tag == "!!str" {
		n.Style = rapid.SampledFrom([]yaml.Style{0, yaml.SingleQuotedStyle, yaml.DoubleQuotedStyle}).Draw(r, "style")
	}
	for _, child := range n.Content {
		restyle(r, child)
	}
}

// ends draws how a file's lines end, and what invisible things surround them.
func ends(r *rapid.T, content string) string {
	content = strings.TrimRight(content, "\n") + rapid.SampledFrom([]string{"", "\n", "\n\n", "\n \n"}).Draw(r, "end")
	if rapid.Bool().Draw(r, "carriage returns") {
		content = strings.ReplaceAll(content, "\n", "\r\n")
	}
	return rapid.SampledFrom([]string{"", "\ufeff"}).Draw(r, "mark") + content
}

func verdicts(report grader.Report) map[string]grader.Verdict {
	all := map[string]grader.Verdict{}
	for _, step := range report.Steps {
		all[step.Name] = step.Verdict
	}
	return all
}

func explain(report grader.Report) string {
	var b strings.Builder
	for _, step := range report.Steps {
		for _, c := range step.Criteria {
			for _, f := range c.Findings {
				fmt.Fprintf(&b, "%s.%s %s: %s %v got %q\n", step.Name, c.Name, c.Verdict, f.Code, f.Args, f.Got)
			}
		}
	}
	return b.String()
}

func TestHonestWorkPasses(t *testing.T) {
	load := reference(t)
	rapid.Check(t, func(r *rapid.T) {
		w := load()
		honest(r, w)
		report := w.grade()
		if report.Verdict != grader.Pass {
			r.Fatalf("%s", explain(report))
		}
	})
}

// defect is one thing done wrong in one step.
type defect struct {
	step string
	name string
	make func(r *rapid.T, w *work)
	// file that holds the fault, if what is wrong in it stays wrong whatever follows.
	file string
}

// eachStep checks a property of defects of each step that are as asked.
func eachStep(t *testing.T, asked func(d defect) bool, property func(r *rapid.T, d defect)) {
	t.Helper()
	byStep := map[string][]defect{}
	for _, d := range defects() {
		if asked(d) {
			byStep[d.step] = append(byStep[d.step], d)
		}
	}
	for step, all := range byStep {
		t.Run(step, func(t *testing.T) {
			rapid.Check(t, func(r *rapid.T) {
				d := all[rapid.IntRange(0, len(all)-1).Draw(r, "defect")]
				r.Log(d.name)
				property(r, d)
			})
		})
	}
}

func TestOneDefectTurnsItsStepOnly(t *testing.T) {
	load := reference(t)
	eachStep(t, func(defect) bool { return true }, func(r *rapid.T, d defect) {
		w := load()
		honest(r, w)
		d.make(r, w)
		report := w.grade()
		for step, verdict := range verdicts(report) {
			want := grader.Pass
			if step == d.step {
				want = grader.Fail
			}
			if verdict != want {
				r.Fatalf("%s is %s, not %s\n%s", step, verdict, want, explain(report))
			}
		}
	})
}

// What is wrong in a file of lines stays wrong whatever is written below it, be it the right line.
func TestNothingAppendedMakesAFailingFilePass(t *testing.T) {
	load := reference(t)
	right := load().files
	eachStep(t, func(d defect) bool { return d.file != "" }, func(r *rapid.T, d defect) {
		w := load()
		d.make(r, w)
		lines := append(strings.Split(strings.TrimSpace(right[d.file]), "\n"), "", "OK", "patch-rc=1", "# nothing")
		below := rapid.SliceOfN(rapid.SampledFrom(lines), 1, 8).Draw(r, "below")
		w.files[d.file] = strings.TrimRight(w.files[d.file], "\r\n") + "\n" + strings.Join(below, "\n") + "\n"
		if got := verdicts(w.grade())[d.step]; got != grader.Fail {
			r.Fatalf("%s is %s", d.step, got)
		}
	})
}

// The same evidence gives the same report, and nothing but the evidence does.
func TestAReportIsAFunctionOfTheEvidence(t *testing.T) {
	load := reference(t)
	rapid.Check(t, func(r *rapid.T) {
		w := load()
		honest(r, w)
		if rapid.Bool().Draw(r, "wrong") {
			all := defects()
			all[rapid.IntRange(0, len(all)-1).Draw(r, "defect")].make(r, w)
		}
		require.Equal(r, w.grade(), w.grade())
	})
}

// owner makes a managedFields entry the owner of a field of spec.
func owner(manager string, fields string) metav1.ManagedFieldsEntry {
	return metav1.ManagedFieldsEntry{Manager: manager, Operation: metav1.ManagedFieldsOperationUpdate, FieldsV1: metav1.NewFieldsV1(fields)}
}
