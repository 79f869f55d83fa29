// Package replay serves a read-only Kubernetes API over TLS that answers from a world: a set of objects that does not
// change.
//
// Its one rule: a request is answered only if it is a read of something that the world holds, and then as the real API
// server would have answered it. Everything else is refused with a Status: 401 without the token, 403 for what could
// change or reveal something, 404 for what no such server has. A request is judged by what its path means, not by its
// method alone.
//
// Discovery is recorded from real API servers, and the records nearest to the world's version are served. OpenAPI is not:
// kubectl get and describe work without it, kubectl explain does not. A watch sends the objects, a bookmark if the
// client allows it, and ends after a second, since nothing will ever happen: kubectl get --watch returns, and kubectl
// wait asks again until its own timeout.
package replay
