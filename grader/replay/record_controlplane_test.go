//go:build controlplane

package replay

import (
	"context"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"example.com/labgrader/grader/controlplane"
)

var update = flag.Bool("update", false, "record the discovery of the control plane that K8S_VERSION names")

// TestRecording compares the recorded discovery, and all that is derived from it, with a real server of its version. With
// -args -update it records instead.
func TestRecording(t *testing.T) {
	assets, err := controlplane.Assets(t.Context(), "", "../..")
	require.NoError(t, err)
	server, err := controlplane.Start(assets)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, server.Stop()) })
	client, err := kubernetes.NewForConfig(rest.CopyConfig(server.Config))
	require.NoError(t, err)
	get := func(path, accept string) []byte {
		body, err := client.RESTClient().Get().AbsPath(path).SetHeader("Accept", accept).Do(context.Background()).Raw()
		require.NoError(t, err, path)
		return body
	}

	real := recording{Core: get("/api", aggregatedMedia), Groups: get("/apis", aggregatedMedia), StorageHashes: map[string]string{}}
	require.NoError(t, json.Unmarshal(get("/version", mediaJSON), &real.Version))
	var groups metav1.APIGroupList
	require.NoError(t, json.Unmarshal(get("/apis", mediaJSON), &groups))
	legacy := map[string][]byte{"/api/v1": get("/api/v1", mediaJSON), "/apis": get("/apis", mediaJSON)}
	for _, group := range groups.Groups {
		legacy["/apis/"+group.Name] = get("/apis/"+group.Name, mediaJSON)
		for _, version := range group.Versions {
			legacy["/apis/"+version.GroupVersion] = get("/apis/"+version.GroupVersion, mediaJSON)
		}
	}
	for _, document := range legacy {
		var list metav1.APIResourceList
		require.NoError(t, json.Unmarshal(document, &list))
		for _, resource := range list.APIResources {
			if resource.StorageVersionHash != "" {
				real.StorageHashes[list.GroupVersion+"/"+resource.Name] = resource.StorageVersionHash
			}
		}
	}

	file := filepath.Join("recorded", real.Version.GitVersion+".json")
	if *update {
		data, err := json.MarshalIndent(real, "", " ")
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(file, append(data, '\n'), 0o644))
		return
	}
	d, err := newDiscovery(real.Version)
	require.NoError(t, err)
	if d.recording.Version.GitVersion != real.Version.GitVersion {
		t.Logf("%s is not recorded, %s stands in for it", real.Version.GitVersion, d.recording.Version.GitVersion)
		return
	}
	require.JSONEq(t, string(real.Core), string(d.aggregated("api")))
	require.JSONEq(t, string(real.Groups), string(d.aggregated("apis")))
	for path, want := range legacy {
		parsed, ok := parsePath(mustURL(t, path))
		require.True(t, ok)
		document, ok := d.document(parsed.document, "")
		require.True(t, ok, path)
		got, err := encode(document, format{media: mediaJSON})
		require.NoError(t, err)
		require.JSONEq(t, string(want), string(got), path)
	}
}
