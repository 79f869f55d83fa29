package trial

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestMissingTool(t *testing.T) {
	for name, test := range map[string]struct{ stderr, want string }{
		"nothing":                  {"", ""},
		"bash":                     {"./expiry.sh: line 3: dateutils.dconv: command not found\n", "dateutils.dconv"},
		"sh":                       {"./expiry.sh: 3: dateutils.dconv: not found\n", "dateutils.dconv"},
		"env":                      {"/usr/bin/env: dateutils.dconv: No such file or directory\n", "dateutils.dconv"},
		"env in quotes":            {"/usr/bin/env: ‘dateutils.dconv’: No such file or directory\n", "dateutils.dconv"},
		"by its path":              {"bash: /usr/bin/dateutils.dconv: No such file or directory\n", "dateutils.dconv"},
		"a misspelt name":          {"./expiry.sh: line 3: kubctl: command not found\n", ""},
		"one that is there":        {"./expiry.sh: line 3: sed: command not found\n", ""},
		"the API's own not found":  {`Error from server (NotFound): leases.coordination.k8s.io "x" not found`, ""},
		"among other lines":        {"x\nline 1: dateutils.dconv: command not found\ny\n", "dateutils.dconv"},
		"a file that is not there": {"cat: leases.tsv: No such file or directory\n", ""},
	} {
		t.Run(name, func(t *testing.T) { assert.Equal(t, test.want, missingTool(test.stderr)) })
	}
}

func TestMissingInterpreter(t *testing.T) {
	for name, test := range map[string]struct{ script, want string }{
		"none":              {"echo x\n", ""},
		"one that is there": {"#!/bin/sh\n", ""},
		"by its path":       {"#!/usr/bin/dateutils.dconv\necho\n", "dateutils.dconv"},
		"elsewhere":         {"#!/opt/homebrew/bin/dateutils.dconv -x\n", "dateutils.dconv"},
		"through env":       {"#!/usr/bin/env -S A=1 dateutils.dconv -u\n", "dateutils.dconv"},
		"misspelt":          {"#!/usr/bin/env bsh\n", ""},
		"empty":             {"#!", ""},
	} {
		t.Run(name, func(t *testing.T) { assert.Equal(t, test.want, missingInterpreter([]byte(test.script))) })
	}
}
