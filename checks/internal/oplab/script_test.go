package oplab

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// What a script says that looks for the API server where a trial has none is the grader's trouble.
func TestUnreachable(t *testing.T) {
	for _, stderr := range []string{
		"The connection to the server 10.0.0.1:6443 was refused - did you specify the right host or port?",
		"Unable to connect to the server: dial tcp: lookup k8s: no such host",
		`error: context "kind-lab" does not exist`,
		"error: stat /etc/rancher/k3s/k3s.yaml: no such file or directory",
		"error: error loading config file \"/etc/rancher/k3s/k3s.yaml\": open /etc/rancher/k3s/k3s.yaml: permission denied",
		"./expiry.sh: line 3: /usr/local/bin/kubectl: No such file or directory",
		"sudo: effective uid is not 0, is sudo installed setuid root?",
		"sudo: The \"no new privileges\" flag is set",
		"curl: (7) Failed to connect: Connection refused",
	} {
		assert.True(t, unreachable.MatchString(stderr), stderr)
	}
	for _, stderr := range []string{
		"./expiry.sh: line 3: kubctl: command not found",
		`Error from server (NotFound): leases.coordination.k8s.io "x" not found`,
		"cat: leases.tsv: No such file or directory",
		"date: invalid date 'x'",
		"result: 3",
	} {
		assert.False(t, unreachable.MatchString(stderr), stderr)
	}
}
