package bundle_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/labgrader/grader/bundle"
)

func refused(t *testing.T, archive []byte, problem string) {
	t.Helper()
	b, err := bundle.Read(bytes.NewReader(archive))
	assert.Nil(t, b)
	assert.ErrorContains(t, err, problem)
}

func TestWhatIsNoBundleIsRefused(t *testing.T) {
	index := func(s string) []byte { return archive(t, regular("index.json", s)) }
	for name, c := range map[string]struct {
		archive []byte
		problem string
	}{
		"empty":                      {nil, "it is not a bundle: it is empty"},
		"text":                       {[]byte("hello, this is text"), "it is not a bundle: gzip: invalid header"},
		"a tar without gzip":         {make([]byte, 1024), "it is not a bundle: gzip: invalid header"},
		"gzip of nothing":            {gzipped(t, nil), "it is cut short: "},
		"gzip of text":               {gzipped(t, []byte(strings.Repeat("hello ", 200))), "it is not a bundle: it does not start with index.json"},
		"another tar.gz":             {archive(t, regular("README", "hi")), "it is not a bundle: it does not start with index.json"},
		"index that is no JSON":      {index("hello"), "it is not a bundle: index.json: "},
		"index that is a list":       {index("[]"), "it is not a bundle: index.json: "},
		"no format":                  {index("{}"), "it has format 0, this grader reads format 1"},
		"a later format":             {index(`{"format": 2, "anything": {}}`), "it has format 2, this grader reads format 1: use the grader that wrote it, or collect again"},
		"index without members":      {index(`{"format": 1}`), "there is no evidence.json in it"},
		"too many members":           {index(`{"format": 1, "members": [` + strings.Repeat("{},", 1000) + "{}]}"), "it has more than 1000 members"},
		"a member that is not there": {index(`{"format": 1, "members": [{"name": "evidence.json"}]}`), "it is cut short or altered at evidence.json: "},
		"an index of 2 MiB":          {index(strings.Repeat(" ", 2<<20)), "it is not a bundle: it does not start with index.json"},
	} {
		t.Run(name, func(t *testing.T) { refused(t, c.archive, c.problem) })
	}
}

func TestABundleCutShortIsRefusedWhereverItIsCut(t *testing.T) {
	whole := written(t, pack(t, content()))
	for length := range whole {
		_, err := bundle.Read(bytes.NewReader(whole[:length]))
		require.Error(t, err, "%d of %d bytes", length, len(whole))
	}
	refused(t, whole[:len(whole)-1], "it is cut short")
	refused(t, whole[:len(whole)/2], "it is cut short")
}

func TestABundleWithAFlippedBitIsRefusedOrStillTheSame(t *testing.T) {
	b := pack(t, content())
	whole := written(t, b)
	same := 0
	for i := range whole {
		altered := bytes.Clone(whole)
		altered[i] ^= 1 << (i % 8)
		read, err := bundle.Read(bytes.NewReader(altered))
		if err == nil { // some bits say nothing: a time in the gzip header, padding
			same++
			require.Equal(t, b.Members(), read.Members(), "byte %d", i)
		}
	}
	assert.Less(t, same, 10)
}

func TestAnAlteredMemberIsRefusedEvenWithRightChecksums(t *testing.T) {
	entries := unpack(t, written(t, pack(t, content())))
	require.Equal(t, "index.json", entries[0].header.Name)
	for i, e := range entries {
		for at := 0; at < len(e.data); at += 1 + len(e.data)/50 {
			altered := unpack(t, archive(t, entries...))
			altered[i].data[at] ^= 0x10
			_, err := bundle.Read(bytes.NewReader(archive(t, altered...)))
			require.Error(t, err, "%s, byte %d", e.header.Name, at)
			if i > 0 {
				require.ErrorContains(t, err, "it was altered: "+e.header.Name+" is not what the index says")
			}
		}
	}
}

func TestOtherMembersThanTheIndexSaysAreRefused(t *testing.T) {
	entries := func() []entry { return unpack(t, written(t, pack(t, content()))) }
	whole := entries()
	last := len(whole) - 1
	swapped := entries()
	swapped[1], swapped[2] = swapped[2], swapped[1]
	renamed := entries()
	renamed[2].header.Name, renamed[2].header.PAXRecords = "files/other.txt", nil
	digest := entries()
	digest[0].data = bytes.Replace(digest[0].data, []byte(`"sha256:`), []byte(`"sha256;`), 1)
	for name, c := range map[string]struct {
		entries []entry
		problem string
	}{
		"one more":       {append(entries(), regular("files/more", "x")), "it was altered: it holds more than the index says"},
		"the last twice": {append(entries(), whole[last]), "it was altered: it holds more than the index says"},
		"one less":       {whole[:last], "it is cut short or altered at " + whole[last].header.Name},
		"only the index": {whole[:1], "it is cut short or altered at evidence.json"},
		"other order":    {swapped, "it was altered: "},
		"another name":   {renamed, "it was altered: files/empty.txt is not what the index says"},
		"another digest": {digest, "it was altered: its digest does not fit its content"},
		"made-up digest": {indexed(t, regular("evidence.json", "{}")), "it was altered: its digest does not fit its content"},
		"a missing file": {indexed(t, regular("evidence.json", `{"files": [{"name": "a", "state": "present"}]}`)), "files/a is not in it"},
	} {
		t.Run(name, func(t *testing.T) { refused(t, archive(t, c.entries...), c.problem) })
	}
}

