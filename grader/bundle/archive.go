package bundle

import (
	"archive/tar"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Format is the version of the archive that this grader writes and reads.
const Format = 1

const (
	indexName  = "index.json"
	maxIndex   = 1 << 20
	maxMember  = 64 << 20
	maxMembers = 1000
	maxTotal   = 256 << 20
)

// index is the first member of an archive: what the others must be.
type index struct {
	Format  int           `json:"format"`
	Digest  string        `json:"digest"`
	Members []indexMember `json:"members"`
}

type indexMember struct {
	Name   string `json:"name"`
	SHA256 string `json:"sha256"`
}

// WriteFile writes the bundle as a tar.gz. The file appears whole or not at all, readable by its owner only.
func (b *Bundle) WriteFile(name string) (err error) {
	temp, err := os.CreateTemp(filepath.Dir(name), ".bundle-*")
	if err != nil {
		return fmt.Errorf("writing the bundle: %w", err)
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("writing the bundle: %w", errors.Join(err, os.Remove(temp.Name())))
		}
	}()
	if err := errors.Join(b.Write(temp), temp.Close()); err != nil {
		return err
	}
	return os.Rename(temp.Name(), name)
}

// Write writes the bundle as a tar.gz; equal bundles give equal bytes.
func (b *Bundle) Write(w io.Writer) error {
	idx := index{Format: Format, Digest: b.Digest()}
	for _, m := range b.members {
		sum := sha256.Sum256(m.Data)
		idx.Members = append(idx.Members, indexMember{Name: m.Name, SHA256: hex.EncodeToString(sum[:])})
	}
	encoded, err := json.MarshalIndent(idx, "", " ")
	if err != nil {
		return fmt.Errorf("encoding the index: %w", err)
	}
	zipped := gzip.NewWriter(w)
	archive := tar.NewWriter(zipped)
	for _, m := range append([]Member{{Name: indexName, Data: encoded}}, b.members...) {
		header := &tar.Header{Typeflag: tar.TypeReg, Name: m.Name, Mode: 0o600, Size: int64(len(m.Data)), Format: tar.FormatPAX}
		if err := archive.WriteHeader(header); err != nil {
			return fmt.Errorf("writing %s: %w", m.Name, err)
		}
		if _, err := archive.Write(m.Data); err != nil {
			return fmt.Errorf("writing %s: %w", m.Name, err)
		}
	}
	return errors.Join(archive.Close(), zipped.Close())
}

// ReadFile reads a bundle that WriteFile wrote. Anything else is refused, with what is wrong with it: no such file, not a
// bundle, another format, cut short, altered.
func ReadFile(name string) (*Bundle, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("reading the bundle: %w", err)
	}
	defer f.Close()
	b, err := Read(f)
	if err != nil {
		return nil, fmt.Errorf("reading the bundle %s: %w", name, err)
	}
	return b, nil
}

// Read reads a bundle as ReadFile does.
func Read(r io.Reader) (*Bundle, error) {
	zipped, err := gzip.NewReader(r)
	if errors.Is(err, io.EOF) {
		return nil, errors.New("it is not a bundle: it is empty")
	}
	if err != nil {
		return nil, fmt.Errorf("it is not a bundle: %w", err)
	}
	archive := tar.NewReader(io.LimitReader(zipped, maxTotal))
	first, err := next(archive, maxIndex)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, fmt.Errorf("it is cut short: %w", err)
	}
	if err != nil || first.Name != indexName {
		return nil, errors.Join(errors.New("it is not a bundle: it does not start with "+indexName), err)
	}
	var idx index
	if err := json.Unmarshal(first.Data, &idx); err != nil {
		return nil, fmt.Errorf("it is not a bundle: %s: %w", indexName, err)
	}
	if idx.Format != Format {
		return nil, fmt.Errorf("it has format %d, this grader reads format %d: use the grader that wrote it, or collect again", idx.Format, Format)
	}
	members, err := readMembers(archive, idx)
	if err != nil {
		return nil, err
	}
	if _, err := io.Copy(io.Discard, io.LimitReader(zipped, maxMember)); err != nil { // the checksum stands at the end
		return nil, fmt.Errorf("it is cut short or altered: %w", err)
	}
	b, err := FromMembers(members)
	if err != nil {
		return nil, err
	}
	if b.Digest() != idx.Digest {
		return nil, errors.New("it was altered: its digest does not fit its content")
	}
	return b, nil
}

func readMembers(archive *tar.Reader, idx index) ([]Member, error) {
	if len(idx.Members) > maxMembers {
		return nil, fmt.Errorf("it has more than %d members", maxMembers)
	}
	var members []Member
	left := int64(maxTotal) // a sparse member is larger than what is read for it
	for _, want := range idx.Members {
		m, err := next(archive, min(left, maxMember))
		if err != nil {
			return nil, fmt.Errorf("it is cut short or altered at %s: %w", want.Name, err)
		}
		sum := sha256.Sum256(m.Data)
		if m.Name != want.Name || hex.EncodeToString(sum[:]) != want.SHA256 {
			return nil, fmt.Errorf("it was altered: %s is not what the index says", want.Name)
		}
		members = append(members, m)
		left -= int64(len(m.Data))
	}
	if _, err := archive.Next(); !errors.Is(err, io.EOF) {
		return nil, errors.Join(errors.New("it was altered: it holds more than the index says"), err)
	}
	return members, nil
}

// next reads one regular member of acceptable name and at most limit bytes.
func next(archive *tar.Reader, limit int64) (Member, error) {
	header, err := archive.Next()
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return Member{}, err
	}
	base := strings.TrimPrefix(header.Name, filesPrefix)
	if header.Typeflag != tar.TypeReg || base == "." || !fs.ValidPath(base) || strings.Contains(base, "/") {
		return Member{}, fmt.Errorf("%q is not a member of a bundle", header.Name)
	}
	if header.Size > limit {
		return Member{}, fmt.Errorf("%q has %d bytes, at most %d are read", header.Name, header.Size, limit)
	}
	data, err := io.ReadAll(archive)
	return Member{Name: header.Name, Data: data}, err
}
