package replay

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"sync"
	"time"

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

const (
	maxConnections = 64
	maxStreams     = 32 // of one connection
	maxHeader      = 32 << 10
	maxBody        = 64 << 10 // of a request; all that have one are refused
	headerTimeout  = 5 * time.Second
	readTimeout    = 10 * time.Second
	writeTimeout   = 30 * time.Second
	idleTimeout    = 30 * time.Second
	// closeTime is how long Close lets requests end by themselves.
	closeTime = 100 * time.Millisecond
)

// Server serves one world to those who have its token. Make one with NewServer.
type Server struct {
	world     *World
	minor     int
	discovery *discovery
	token     string
	authority []byte
	http      *http.Server
	log       requestLog
	closing   chan struct{}
	close     sync.Once
}

// NewServer returns a server of the world with a new token and certificate. It serves nothing yet.
func NewServer(world *World) (*Server, error) {
	discovery, err := newDiscovery(world.version)
	if err != nil {
		return nil, fmt.Errorf("making a replay server: %w", err)
	}
	certificate, authority, err := newCertificate()
	if err != nil {
		return nil, fmt.Errorf("making a replay server: %w", err)
	}
	s := &Server{world: world, minor: minorOf(world.version), discovery: discovery, token: rand.Text(), authority: authority, closing: make(chan struct{})}
	s.http = &http.Server{
		Handler:                      http.MaxBytesHandler(http.HandlerFunc(s.handle), maxBody),
		TLSConfig:                    &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12},
		HTTP2:                        &http.HTTP2Config{MaxConcurrentStreams: maxStreams},
		MaxHeaderBytes:               maxHeader,
		ReadHeaderTimeout:            headerTimeout,
		ReadTimeout:                  readTimeout,
		WriteTimeout:                 writeTimeout,
		IdleTimeout:                  idleTimeout,
		DisableGeneralOptionsHandler: true,
		ErrorLog:                     log.New(io.Discard, "", 0), // what a client does wrong is no news for an operator
	}
	return s, nil
}

// Serve serves until Close is called, and then returns nil. It closes the listener, which should be on loopback, and may
// be in another network namespace.
func (s *Server) Serve(l net.Listener) error {
	if err := s.http.ServeTLS(limit(l, maxConnections), "", ""); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serving the replay: %w", err)
	}
	return nil
}

// Close ends serving, watches and connections. The log of requests stays.
func (s *Server) Close() error {
	s.close.Do(func() { close(s.closing) })
	ctx, cancel := context.WithTimeout(context.Background(), closeTime)
	defer cancel()
	if s.http.Shutdown(ctx) == nil {
		return nil
	}
	if err := s.http.Close(); err != nil {
		return fmt.Errorf("closing the replay: %w", err)
	}
	return nil
}

// Requests returns the first 1000 requests that were answered, in order. Those of which the headers could not be read are
// not among them.
func (s *Server) Requests() []Request { return s.log.all() }

// Kubeconfig returns a kubeconfig file for the server at an address such as 127.0.0.1:6443. The namespace is that of the
// context; empty means that the context names none.
func (s *Server) Kubeconfig(addr, namespace string) ([]byte, error) {
	const name = "lab"
	config := clientcmdapi.NewConfig()
	config.Clusters[name] = &clientcmdapi.Cluster{Server: "https://" + addr, CertificateAuthorityData: s.authority}
	config.AuthInfos[name] = &clientcmdapi.AuthInfo{Token: s.token}
	config.Contexts[name] = &clientcmdapi.Context{Cluster: name, AuthInfo: name, Namespace: namespace}
	config.CurrentContext = name
	data, err := clientcmd.Write(*config)
	if err != nil {
		return nil, fmt.Errorf("writing the kubeconfig: %w", err)
	}
	return data, nil
}
