package replay

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/version"
)

const table = "Accept: application/json;as=Table;v=v1;g=meta.k8s.io,application/json"

func TestListAndSelect(t *testing.T) {
	c := newClient(t, worldOf(t, objectsOf(t, "testdata/objects.yaml")))
	all := []string{"fresh-operator", "no-holder", "stale-operator", "widget-operator"}
	for query, want := range map[string][]string{
		"":                            all,
		"?labelSelector=app":          {"stale-operator", "widget-operator"},
		"?labelSelector=app%3Dwidget": {"widget-operator"},
		"?fieldSelector=metadata.name%3Dno-holder":  {"no-holder"},
		"?fieldSelector=metadata.name!%3Dno-holder": {"fresh-operator", "stale-operator", "widget-operator"},
		"?fieldSelector=metadata.namespace%3Dother": {},
		"?limit=-1":                  all,
		"?resourceVersion=0&limit=1": all,
		"?resourceVersion=1&resourceVersionMatch=NotOlderThan":         all,
		"?resourceVersion=CURRENT&resourceVersionMatch=Exact&limit=10": all,
	} {
		query = strings.ReplaceAll(query, "CURRENT", c.server.world.revisionText())
		require.Equal(t, want, c.get(leasesPath+query).names(t), query)
	}
	require.Len(t, c.get("/apis/coordination.k8s.io/v1/leases").names(t), 5)
	require.Equal(t, []string{"op-leader", "other"}, c.get("/api/v1/namespaces").names(t))
	require.Empty(t, c.get("/apis/coordination.k8s.io/v1/namespaces/none/leases").names(t))
	require.Empty(t, c.get("/api/v1/namespaces/op-leader/events?fieldSelector=involvedObject.name%3Dx").names(t))

	for query, want := range map[string]struct {
		code    int
		message string
	}{
		"?fieldSelector=spec.holderIdentity%3Dx":        {400, `"spec.holderIdentity" is not a known field selector: only "metadata.name", "metadata.namespace"`},
		"?labelSelector=a%3D%3D%3Db":                    {400, "unable to parse requirement: found '=', expected: identifier"},
		"?limit=x":                                      {400, `strconv.ParseInt: parsing "x": invalid syntax`},
		"?continue=abc":                                 {400, "invalid continue token: continue key is not valid: invalid character 'i' looking for beginning of value"},
		"?resourceVersion=x":                            {400, `invalid resource version: resourceVersion: Invalid value: "x": strconv.ParseUint: parsing "x": invalid syntax`},
		"?resourceVersion=1&resourceVersionMatch=Exact": {410, "The resourceVersion for the provided list is too old."},
		"?resourceVersion=999999":                       {504, "Timeout: Too large resource version: 999999, current: " + c.server.world.revisionText()},
		"?resourceVersionMatch=Exact":                   {422, `ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided`},
		"/widget-operator?resourceVersion=x":            {500, `resourceVersion: Invalid value: "x": strconv.ParseUint: parsing "x": invalid syntax`},
		"/missing":                                      {404, `leases.coordination.k8s.io "missing" not found`},
		"?continue=" + (token{"meta.k8s.io/v1", 1, "/a"}).encode():    {410, "The provided continue parameter is too old to display a consistent list result. You must start a new list without the continue parameter."},
		"?continue=" + (token{"meta.k8s.io/v1", 1, "/../a"}).encode(): {400, "invalid continue token: continue key is not valid"},
	} {
		got := c.get(leasesPath + query)
		require.Equal(t, want.code, got.code, query)
		require.Equal(t, want.message, got.status(t), query)
	}
}

func TestPaging(t *testing.T) {
	c := newClient(t, worldOf(t, objectsOf(t, "testdata/objects.yaml")))
	for _, path := range []string{leasesPath, "/apis/coordination.k8s.io/v1/leases"} {
		want := c.get(path).names(t)
		var got []string
		query := "?limit=1"
		for left := len(want) - 1; ; left-- {
			page := c.get(path + query)
			got = append(got, page.names(t)...)
			list := page.decode(t)["metadata"].(map[string]any)
			if list["continue"] == nil {
				require.Zero(t, left)
				break
			}
			require.EqualValues(t, left, list["remainingItemCount"])
			query = "?limit=1&continue=" + url.QueryEscape(list["continue"].(string))
		}
		require.Equal(t, want, got)
	}
	selected := c.get(leasesPath + "?limit=1&labelSelector=app")
	require.NotContains(t, selected.body, "remainingItemCount")
	require.Contains(t, selected.body, `"continue"`)
}

