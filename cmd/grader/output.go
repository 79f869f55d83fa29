package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/term"

	"example.com/labgrader/grader"
	"example.com/labgrader/grader/render"
)

// output is one -o FORMAT or FORMAT=FILE. Without a file it is standard output.
type output struct{ format, file string }

func parseOutputs(values []string) ([]output, error) {
	var outputs []output
	used := map[string]string{}
	for _, value := range values {
		format, file, _ := strings.Cut(value, "=")
		if !render.Known(format) {
			return nil, usageError{fmt.Errorf("-o takes %s, optionally with =FILE, not %q", strings.Join(render.Formats(), " or "), value)}
		}
		if other, taken := used[file]; taken {
			return nil, usageError{fmt.Errorf("-o %s and -o %s go to the same place: give one of them another file", other, value)}
		}
		used[file] = value
		outputs = append(outputs, output{format: format, file: file})
	}
	return outputs, nil
}

// write renders the report once per output, each written whole.
func write(outputs []output, report grader.Report, labels render.Labels) error {
	var errs []error
	for _, o := range outputs {
		var buffer bytes.Buffer
		colour := o.file == "" && term.IsTerminal(int(os.Stdout.Fd())) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
		if err := render.Report(&buffer, o.format, report, render.Options{Colour: colour, Labels: labels}); err != nil {
			errs = append(errs, err)
			continue
		}
		errs = append(errs, o.writeBytes(buffer.Bytes()))
	}
	return errors.Join(errs...)
}

func (o output) writeBytes(data []byte) error {
	if o.file == "" {
		if _, err := os.Stdout.Write(data); err != nil {
			return fmt.Errorf("writing the report: %w", err)
		}
		return nil
	}
	if info, err := os.Stat(o.file); err == nil && !info.Mode().IsRegular() {
		return wrapWrite(os.WriteFile(o.file, data, 0)) // such as /dev/stderr or a pipe
	}
	temp, err := os.CreateTemp(filepath.Dir(o.file), ".report-*")
	if err != nil {
		return wrapWrite(err)
	}
	_, err = temp.Write(data)
	err = errors.Join(err, temp.Chmod(0o644), temp.Close())
	if err == nil {
		err = os.Rename(temp.Name(), o.file)
	}
	if err != nil {
		err = errors.Join(err, os.Remove(temp.Name()))
	}
	return wrapWrite(err)
}

func wrapWrite(err error) error {
	if err != nil {
		return fmt.Errorf("writing the report: %w", err)
	}
	return nil
}
