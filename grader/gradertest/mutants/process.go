package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"
)

// patience is for a mutant that waits without using the processor, for which there are stricter limits.
const patience = 5 * time.Minute

// process is a running worker.
type process struct {
	cmd     *exec.Cmd
	in      io.WriteCloser
	answers chan answer // closed at its end
	stderr  bytes.Buffer
}

// complain says once which cases are left out, since every worker finds the same.
var complain sync.Once

func start(worker, dir string) (*process, error) {
	p := &process{cmd: exec.Command(worker, "worker"), answers: make(chan answer)}
	p.cmd.Dir, p.cmd.Stderr = dir, &p.stderr
	in, err := p.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting a worker: %w", err)
	}
	p.in = in
	go func() {
		defer close(p.answers)
		for decoder := json.NewDecoder(out); ; {
			var a answer
			if decoder.Decode(&a) != nil {
				return
			}
			p.answers <- a
		}
	}()
	ready, alive := <-p.answers
	if !alive {
		_ = p.cmd.Wait() // its words on stderr say more
		return nil, fmt.Errorf("starting a worker: %s", strings.TrimSpace(p.stderr.String()))
	}
	complain.Do(func() {
		for _, words := range ready.LeftOut {
			fmt.Fprintln(os.Stderr, "left out:", words)
		}
	})
	return p, nil
}

// ask asks the worker. It returns false if the worker went without an answer.
func (p *process) ask(q question) (a answer, alive bool) {
	if json.NewEncoder(p.in).Encode(q) != nil {
		return answer{}, false
	}
	select {
	case a, alive = <-p.answers:
	case <-time.After(patience):
	}
	return a, alive
}

// stop ends the worker, if there is one.
func (p *process) stop() {
	if p == nil {
		return
	}
	_ = p.cmd.Process.Kill() // it may have ended
	for range p.answers {    // so that nobody waits to deliver one
	}
	_ = p.cmd.Wait()
}