func TestNegotiation(t *testing.T) {
	c := newClient(t, worldOf(t, objectsOf(t, "testdata/objects.yaml")))
	one := leasesPath + "/widget-operator"
	for _, test := range []struct {
		path, accept string
		code         int
		kind         string
	}{
		{leasesPath, "", 200, "LeaseList"},
		{leasesPath, "*/*", 200, "LeaseList"},
		{leasesPath, "application/json;foo=bar", 200, "LeaseList"},
		{leasesPath, "application/vnd.kubernetes.protobuf,application/json", 200, "LeaseList"},
		{leasesPath, "application/cbor, application/json;q=0.5", 200, "LeaseList"},
		{leasesPath, "application/json;as=Table;v=v1;g=meta.k8s.io,application/json", 200, "Table"},
		{leasesPath, "application/json;as=Table;v=v1beta1;g=meta.k8s.io", 200, "Table"},
		{leasesPath, "application/json;as=Table;v=v2;g=meta.k8s.io,application/json", 200, "LeaseList"},
		{leasesPath, "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io", 200, "PartialObjectMetadataList"},
		{one, "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io", 200, "PartialObjectMetadata"},
		{one, "application/json;as=Table;v=v1;g=meta.k8s.io", 200, "Table"},
		{one, "application/json", 200, "Lease"},
		{one, "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io", 406, "Status"},
		{leasesPath, "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io", 406, "Status"},
		{leasesPath, "application/json;as=Pod;v=v1;g=meta.k8s.io", 406, "Status"},
		{leasesPath, "application/vnd.kubernetes.protobuf", 406, "Status"},
		{leasesPath, "application/cbor", 406, "Status"},
		{leasesPath, "text/html", 406, "Status"},
		{leasesPath, ";;;,", 406, "Status"},
		{"/apis", "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json", 200, "APIGroupDiscoveryList"},
		{"/apis", "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json", 200, "APIGroupList"},
		{"/api", "application/json", 200, "APIVersions"},
		{"/api/v1", "application/json", 200, "APIResourceList"},
		{"/apis/coordination.k8s.io", "application/json", 200, "APIGroup"},
	} {
		got := c.get(test.path, "Accept: "+test.accept)
		require.Equal(t, test.code, got.code, "%+v", test)
		require.Equal(t, test.kind, got.decode(t)["kind"], "%+v", test)
	}
	yaml := c.get(one, "Accept: application/yaml")
	require.Equal(t, "application/yaml", yaml.header.Get("Content-Type"))
	require.True(t, strings.HasPrefix(yaml.body, "apiVersion: coordination.k8s.io/v1\nkind: Lease\n"))
	require.True(t, strings.HasPrefix(c.get(one).body, `{"kind":"Lease","apiVersion":"coordination.k8s.io/v1","metadata":{"name":"widget-operator",`))
	require.True(t, strings.HasPrefix(c.get(one, "User-Agent: curl/8").body, "{\n  \"kind\": \"Lease\",\n"))
	require.Contains(t, c.get(one+"?pretty=false", "User-Agent: curl/8").body, `{"kind":`)
}

