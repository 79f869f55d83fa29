package replay

import (
	"fmt"
	"net/http"
	"net/url"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// objectList is a list of a kind. It marshals as the kind's own list type does.
type objectList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata"`
	Items           []object `json:"items"`
}

// view converts objects of a kind to what a client asked for.
type view struct {
	kind    kind
	columns []column
	format  format
	include metav1.IncludeObjectPolicy
	now     time.Time
}

func newView(k kind, minor int, f format, query url.Values, now time.Time) (view, error) {
	v := view{kind: k, columns: k.columns(minor), format: f, now: now}
	if f.as != "Table" {
		return v, nil
	}
	v.include = metav1.IncludeObjectPolicy(query.Get("includeObject"))
	switch v.include {
	case metav1.IncludeMetadata, metav1.IncludeObject, metav1.IncludeNone:
	case "":
		v.include = metav1.IncludeMetadata
	default:
		return v, apierrors.NewBadRequest(fmt.Sprintf("Unable to convert to Table as requested: includeObject: Invalid value: %q: must be 'Metadata', 'Object', 'None', or empty", v.include))
	}
	return v, nil
}

func (v view) metaType(kind string) metav1.TypeMeta {
	return metav1.TypeMeta{Kind: kind, APIVersion: metaGroup + "/" + v.format.version}
}

// one is the view of one object.
func (v view) one(e entry) (any, error) {
	switch v.format.as {
	case "Table":
		return v.table(metav1.ListMeta{ResourceVersion: e.bare.GetResourceVersion()}, []entry{e}, true), nil
	case "PartialObjectMetadata":
		return v.metadata(e), nil
	case "PartialObjectMetadataList":
		return nil, notAcceptable("you requested PartialObjectMetadataList, but the requested object is not a list")
	}
	return e.object, nil
}

// many is the view of a list.
func (v view) many(p *page) (any, error) {
	switch v.format.as {
	case "Table":
		return v.table(p.ListMeta, p.entries, true), nil
	case "PartialObjectMetadata":
		return nil, notAcceptable("you requested PartialObjectMetadata, but the requested object is a list")
	case "PartialObjectMetadataList":
		list := &metav1.PartialObjectMetadataList{TypeMeta: v.metaType(v.format.as), ListMeta: p.ListMeta, Items: []metav1.PartialObjectMetadata{}}
		for _, e := range p.entries {
			list.Items = append(list.Items, *v.metadata(e))
		}
		return list, nil
	}
	apiVersion, name := v.kind.kind.ToAPIVersionAndKind()
	list := &objectList{TypeMeta: metav1.TypeMeta{Kind: name + "List", APIVersion: apiVersion}, ListMeta: p.ListMeta, Items: []object{}}
	for _, e := range p.entries {
		list.Items = append(list.Items, e.bare)
	}
	return list, nil
}

func (v view) metadata(e entry) *metav1.PartialObjectMetadata {
	partial := meta.AsPartialObjectMetadata(e.bare)
	partial.TypeMeta = v.metaType("PartialObjectMetadata")
	return partial
}

func (v view) table(list metav1.ListMeta, entries []entry, headers bool) *metav1.Table {
	table := &metav1.Table{TypeMeta: v.metaType("Table"), ListMeta: list, Rows: []metav1.TableRow{}}
	if headers {
		for _, c := range v.columns {
			table.ColumnDefinitions = append(table.ColumnDefinitions, c.TableColumnDefinition)
		}
	}
	for _, e := range entries {
		row := metav1.TableRow{}
		for _, c := range v.columns {
			row.Cells = append(row.Cells, c.cell(e.bare, v.now))
		}
		switch v.include {
		case metav1.IncludeObject:
			row.Object = runtime.RawExtension{Object: e.object}
		case metav1.IncludeMetadata:
			row.Object = runtime.RawExtension{Object: v.metadata(e)}
		}
		table.Rows = append(table.Rows, row)
	}
	return table
}

func notAcceptable(message string) error {
	return &apierrors.StatusError{ErrStatus: metav1.Status{Status: metav1.StatusFailure, Code: http.StatusNotAcceptable, Reason: metav1.StatusReasonNotAcceptable, Message: message}}
}
