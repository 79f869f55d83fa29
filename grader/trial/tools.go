package trial

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"example.com/labgrader/grader/sandbox"
)

// knownTools are programs that a learner may well have on the lab's machine. That one of them is not installed where a trial
// runs is the grader's trouble; that another name is not found is the script's fault.
func knownTools() []string {
	return []string{"jq", "yq", "python3", "python", "perl", "ruby", "node", "php", "gawk", "mawk", "awk", "sed", "grep", "bc", "dc", "column", "curl", "wget", "nc",
		"zsh", "ksh", "dash", "fish", "xmllint", "dateutils.dconv", "go", "openssl", "tput", "flock", "timeout", "helm", "oc", "sudo", "doas", "k3s", "k0s", "microk8s", "minikube", "kind", "crictl", "docker", "podman"}
}

var notFound = regexp.MustCompile(`(?m)['‘"]?([A-Za-z0-9_./+-]+)['’"]?: (?:command not found|not found|No such file or directory)\s*$`)

// missingTool returns the known tool that a script's errors call not found, if it is indeed not installed here.
func missingTool(stderr string) string {
	for _, match := range notFound.FindAllStringSubmatch(stderr, -1) {
		if name := filepath.Base(match[1]); known(name) && !installed(name) {
			return name
		}
	}
	return ""
}

// missingInterpreter returns the known tool that a script's first line names, if it is not installed here. The first line may
// name it through env, as in #!/usr/bin/env -S python3 -u.
func missingInterpreter(script []byte) string {
	first, _, _ := strings.Cut(string(script), "\n")
	first, shebang := strings.CutPrefix(first, "#!")
	if !shebang {
		return ""
	}
	for _, word := range strings.Fields(first) {
		name := filepath.Base(word)
		if name == "env" || strings.HasPrefix(word, "-") || strings.Contains(word, "=") {
			continue
		}
		if known(name) && !installed(name) {
			return name
		}
		return ""
	}
	return ""
}

func known(name string) bool { return slices.Contains(knownTools(), name) }

func installed(name string) bool {
	for _, dir := range strings.Split(sandbox.DefaultPath, ":") {
		if info, err := os.Stat(filepath.Join(dir, name)); err == nil && !info.IsDir() {
			return true
		}
	}
	return false
}
