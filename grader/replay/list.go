package replay

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"path"
	"strconv"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/internalversion"
	metainternalscheme "k8s.io/apimachinery/pkg/apis/meta/internalversion/scheme"
	"k8s.io/apimachinery/pkg/apis/meta/internalversion/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// page is a part of a list.
type page struct {
	metav1.ListMeta
	entries []entry
}

// listOptions reads a query as the API server does.
func listOptions(k kind, query url.Values) (*internalversion.ListOptions, error) {
	options := &internalversion.ListOptions{}
	if err := metainternalscheme.ParameterCodec.DecodeParameters(query, metav1.SchemeGroupVersion, options); err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	internalversion.SetListOptionsDefaults(options, true)
	if errs := validation.ValidateListOptions(options, true); len(errs) > 0 {
		return nil, apierrors.NewInvalid(schema.GroupKind{Group: metav1.GroupName, Kind: "ListOptions"}, "", errs)
	}
	if options.LabelSelector == nil {
		options.LabelSelector = labels.Everything()
	}
	if options.FieldSelector == nil {
		options.FieldSelector = fields.Everything()
	}
	for _, requirement := range options.FieldSelector.Requirements() {
		if err := k.checkLabel(requirement.Field); err != nil {
			return nil, apierrors.NewBadRequest(err.Error())
		}
	}
	return options, nil
}

// list returns the objects of a kind in a namespace, or everywhere if that is empty.
func (w *World) list(k kind, namespace string, options *internalversion.ListOptions) (*page, error) {
	limit, start := options.Limit, ""
	if options.Continue != "" {
		var err error
		if start, err = w.resume(options); err != nil {
			return nil, err
		}
	} else if err := w.checkListRevision(options); err != nil {
		return nil, err
	} else if options.ResourceVersion == "0" {
		limit = 0 // as a watch cache does
	}
	result := &page{ListMeta: metav1.ListMeta{ResourceVersion: w.revisionText()}}
	candidates := w.within(k, namespace)
	for i, e := range candidates {
		key := "/" + strings.TrimPrefix(e.key, prefixOf(namespace))
		if key < start || !matches(e, options) {
			continue
		}
		if limit > 0 && int64(len(result.entries)) == limit {
			last := result.entries[limit-1]
			result.Continue = token{metaGroup + "/v1", int64(w.servedRevision()), "/" + strings.TrimPrefix(last.key, prefixOf(namespace)) + "\x00"}.encode()
			if options.LabelSelector.Empty() && options.FieldSelector.Empty() {
				remaining := int64(len(candidates) - i)
				result.RemainingItemCount = &remaining
			}
			break
		}
		result.entries = append(result.entries, e)
	}
	return result, nil
}

// within returns the objects of a kind in a namespace, or everywhere if that is empty.
func (w *World) within(k kind, namespace string) []entry {
	if namespace == "" {
		return w.entries[k.resource]
	}
	var found []entry
	for _, e := range w.entries[k.resource] {
		if e.bare.GetNamespace() == namespace {
			found = append(found, e)
		}
	}
	return found
}

// get returns an object. Not to find it is the API server's error.
func (w *World) get(k kind, namespace, name string) (entry, error) {
	for _, e := range w.entries[k.resource] {
		if e.bare.GetNamespace() == namespace && e.bare.GetName() == name {
			return e, nil
		}
	}
	return entry{}, apierrors.NewNotFound(k.resource.GroupResource(), name)
}

func prefixOf(namespace string) string {
	if namespace == "" {
		return ""
	}
	return namespace + "/"
}

func matches(e entry, options *internalversion.ListOptions) bool {
	return options.LabelSelector.Matches(labels.Set(e.bare.GetLabels())) && options.FieldSelector.Matches(fieldsOf(e.bare))
}

// checkListRevision returns an error if the world cannot answer for the resource version: it knows one moment only.
func (w *World) checkListRevision(options *internalversion.ListOptions) error {
	if options.ResourceVersion == "" || options.ResourceVersion == "0" {
		return nil
	}
	revision, err := strconv.ParseUint(options.ResourceVersion, 10, 64)
	if err != nil {
		return apierrors.NewBadRequest(fmt.Sprintf("invalid resource version: resourceVersion: Invalid value: %q: %s", options.ResourceVersion, err))
	}
	exact := options.ResourceVersionMatch == metav1.ResourceVersionMatchExact || options.ResourceVersionMatch == "" && options.Limit > 0
	switch {
	case revision > w.servedRevision():
		return w.tooLarge(revision)
	case exact && revision < w.servedRevision():
		return apierrors.NewResourceExpired("The resourceVersion for the provided list is too old.")
	}
	return nil
}

// servedRevision is that of the lists, which is never zero.
func (w *World) servedRevision() uint64 { return max(w.revision, 1) }

func (w *World) revisionText() string { return strconv.FormatUint(w.servedRevision(), 10) }

// tooLarge is the error for a revision that is still to come. A real server waits three seconds for it first.
func (w *World) tooLarge(revision uint64) error {
	err := apierrors.NewTimeoutError(fmt.Sprintf("Too large resource version: %d, current: %d", revision, w.servedRevision()), 1)
	err.ErrStatus.Details.Causes = []metav1.StatusCause{{Type: metav1.CauseTypeResourceVersionTooLarge, Message: "Too large resource version"}}
	return err
}

// token is where a list goes on.
type token struct {
	Version  string `json:"v"`
	Revision int64  `json:"rv"`
	Start    string `json:"start"`
}

func (t token) encode() string {
	encoded, _ := json.Marshal(t) // strings and numbers: there is no error
	return base64.RawURLEncoding.EncodeToString(encoded)
}

// resume returns the key at which a list goes on.
func (w *World) resume(options *internalversion.ListOptions) (string, error) {
	if options.ResourceVersion != "" && options.ResourceVersion != "0" {
		return "", apierrors.NewBadRequest("specifying resource version is not allowed when using continue")
	}
	var t token
	data, err := base64.RawURLEncoding.DecodeString(options.Continue)
	if err == nil {
		err = json.Unmarshal(data, &t)
	}
	switch {
	case err != nil:
		return "", apierrors.NewBadRequest(fmt.Sprintf("invalid continue token: continue key is not valid: %s", err))
	case t.Version != metaGroup+"/v1" || t.Start == "" || path.Clean(t.Start) != t.Start || t.Start[0] != '/':
		return "", apierrors.NewBadRequest("invalid continue token: continue key is not valid")
	case t.Revision != int64(w.servedRevision()):
		return "", apierrors.NewResourceExpired("The provided continue parameter is too old to display a consistent list result. You must start a new list without the continue parameter.")
	}
	return t.Start, nil
}
