package sandbox

import "io"

// readCapped reads r to its end and keeps the first limit bytes. An error ends it as the end would: what a
// program wrote until then counts.
func readCapped(r io.Reader, limit int64) Output {
	out := Output{Data: []byte{}}
	out.Data, _ = io.ReadAll(io.LimitReader(r, limit))
	n, _ := io.Copy(io.Discard, r)
	out.Cut = n > 0
	return out
}
