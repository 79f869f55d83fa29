package bundle_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"example.com/labgrader/grader"
	"example.com/labgrader/grader/bundle"
	"example.com/labgrader/grader/cluster"
)

var leases = grader.Objects{
	Kind:     schema.GroupVersionKind{Group: "coordination.k8s.io", Version: "v1", Kind: "Lease"},
	Resource: "leases", Namespace: "op-leader", Name: "widget-operator",
}

// content has one of everything that a bundle can hold.
func content() bundle.Content {
	all := leases
	all.Name = ""
	lease := unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "coordination.k8s.io/v1", "kind": "Lease",
		"metadata": map[string]any{"name": "widget-operator", "namespace": "op-leader", "generation": int64(9007199254740993)},
		"spec":     map[string]any{"holderIdentity": "리더-租约-\u202e<&>\"\n", "leaseTransitions": int64(3), "ratio": 1.5},
	}}
	return bundle.Content{
		Lab: "op-leader", CapturedAt: time.Date(2026, 1, 2, 3, 4, 5, 0, time.FixedZone("", 9*3600)), ServerVersion: "v1.37.2",
		Files: []grader.File{
			{Name: "takeover.txt", State: grader.FilePresent, Data: []byte("\xef\xbb\xbfone\r\n\x00\xff")},
			{Name: "empty.txt", State: grader.FilePresent, Data: []byte{}},
			{Name: "실험.yaml", State: grader.FilePresent, Data: []byte("a: 1\n")},
			{Name: "evidence.json", State: grader.FilePresent, Data: []byte("{}")},
			{Name: "index.json", State: grader.FilePresent, Data: []byte("{}")},
			{Name: "missing.txt", State: grader.FileMissing},
			{Name: "link.txt", State: grader.FileNotRegular, Detail: "a symbolic link"},
			{Name: "large.txt", State: grader.FileTooLarge, Detail: "more than 1048576 bytes"},
			{Name: "closed.txt", State: grader.FileUnreadable, Detail: "permission denied"},
		},
		Captures: []cluster.Capture{
			{Objects: leases, Items: []unstructured.Unstructured{lease}},
			{Objects: all, Trouble: "listing leases: forbidden"},
		},
		Answers: map[string]grader.Answer{
			"dry-run": {Code: 422, Message: "it must be \"micro\"\n"}, "access": {Allowed: true}, "absent": {Absent: true}, "trouble": {Trouble: "refused"},
		},
		Troubles: []string{"listing leases: forbidden", "reading closed.txt: permission denied"},
	}
}

func pack(t testing.TB, content bundle.Content) *bundle.Bundle {
	t.Helper()
	b, err := bundle.Pack(content)
	require.NoError(t, err)
	return b
}

func written(t testing.TB, b *bundle.Bundle) []byte {
	t.Helper()
	var archive bytes.Buffer
	require.NoError(t, b.Write(&archive))
	return archive.Bytes()
}

// entry is one member of an archive, honest or not.
type entry struct {
	header tar.Header
	data   []byte
}

func regular(name, data string) entry {
	return entry{tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: 0o600, Size: int64(len(data))}, []byte(data)}
}

// unpack takes an archive apart.
func unpack(t testing.TB, archive []byte) []entry {
	t.Helper()
	zipped, err := gzip.NewReader(bytes.NewReader(archive))
	require.NoError(t, err)
	reader := tar.NewReader(zipped)
	var entries []entry
	for {
		header, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return entries
		}
		require.NoError(t, err)
		data, err := io.ReadAll(reader)
		require.NoError(t, err)
		entries = append(entries, entry{*header, data})
	}
}

// archive puts one together, with correct checksums.
func archive(t testing.TB, entries ...entry) []byte {
	t.Helper()
	var tarred bytes.Buffer
	writer := tar.NewWriter(&tarred)
	for _, e := range entries {
		require.NoError(t, writer.WriteHeader(&e.header))
		_, err := writer.Write(e.data)
		require.NoError(t, err)
	}
	require.NoError(t, writer.Close())
	return gzipped(t, tarred.Bytes())
}

func gzipped(t testing.TB, data []byte) []byte {
	t.Helper()
	var zipped bytes.Buffer
	writer := gzip.NewWriter(&zipped)
	_, err := writer.Write(data)
	require.NoError(t, err)
	require.NoError(t, writer.Close())
	return zipped.Bytes()
}

// indexed puts an index that names all entries before them, as somebody would who makes up a bundle.
func indexed(t testing.TB, entries ...entry) []entry {
	t.Helper()
	type member struct{ Name, SHA256 string }
	var members []member
	for _, e := range entries {
		sum := sha256.Sum256(e.data)
		members = append(members, member{e.header.Name, hex.EncodeToString(sum[:])})
	}
	encoded, err := json.Marshal(map[string]any{"format": bundle.Format, "digest": "sha256:0", "members": members})
	require.NoError(t, err)
	return append([]entry{regular("index.json", string(encoded))}, entries...)
}
