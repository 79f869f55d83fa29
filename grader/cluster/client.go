package cluster

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

const (
	// maxBody is how many bytes of one response are read.
	maxBody = 16 << 20
	// callTimeout bounds one request.
	callTimeout = 20 * time.Second
	// parallel is how many requests are under way at once.
	parallel = 16
)

// Access says how to reach a cluster, as kubectl's flags do.
type Access struct {
	Kubeconfig string // file; empty: $KUBECONFIG, ~/.kube/config, then the in-cluster configuration
	Context    string // empty: the current one
	AllowExec  bool   // let the kubeconfig run credential plugins
}

// Config loads the configuration. A kubeconfig that would run a program is refused unless AllowExec is set, since
// the file may be the learner's.
func (a Access) Config() (*rest.Config, error) {
	config, err := a.loader().ClientConfig()
	if err != nil {
		return nil, fmt.Errorf("loading the kubeconfig: %w", err)
	}
	if config.ExecProvider != nil && !a.AllowExec {
		return nil, fmt.Errorf("loading the kubeconfig: it wants to run the credential plugin %q, which is refused unless --allow-exec-plugin is given", config.ExecProvider.Command)
	}
	return config, nil
}

// Namespace returns the namespace of the context; empty if it names none.
func (a Access) Namespace() string {
	raw, err := a.loader().RawConfig()
	if err != nil {
		return ""
	}
	name := a.Context
	if name == "" {
		name = raw.CurrentContext
	}
	if current, ok := raw.Contexts[name]; ok {
		return current.Namespace
	}
	return ""
}

func (a Access) loader() clientcmd.ClientConfig {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = a.Kubeconfig
	return clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, &clientcmd.ConfigOverrides{CurrentContext: a.Context})
}

// prepare returns a copy of the configuration with the limits of this package, and a clock of the server.
func prepare(config *rest.Config) (*rest.Config, *serverClock) {
	config = rest.CopyConfig(config)
	config.QPS, config.Burst = -1, 0 // the requests are few and bounded by parallel
	config.Timeout = callTimeout
	config.UserAgent = "grader"
	config.WarningHandler = rest.NoWarnings{} // standard error is for what an operator can act on
	clock := &serverClock{}
	config.Wrap(func(next http.RoundTripper) http.RoundTripper { return &guard{next: next, clock: clock} })
	return config, clock
}

// serverClock remembers the earliest Date that the API server sent.
type serverClock struct {
	mu    sync.Mutex
	first time.Time
}

func (c *serverClock) observe(header string) {
	at, err := http.ParseTime(header)
	if err != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.first.IsZero() || at.Before(c.first) {
		c.first = at
	}
}

func (c *serverClock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.first
}

// guard caps responses, which client-go reads without limit, and looks at their Date. It does not follow redirects: an API
// server sends none, and where one leads, the answer would be someone else's and the credentials would go there.
type guard struct {
	next  http.RoundTripper
	clock *serverClock
}

func (g *guard) RoundTrip(request *http.Request) (*http.Response, error) {
	if request.Response != nil { // the redirect that led to this request
		return nil, errors.New("the server redirects elsewhere, as no API server does")
	}
	response, err := g.next.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	g.clock.observe(response.Header.Get("Date"))
	response.Body = &cappedBody{ReadCloser: response.Body, left: maxBody}
	return response, nil
}

type cappedBody struct {
	io.ReadCloser
	left int64
}

func (b *cappedBody) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, fmt.Errorf("reading a response: it is larger than %d bytes", maxBody)
	}
	if int64(len(p)) > b.left {
		p = p[:b.left]
	}
	n, err := b.ReadCloser.Read(p)
	b.left -= int64(n)
	return n, err
}
