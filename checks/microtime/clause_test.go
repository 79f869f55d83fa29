package microtime

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func message(sent, rest string) string {
	return `parsing time "` + sent + `" as "2006-01-02T15:04:05.000000Z07:00": cannot parse "` + rest + `" as ".000000"`
}

func TestNewClauseFaults(t *testing.T) {
	for name, test := range map[string]struct{ message, want string }{
		"the time is not quoted": {"refused", "does not quote the time"},
		"nothing but the time":   {`refused "` + probeTime + `"`, "does not state the format"},
		"no rest is quoted":      {`refused "` + probeTime + `" as "2006-01-02T15:04:05"`, "does not state the format"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := newClause(test.message, probeTime)
			assert.ErrorContains(t, err, test.want)
		})
	}
	c, err := newClause(message(probeTime, "Z"), probeTime)
	require.NoError(t, err, "the message may begin with the clause")
	assert.Equal(t, "2006-01-02T15:04:05.000000Z07:00", c.layout)
	_, err = newClause(`"2027-01-01T00:00:00Z" as "2006": cannot parse "Z" as "."`, "2027-01-01T00:00:00Z")
	assert.NoError(t, err, "the quoted time may be all that comes first")
}

// The rest that the server quotes must be the time's own zone.
func TestClauseIn(t *testing.T) {
	c, err := newClause("x: "+message(probeTime, "Z"), probeTime)
	require.NoError(t, err)
	for name, test := range map[string]struct {
		text string
		want bool
	}{
		"another time":    {message("2026-05-05T05:05:05Z", "Z"), true},
		"an offset":       {message("2026-05-05T05:05:05+09:00", "+09:00"), true},
		"no zone":         {message("2026-05-05T05:05:05", ""), true},
		"rest differs":    {message("2026-05-05T05:05:05Z", "+09:00"), false},
		"the second fits": {message("2026-05-05T05:05:05Z", "") + " " + message("2026-05-05T05:05:05Z", "Z"), true},
		"none":            {"refused", false},
	} {
		t.Run(name, func(t *testing.T) { assert.Equal(t, test.want, c.in(test.text)) })
	}
}

// A time without zone is UTC; one whose quoted rest is not its zone was refused for something else.
func TestRefusedTimes(t *testing.T) {
	five := time.Date(2026, 5, 5, 5, 5, 5, 0, time.UTC)
	for name, test := range map[string]struct {
		text string
		want []time.Time
	}{
		"Z":               {message("2026-05-05T05:05:05Z", "Z"), []time.Time{five}},
		"no zone":         {message("2026-05-05T05:05:05", ""), []time.Time{five}},
		"an offset":       {message("2026-05-05T14:05:05+09:00", "+09:00"), []time.Time{five}},
		"rest is another": {message("2026-05-05T05:05:05Z", "T05:05:05Z"), nil},
		"no such time":    {message("2026-05-05T25:05:05Z", "Z"), nil},
		"not a refusal":   {`"2026-05-05T05:05:05Z"`, nil},
		"two":             {message("2026-05-05T05:05:05Z", "Z") + "\n" + message("2026-05-05T05:05:05", ""), []time.Time{five, five}},
	} {
		t.Run(name, func(t *testing.T) {
			times := refusedTimes(test.text)
			require.Len(t, times, len(test.want))
			for i, want := range test.want {
				assert.True(t, want.Equal(times[i]), "%s", times[i])
			}
		})
	}
}
