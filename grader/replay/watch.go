package replay

import (
	"context"
	"net/http"
	"strconv"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/internalversion"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// watchTime is how long a watch stays open: nothing will happen, but clients that ask again should not spin.
const watchTime = time.Second

// event is one of a watch.
type event struct {
	Type   string `json:"type"`
	Object any    `json:"object"`
}

// watch sends the objects that the client has not seen, a bookmark if it is allowed, and ends.
func (s *Server) watch(w http.ResponseWriter, r *http.Request, t target, v view, options *internalversion.ListOptions) error {
	events, err := s.world.events(v, t, options)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", mediaJSON)
	w.Header().Set("Cache-Control", "no-cache, private")
	w.WriteHeader(http.StatusOK)
	for _, e := range events {
		line, err := encode(e, format{media: mediaJSON})
		if err != nil {
			return nil // the answer has begun
		}
		_, _ = w.Write(line) // the client may be gone
	}
	_ = http.NewResponseController(w).Flush()
	open := watchTime
	if asked := options.TimeoutSeconds; asked != nil && *asked >= 0 && *asked < int64(open/time.Second) {
		open = time.Duration(*asked) * time.Second
	}
	ctx, cancel := context.WithTimeout(r.Context(), open)
	defer cancel()
	select {
	case <-ctx.Done():
	case <-s.closing:
	}
	return nil
}

// events returns those of a watch.
func (w *World) events(v view, t target, options *internalversion.ListOptions) ([]event, error) {
	var since uint64
	if options.ResourceVersion != "" {
		var err error
		if since, err = strconv.ParseUint(options.ResourceVersion, 10, 64); err != nil {
			return nil, apierrors.NewBadRequest("invalid resource version: " + err.Error())
		}
	}
	var events []event
	for _, e := range w.within(v.kind, t.namespace) {
		revision, _ := strconv.ParseUint(e.bare.GetResourceVersion(), 10, 64) // NewWorld has looked at it
		if revision <= since || !matches(e, options) {
			continue
		}
		changed, err := v.event(e, len(events) == 0)
		if err != nil {
			return nil, err
		}
		events = append(events, event{"ADDED", changed})
	}
	if options.AllowWatchBookmarks {
		mark := entry{bare: v.kind.empty(), object: v.kind.empty()}
		mark.object.GetObjectKind().SetGroupVersionKind(v.kind.kind)
		for _, o := range []object{mark.bare, mark.object} {
			o.SetResourceVersion(w.revisionText())
			if options.SendInitialEvents != nil && *options.SendInitialEvents {
				o.SetAnnotations(map[string]string{metav1.InitialEventsAnnotationKey: "true"})
			}
		}
		changed, err := v.event(mark, len(events) == 0)
		if err != nil {
			return nil, err
		}
		events = append(events, event{"BOOKMARK", changed})
	}
	return events, nil
}

// event is the view of an object of an event; the headers of a table come with the first.
func (v view) event(e entry, first bool) (any, error) {
	if v.format.as == "Table" {
		return v.table(metav1.ListMeta{ResourceVersion: e.bare.GetResourceVersion()}, []entry{e}, first), nil
	}
	return v.one(e)
}
