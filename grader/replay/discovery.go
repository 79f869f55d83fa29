package replay

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"

	apidiscoveryv2 "k8s.io/api/apidiscovery/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilversion "k8s.io/apimachinery/pkg/util/version"
	"k8s.io/apimachinery/pkg/version"
)

// recordings were made by the recording test from real API servers.
//
//go:embed recorded/*.json
var recordings embed.FS

const aggregatedMedia = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"

// recording is the discovery of one version of the API server.
type recording struct {
	Version version.Info `json:"version"`
	// Core and Groups are the aggregated documents at /api and /apis.
	Core   json.RawMessage `json:"core"`
	Groups json.RawMessage `json:"groups"`
	// StorageHashes of resources, by groupVersion/resource, which the aggregated documents lack.
	StorageHashes map[string]string `json:"storageHashes"`
}

// discovery answers what the API has.
type discovery struct {
	recording recording
	groups    []metav1.APIGroup
	resources map[schema.GroupVersion]*metav1.APIResourceList
}

// recordedMinors returns the recorded minor versions in order, each with its file.
func recordedMinors() ([]recordedMinor, error) {
	files, err := recordings.ReadDir("recorded")
	if err != nil {
		return nil, fmt.Errorf("reading the recorded discovery: %w", err)
	}
	var all []recordedMinor
	for _, file := range files {
		version, err := utilversion.ParseGeneric(strings.TrimSuffix(file.Name(), ".json"))
		if err != nil {
			return nil, fmt.Errorf("reading the recorded discovery: %w", err)
		}
		all = append(all, recordedMinor{int(version.Minor()), path.Join("recorded", file.Name())})
	}
	slices.SortFunc(all, func(a, b recordedMinor) int { return a.minor - b.minor })
	return all, nil
}

type recordedMinor struct {
	minor int
	file  string
}

// load returns the newest recording that is not newer than a minor version, or else the oldest.
func load(minor int) (recording, error) {
	all, err := recordedMinors()
	if err != nil {
		return recording{}, err
	}
	best := all[0].file // at least one is embedded, or this would not have been built
	for _, one := range all {
		if one.minor <= minor {
			best = one.file
		}
	}
	data, err := recordings.ReadFile(best)
	if err != nil {
		return recording{}, fmt.Errorf("reading the recorded discovery: %w", err)
	}
	var r recording
	if err := json.Unmarshal(data, &r); err != nil {
		return recording{}, fmt.Errorf("reading the recorded discovery %s: %w", best, err)
	}
	return r, nil
}

// newestRecorded returns the newest version of which the discovery is recorded.
func newestRecorded() (version.Info, error) {
	newest, err := load(math.MaxInt)
	return newest.Version, err
}

// minorOf returns the number of the minor version. Vendors append to it.
func minorOf(info version.Info) int {
	digits := info.Minor
	for i, r := range digits {
		if r < '0' || r > '9' {
			digits = digits[:i]
			break
		}
	}
	minor, _ := strconv.Atoi(digits) // no number: older than all
	return minor
}

// newDiscovery returns that of the recording that fits the version best.
func newDiscovery(info version.Info) (*discovery, error) {
	recorded, err := load(minorOf(info))
	if err != nil {
		return nil, err
	}
	d := &discovery{recording: recorded, resources: map[schema.GroupVersion]*metav1.APIResourceList{}}
	for _, document := range []*json.RawMessage{&d.recording.Core, &d.recording.Groups} {
		var list apidiscoveryv2.APIGroupDiscoveryList
		if err := json.Unmarshal(*document, &list); err != nil {
			return nil, fmt.Errorf("reading the recorded discovery: %w", err)
		}
		var compact bytes.Buffer
		if err := json.Compact(&compact, *document); err != nil {
			return nil, fmt.Errorf("reading the recorded discovery: %w", err)
		}
		*document = append(compact.Bytes(), '\n') // as a server sends it
		for _, group := range list.Items {
			d.addGroup(group)
		}
	}
	return d, nil
}

