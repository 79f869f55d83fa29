package catalogue

import (
	"fmt"
	"strings"

	"golang.org/x/text/language"
)

// Languages returns the languages in which there is every text, English first. This is their one list: what --lang takes and
// what the tests demand follow from it.
func Languages() []string { return []string{"en", "ko", "ja", "zh"} }

// Negotiate returns which of the known languages to speak: the one that is asked for, else that of the environment, as in
// POSIX: the first of LC_ALL, LC_MESSAGES and LANG that is not empty decides. The first known language stands in for one
// that the environment names and is not known; asking for such a one is an error.
func Negotiate(known []string, asked string, getenv func(string) string) (string, error) {
	if asked != "" {
		if found, ok := match(known, asked); ok {
			return found, nil
		}
		return "", fmt.Errorf("choosing a language: there is no %q, only %s", asked, strings.Join(known, ", "))
	}
	for _, name := range []string{"LC_ALL", "LC_MESSAGES", "LANG"} {
		if locale := getenv(name); locale != "" {
			found, _ := match(known, locale)
			return found, nil
		}
	}
	return known[0], nil
}

// match finds the known language for a BCP 47 tag or a POSIX locale such as ko_KR.UTF-8, else the first and false.
func match(known []string, name string) (string, bool) {
	name, _, _ = strings.Cut(name, "@")
	name, _, _ = strings.Cut(name, ".")
	tag, err := language.All.Parse(name)
	if err != nil { // such as C
		return known[0], false
	}
	tags := make([]language.Tag, len(known))
	for i := range known {
		tags[i] = language.Make(known[i])
	}
	_, i, confidence := language.NewMatcher(tags).Match(tag)
	if confidence == language.No || !sameLanguage(tag, tags[i]) {
		return known[0], false
	}
	return known[i], true
}

// sameLanguage tells the asked language in another script or region from a language that only its speakers may read.
func sameLanguage(a, b language.Tag) bool {
	baseA, _ := a.Base()
	baseB, _ := b.Base()
	return baseA == baseB
}
