package checks_test

import (
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"pgregory.net/rapid"

	"example.com/labgrader/grader"
)

// inFile makes a defect that replaces a pattern in a file.
func inFile(step, name, file, pattern, by string, stays bool) defect {
	d := defect{step: step, name: name, make: func(r *rapid.T, w *work) { w.replace(r, file, pattern, by) }}
	if stays {
		d.file = file
	}
	return d
}

// without makes a defect of a file that is not there.
func without(step, file string) defect {
	return defect{step: step, name: "no " + file, make: func(_ *rapid.T, w *work) { delete(w.files, file) }}
}

// inCluster makes a defect of a live object.
func inCluster(step, name, kind, object string, change func(o *unstructured.Unstructured)) defect {
	return defect{step: step, name: name, make: func(_ *rapid.T, w *work) { w.each(kind, object, change) }}
}

func setTo(value any, path ...string) func(o *unstructured.Unstructured) {
	return func(o *unstructured.Unstructured) {
		if err := unstructured.SetNestedField(o.Object, value, path...); err != nil {
			panic(err)
		}
	}
}

// defects are ways to get one step wrong, and no other.
func defects() []defect {
	quote := `["']?`
	all := []defect{
		inFile("lease", "holder", "lease-widget.yaml", `widget-operator-0`, "widget-operator-1", false),
		inFile("lease", "duration", "lease-widget.yaml", `(leaseDurationSeconds`+quote+`: )15`, "${1}16", false),
		inFile("lease", "transitions", "lease-widget.yaml", `(leaseTransitions`+quote+`: )0`, "${1}1", false),
		inFile("lease", "seconds only", "lease-widget.yaml", `\.\d{6}`, "", false),
		inFile("lease", "not saved but copied", "lease-initial.yaml", `(?m)resourceVersion`, "otherVersion", false),
		inFile("lease", "saved with another count", "lease-initial.yaml", `(leaseTransitions`+quote+`: )0`, "${1}1", false),
		inFile("renew", "label", "renew-log.txt", `(?m)^(\S)`, "renewTime: $1", true),
		inFile("renew", "seconds only", "renew-log.txt", `\.\d{6}`, "", true),
		inFile("renew", "no digits", "renew-log.txt", `\d`, "", true),
		{step: "renew", name: "same line thrice", file: "renew-log.txt", make: func(_ *rapid.T, w *work) {
			first, _, _ := strings.Cut(w.files["renew-log.txt"], "\n")
			w.files["renew-log.txt"] = strings.Repeat(first+"\n", 3)
		}},
		inFile("expiry", "stale duration", "lease-stale.yaml", `(leaseDurationSeconds`+quote+`: )15`, "${1}150", false),
		inFile("expiry", "fresh holder", "lease-fresh.yaml", `fresh-operator-0`, "fresh-operator", false),
		inFile("expiry", "table turned", "leases.tsv", `EXPIRED`, "LIVE", true),
		inFile("expiry", "blank for tab", "leases.tsv", "\t", " ", true),
		inFile("expiry", "mismatch saved", "expiry.txt", `OK`, "MISMATCH", true),
		inFile("takeover", "too late", "takeover.txt", `before-holder=widget-operator-0`, "before-holder=widget-operator-1", true),
		inFile("takeover", "counted", "takeover.txt", `before-transitions=0`, "before-transitions=3", true),
		inFile("takeover", "no value", "takeover.txt", `after-holder=\S+`, "after-holder=", true),
		inFile("takeover", "blank around the sign", "takeover.txt", `=`, " = ", true),
		inFile("microtime", "code of another command", "microtime-error.txt", `patch-rc=\d+`, "patch-rc=0", true),
		inFile("microtime", "words above", "microtime-error.txt", `patch-rc=`, "# result\npatch-rc=", true),
		inFile("microtime", "paraphrase", "microtime-error.txt", `cannot parse`, "could not understand", false),
		inFile("rbac", "wrong answer", "rbac-check.txt", `delete=no`, "delete=yes", true),
		inFile("rbac", "warning kept", "rbac-check.txt", `get=yes`, "Warning: x\nget=yes", true),
		inFile("rbac", "verb", "rbac.yaml", `\bupdate\b`, "patch", false),
		inFile("splitbrain", "same value", "child-b.yaml", `(phase`+quote+`: `+quote+`)B`, "${1}A", false),
		inFile("splitbrain", "code zero", "split-brain.txt", `apply-b-rc=\d+`, "apply-b-rc=0", true),
		inFile("splitbrain", "final value", "split-brain.txt", `final-phase=A`, "final-phase=B", true),
		inFile("splitbrain", "no sentence", "split-brain.txt", `Apply failed with 1 conflict`, "a conflict", false),
		inFile("audit", "wrong count", "lease-audit.txt", `transitions=1`, "transitions=2", true),
		inFile("audit", "header", "lease-audit.txt", `^(\x{feff}?)`, "${1}NAME\n", true),
		inFile("audit", "dash", "runbook.txt", `--leader-elect-renew-deadline`, "–leader-elect-renew-deadline", false),
		{step: "takeover", name: "holder", make: func(r *rapid.T, w *work) {
			w.set("widget-operator", "holderIdentity", "widget-operator-2")
			w.replace(r, "lease-audit.txt", "widget-operator-1", "widget-operator-2")
		}},
		inCluster("takeover", "renewed before acquired", "Lease", "widget-operator", setTo("2026-01-01T12:00:00.000000Z", "spec", "renewTime")),
		inCluster("takeover", "two managers", "Lease", "widget-operator", func(o *unstructured.Unstructured) {
			entries := o.GetManagedFields()
			for i := range entries {
				entries[i].FieldsV1 = metav1.NewFieldsV1(strings.Replace(entries[i].FieldsV1.GetRawString(), `"f:acquireTime":{},`, "", 1))
			}
			o.SetManagedFields(append(entries, owner("late", `{"f:spec":{"f:acquireTime":{}}}`)))
		}),
		inCluster("splitbrain", "overwritten", "ConfigMap", "order-1", func(o *unstructured.Unstructured) {
			setTo("B", "data", "phase")(o)
		}),
		inCluster("rbac", "resource names", "Role", "leader-election", func(o *unstructured.Unstructured) {
			rules, _, _ := unstructured.NestedSlice(o.Object, "rules")
			rules[0].(map[string]any)["resourceNames"] = []any{"widget-operator"}
			setTo(rules, "rules")(o)
		}),
		{step: "rbac", name: "no account", make: func(_ *rapid.T, w *work) { w.remove("ServiceAccount", "widget-operator") }},
		{step: "rbac", name: "may delete", make: func(_ *rapid.T, w *work) {
			answers := map[string]grader.Answer{}
			for name, answer := range w.answers {
				if strings.Contains(name, "delete") {
					answer.Allowed = true
				}
				answers[name] = answer
			}
			w.answers = answers
		}},
	}
	for _, missing := range []struct {
		step  string
		files []string
	}{
		{"lease", []string{"lease-widget.yaml", "lease-initial.yaml"}},
		{"renew", []string{"renew-log.txt"}},
		{"expiry", []string{"lease-stale.yaml", "lease-fresh.yaml", "leases.tsv", "expiry.txt"}},
		{"takeover", []string{"takeover.txt"}},
		{"microtime", []string{"microtime-error.txt"}},
		{"rbac", []string{"rbac.yaml", "rbac-check.txt"}},
		{"splitbrain", []string{"child-a.yaml", "child-b.yaml", "split-brain.txt"}},
		{"audit", []string{"lease-audit.txt", "runbook.txt"}},
	} {
		for _, file := range missing.files {
			all = append(all, without(missing.step, file))
		}
	}
	return all
}