func (d *discovery) addGroup(group apidiscoveryv2.APIGroupDiscovery) {
	legacy := metav1.APIGroup{Name: group.Name}
	for _, v := range group.Versions {
		gv := schema.GroupVersion{Group: group.Name, Version: v.Version}
		legacy.Versions = append(legacy.Versions, metav1.GroupVersionForDiscovery{GroupVersion: gv.String(), Version: v.Version})
		list := &metav1.APIResourceList{TypeMeta: metav1.TypeMeta{Kind: "APIResourceList"}, GroupVersion: gv.String()}
		if group.Name != "" {
			list.APIVersion = "v1"
		}
		for _, r := range v.Resources {
			list.APIResources = append(list.APIResources, d.legacyResources(gv, r)...)
		}
		d.resources[gv] = list
	}
	if group.Name != "" {
		legacy.PreferredVersion = legacy.Versions[0]
		d.groups = append(d.groups, legacy)
	}
}

// legacyResources returns a resource and its subresources.
func (d *discovery) legacyResources(gv schema.GroupVersion, r apidiscoveryv2.APIResourceDiscovery) []metav1.APIResource {
	namespaced := r.Scope == apidiscoveryv2.ScopeNamespace
	main := metav1.APIResource{Name: r.Resource, SingularName: r.SingularResource, Namespaced: namespaced, Verbs: r.Verbs,
		ShortNames: r.ShortNames, Categories: r.Categories, StorageVersionHash: d.recording.StorageHashes[gv.String()+"/"+r.Resource]}
	if r.ResponseKind != nil {
		main.Group, main.Version, main.Kind = r.ResponseKind.Group, r.ResponseKind.Version, r.ResponseKind.Kind
	}
	all := []metav1.APIResource{main}
	for _, sub := range r.Subresources {
		one := metav1.APIResource{Name: r.Resource + "/" + sub.Subresource, Namespaced: namespaced, Verbs: sub.Verbs}
		if sub.ResponseKind != nil {
			one.Group, one.Version, one.Kind = sub.ResponseKind.Group, sub.ResponseKind.Version, sub.ResponseKind.Kind
		}
		all = append(all, one)
	}
	return all
}

// find returns the name of the target's resource, and whether the API has it, and its subresource if there is one.
func (d *discovery) find(t target) (string, bool) {
	list, ok := d.resources[t.resource.GroupVersion()]
	if !ok {
		return "", false
	}
	name := t.resource.Resource
	if t.subresource != "" {
		name += "/" + t.subresource
	}
	for _, resource := range list.APIResources {
		if resource.Name == name {
			return t.resource.GroupResource().String(), true
		}
	}
	return "", false
}

// wantsAggregated reports whether the client's first choice is the aggregated document.
func wantsAggregated(r *http.Request) bool {
	for _, c := range parseAccept(r.Header.Get("Accept")) {
		if c.params["as"] == "" && (c.media == mediaJSON || c.media == mediaYAML || c.media == "*/*") {
			return false
		}
		if c.media == mediaJSON && c.params["g"] == "apidiscovery.k8s.io" && c.params["v"] == "v2" && c.params["as"] == "APIGroupDiscoveryList" {
			return true
		}
	}
	return false
}

func (d *discovery) aggregated(root string) []byte {
	if root == "api" {
		return d.recording.Core
	}
	return d.recording.Groups
}

// document returns the unaggregated document at a path.
func (d *discovery) document(segments []string, host string) (any, bool) {
	if len(segments) == 0 || segments[0] != "api" && segments[0] != "apis" {
		return nil, false
	}
	rest := segments[1:]
	switch {
	case segments[0] == "api" && len(rest) == 0:
		return &metav1.APIVersions{TypeMeta: metav1.TypeMeta{Kind: "APIVersions"}, Versions: []string{"v1"},
			ServerAddressByClientCIDRs: []metav1.ServerAddressByClientCIDR{{ClientCIDR: "0.0.0.0/0", ServerAddress: host}}}, true
	case segments[0] == "api" && len(rest) == 1:
		list, ok := d.resources[schema.GroupVersion{Version: rest[0]}]
		return list, ok
	case segments[0] == "apis" && len(rest) == 0:
		return &metav1.APIGroupList{TypeMeta: metav1.TypeMeta{Kind: "APIGroupList", APIVersion: "v1"}, Groups: d.groups}, true
	case len(rest) == 1:
		for _, group := range d.groups {
			if group.Name == rest[0] {
				group.TypeMeta = metav1.TypeMeta{Kind: "APIGroup", APIVersion: "v1"}
				return &group, true
			}
		}
	case len(rest) == 2 && rest[0] != "":
		list, ok := d.resources[schema.GroupVersion{Group: rest[0], Version: rest[1]}]
		return list, ok
	}
	return nil, false
}
