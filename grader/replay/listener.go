package replay

import (
	"net"
	"sync"
)

// limited is a listener that has a number of connections open at once; the next is accepted when one is closed.
type limited struct {
	net.Listener
	slots  chan struct{}
	closed chan struct{}
	once   sync.Once
}

func limit(l net.Listener, connections int) *limited {
	return &limited{Listener: l, slots: make(chan struct{}, connections), closed: make(chan struct{})}
}

// Accept waits for a connection, and for one of the others to be closed if there are too many.
func (l *limited) Accept() (net.Conn, error) {
	select {
	case l.slots <- struct{}{}:
	case <-l.closed:
		return nil, net.ErrClosed
	}
	connection, err := l.Listener.Accept()
	if err != nil {
		<-l.slots
		return nil, err
	}
	return &slotted{Conn: connection, release: sync.OnceFunc(func() { <-l.slots })}, nil
}

// Close ends a waiting Accept.
func (l *limited) Close() error {
	l.once.Do(func() { close(l.closed) })
	return l.Listener.Close()
}

// slotted gives its slot back when it is closed.
type slotted struct {
	net.Conn
	release func()
}

// Close closes the connection.
func (c *slotted) Close() error {
	defer c.release()
	return c.Conn.Close()
}