func TestTable(t *testing.T) {
	objects := append(objectsOf(t, "testdata/objects.yaml"), objectsOf(t, "testdata/extra.yaml")...)
	c := newClient(t, worldOf(t, objects))
	cells := func(path string) (columns []string, rows [][]any, first map[string]any) {
		parsed := c.get(path, table).decode(t)
		for _, column := range parsed["columnDefinitions"].([]any) {
			columns = append(columns, column.(map[string]any)["name"].(string))
		}
		for _, row := range parsed["rows"].([]any) {
			rows = append(rows, row.(map[string]any)["cells"].([]any))
		}
		first, _ = parsed["rows"].([]any)[0].(map[string]any)["object"].(map[string]any)
		return columns, rows, first
	}
	columns, rows, object := cells(leasesPath)
	require.Equal(t, []string{"Name", "Holder", "Age"}, columns)
	require.Equal(t, []any{"no-holder", "", "<unknown>"}, rows[1])
	require.Equal(t, "PartialObjectMetadata", object["kind"])
	_, _, object = cells(leasesPath + "?includeObject=Object")
	require.Equal(t, "Lease", object["kind"])
	_, _, object = cells(leasesPath + "?includeObject=None")
	require.Nil(t, object)
	require.Equal(t, 400, c.get(leasesPath+"?includeObject=Some", table).code)
	_, rows, _ = cells("/api/v1/namespaces/op-leader/configmaps")
	require.Equal(t, []any{"binary", 3.0, "<unknown>"}, rows[0])
	columns, rows, _ = cells("/apis/rbac.authorization.k8s.io/v1/rolebindings")
	require.Equal(t, []string{"Name", "Role", "Age", "Users", "Groups", "ServiceAccounts"}, columns)
	require.Equal(t, []any{"leader-election", "Role/leader-election", "<unknown>", "jo, max", "devs", "op-leader/widget-operator"}, rows[0])
	columns, _, _ = cells("/api/v1/serviceaccounts")
	require.Equal(t, []string{"Name", "Age"}, columns)

	older, err := NewWorld(version.Info{GitVersion: "v1.32.13"}, objects)
	require.NoError(t, err)
	c = newClient(t, older)
	columns, rows, _ = cells("/api/v1/serviceaccounts")
	require.Equal(t, []string{"Name", "Secrets", "Age"}, columns)
	require.Equal(t, []any{"with-secret", 1.0, "<unknown>"}, rows[1])
}

func TestGzip(t *testing.T) {
	large := unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "ConfigMap",
		"metadata": map[string]any{"name": "large", "namespace": "a"}, "data": map[string]any{"x": strings.Repeat("y", gzipFrom)}}}
	c := newClient(t, worldOf(t, []unstructured.Unstructured{large, lease("a", "small")}))
	const path = "/api/v1/namespaces/a/configmaps/large"
	require.Equal(t, "gzip", c.get(path, "Accept-Encoding: deflate, gzip;q=1").header.Get("Content-Encoding"))
	require.Empty(t, c.get(path, "Accept-Encoding: identity").header.Get("Content-Encoding"))
	require.Empty(t, c.get("/api/v1/namespaces/a", "Accept-Encoding: gzip").header.Get("Content-Encoding"))
}

func TestWatch(t *testing.T) {
	c := newClient(t, worldOf(t, objectsOf(t, "testdata/objects.yaml")))
	kinds := func(query string, headers ...string) (types []string) {
		got := c.get(leasesPath+query, headers...)
		require.Equal(t, http.StatusOK, got.code)
		for line := range strings.Lines(got.body) {
			types = append(types, line[9:strings.Index(line, `",`)])
		}
		return types
	}
	require.Equal(t, []string{"ADDED", "ADDED", "ADDED", "ADDED"}, kinds("?watch=1&timeoutSeconds=0"))
	require.Equal(t, []string{"ADDED", "BOOKMARK"}, kinds("?watch=1&allowWatchBookmarks=1&timeoutSeconds=0&labelSelector=app%3Dstale"))
	require.Equal(t, []string{"ADDED", "ADDED", "ADDED", "ADDED"}, kinds("?watch=1&timeoutSeconds=0", table))
	require.Empty(t, kinds("?watch=1&resourceVersion="+c.server.world.revisionText()))
	require.Equal(t, 406, c.get(leasesPath+"?watch=1", "Accept: application/yaml").code)
	require.Equal(t, 400, c.get(leasesPath+"?watch=1&resourceVersion=x").code)
	require.Contains(t, c.get(leasesPath+"?watch=1&timeoutSeconds=0&allowWatchBookmarks=1").body, `"k8s.io/initial-events-end":"true"`)
}
