package catalogue_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/labgrader/grader/catalogue"
)

func TestNegotiate(t *testing.T) {
	type env map[string]string
	known := []string{"en", "ko", "ja", "zh"}
	for name, test := range map[string]struct {
		asked string
		env   env
		want  string // nothing for an error
	}{
		"nothing said":                    {want: "en"},
		"a plain tag":                     {asked: "ko", want: "ko"},
		"upper case":                      {asked: "JA", want: "ja"},
		"region":                          {asked: "ja-JP", want: "ja"},
		"a POSIX locale":                  {asked: "ko_KR.UTF-8", want: "ko"},
		"modifier":                        {asked: "en_GB.UTF-8@euro", want: "en"},
		"modifier alone":                  {asked: "zh_CN@pinyin", want: "zh"},
		"simplified":                      {asked: "zh-Hans", want: "zh"},
		"traditional":                     {asked: "zh-Hant", want: "zh"},
		"Taiwan":                          {asked: "zh_TW.Big5", want: "zh"},
		"unknown language":                {asked: "fr"},
		"no language":                     {asked: "english!"},
		"C is not asked for":              {asked: "C"},
		"undetermined":                    {asked: "und"},
		"only punctuation":                {asked: ".UTF-8"},
		"asked goes before the locale":    {asked: "ko", env: env{"LC_ALL": "ja_JP.UTF-8"}, want: "ko"},
		"LC_ALL first":                    {env: env{"LC_ALL": "ja_JP.UTF-8", "LC_MESSAGES": "ko_KR", "LANG": "zh_CN"}, want: "ja"},
		"then LC_MESSAGES":                {env: env{"LC_MESSAGES": "ko_KR.eucKR", "LANG": "zh_CN.UTF-8"}, want: "ko"},
		"then LANG":                       {env: env{"LC_ALL": "", "LANG": "zh_CN.UTF-8"}, want: "zh"},
		"C is English":                    {env: env{"LC_ALL": "C", "LANG": "ko_KR.UTF-8"}, want: "en"},
		"C.UTF-8 is English":              {env: env{"LC_ALL": "C.UTF-8", "LANG": "ko_KR.UTF-8"}, want: "en"},
		"POSIX is English":                {env: env{"LANG": "POSIX"}, want: "en"},
		"an unknown locale is English":    {env: env{"LANG": "fr_FR.UTF-8"}, want: "en"},
		"a locale of rubbish is English":  {env: env{"LANG": "\x00\xff"}, want: "en"},
		"other variables decide nothing":  {env: env{"LANGUAGE": "ko", "LC_CTYPE": "ko_KR.UTF-8"}, want: "en"},
		"an error whatever the locale is": {asked: "de", env: env{"LANG": "ko_KR.UTF-8"}},
		"a locale with blanks is English": {env: env{"LANG": " ko"}, want: "en"},
		"a language of the same script":   {asked: "ru"},
		"Korean of the North is Korean":   {asked: "ko-KP", want: "ko"},
		"Mandarin by its own code":        {asked: "cmn", want: "zh"},
		"English of wherever is English":  {asked: "en-IN", want: "en"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := catalogue.Negotiate(known, test.asked, func(name string) string { return test.env[name] })
			if test.want == "" {
				assert.ErrorContains(t, err, "only en, ko, ja, zh")
				return
			}
			require.NoError(t, err)
			assert.Equal(t, test.want, got)
		})
	}
}

func TestEnglishIsFirst(t *testing.T) { assert.Equal(t, "en", catalogue.Languages()[0]) }