func TestMembersThatAreNoPlainFilesAreRefused(t *testing.T) {
	for _, name := range []string{"/etc/passwd", "../up", "files/../up", "files/..", "files/.", "files/", "files//x", "files/a/b", "files/files/x", "a/b", "..", ".", "/", `files/x/`} {
		e := regular(name, "")
		if strings.HasSuffix(name, "/") {
			e.header.Typeflag = tar.TypeDir // the tar writer makes one of it anyway
		}
		refused(t, archive(t, indexed(t, e)...), "is not a member of a bundle")
	}
	for kind, flag := range map[string]byte{
		"symbolic link": tar.TypeSymlink, "hard link": tar.TypeLink, "device": tar.TypeChar, "block device": tar.TypeBlock, "directory": tar.TypeDir, "pipe": tar.TypeFifo,
	} {
		e := entry{header: tar.Header{Typeflag: flag, Name: "files/x", Linkname: "/etc/passwd"}}
		t.Run(kind, func(t *testing.T) { refused(t, archive(t, indexed(t, e)...), "is not a member of a bundle") })
	}
}

// bomb is a gzip of a tar that begins with a header which declares size bytes, with only as many zeros behind it as sent.
func bomb(t *testing.T, name string, size, sent int64, before ...entry) []byte {
	t.Helper()
	var zipped bytes.Buffer
	gzipWriter := gzip.NewWriter(&zipped)
	tarWriter := tar.NewWriter(gzipWriter)
	for _, e := range before {
		require.NoError(t, tarWriter.WriteHeader(&e.header))
		_, err := tarWriter.Write(e.data)
		require.NoError(t, err)
	}
	require.NoError(t, tarWriter.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Size: size}))
	_, err := io.CopyN(tarWriter, zeros{}, sent)
	require.NoError(t, err)
	require.NoError(t, gzipWriter.Close())
	return zipped.Bytes()
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// sparse is a member of a size that has no data, as GNU tar stores a file with holes.
func sparse(size int) []byte {
	header := func(name string, flag byte, length int) []byte {
		block := make([]byte, 512)
		copy(block, name)
		copy(block[100:], "0000600\x000000000\x000000000\x00")
		copy(block[124:], fmt.Sprintf("%011o\x0000000000000\x00        ", length))
		block[156] = flag
		copy(block[257:], "ustar\x0000")
		sum := 0
		for _, b := range block {
			sum += int(b)
		}
		copy(block[148:], fmt.Sprintf("%06o\x00 ", sum))
		return block
	}
	var records string
	for _, kv := range []string{"GNU.sparse.numblocks=1", fmt.Sprintf("GNU.sparse.map=%d,0", size), fmt.Sprintf("GNU.sparse.size=%d", size)} {
		length := len(kv) + 4 // two digits, a blank, a line feed
		records += fmt.Sprintf("%d %s\n", length, kv)
	}
	body := make([]byte, 512)
	copy(body, records)
	return bytes.Join([][]byte{header("pax", 'x', len(records)), body, header("files/x", '0', 0)}, nil)
}

func TestBombsAreRefusedWithoutGoingOff(t *testing.T) {
	index := indexed(t, regular("evidence.json", "{}"))[0]
	const mega = 1 << 20
	hole := regular("files/x", string(make([]byte, 60*mega)))
	honest := indexed(t, slices.Repeat([]entry{hole}, 5)...)[0]
	holes := bomb(t, "files/x", 0, 0, honest) // ends with an empty member, for which the first hole is put
	zipped, err := gzip.NewReader(bytes.NewReader(holes))
	require.NoError(t, err)
	tarred, err := io.ReadAll(zipped)
	require.NoError(t, err)
	tarred = append(tarred[:len(tarred)-512], bytes.Repeat(sparse(60*mega), 5)...)
	for name, c := range map[string]struct {
		archive []byte
		problem string
	}{
		"an index of 1 TiB":     {bomb(t, "index.json", 1<<40, 0), `"index.json" has 1099511627776 bytes, at most 1048576 are read`},
		"an index that goes on": {bomb(t, "index.json", 100*mega, 2*mega), "at most 1048576 are read"},
		"evidence of 4 EiB":     {bomb(t, "evidence.json", 1<<62, 0, index), "at most 67108864 are read"},
		"evidence that goes on": {bomb(t, "evidence.json", 100*mega, 2*mega, index), "at most 67108864 are read"},
		"300 MiB of holes":      {gzipped(t, tarred), "it is cut short or altered at files/x: \"files/x\" has 62914560 bytes, at most 16777216 are read"},
	} {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			start := time.Now()
			refused(t, c.archive, c.problem)
			assert.Less(t, time.Since(start), 20*time.Second)
			runtime.ReadMemStats(&after)
			assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(2<<30))
		})
	}
}

func FuzzRead(f *testing.F) {
	for _, c := range []bundle.Content{content(), {}} {
		archive := written(f, pack(f, c))
		zipped, err := gzip.NewReader(bytes.NewReader(archive))
		require.NoError(f, err)
		tarred, err := io.ReadAll(zipped)
		require.NoError(f, err)
		f.Add(archive)
		f.Add(tarred)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		// Zipped as well: what is changed in an archive seldom gets past the checksum of gzip.
		for _, archive := range [][]byte{data, gzipped(t, data)} {
			b, err := bundle.Read(bytes.NewReader(archive))
			if err != nil {
				require.Nil(t, b)
				continue
			}
			b.Evidence()
			again, err := bundle.Read(bytes.NewReader(written(t, b)))
			require.NoError(t, err)
			require.Equal(t, b.Digest(), again.Digest())
		}
	})
}
