// Package mutant switches the mutants of an instrumented program on, one at a time.
//
// Its one rule: with none switched on, every function returns what the code that it stands in would have computed.
package mutant

import (
	"cmp"
	"fmt"
	"os"
	"strconv"
	"sync"
)

// Variables that a test binary takes its mutant from, and the name of the file that it writes the mutants it reached to.
const (
	Variable     = "GRADER_MUTANT"
	HitsVariable = "GRADER_MUTANT_HITS"
)

var (
	selected = number(os.Getenv(Variable))
	record   = recordTo(os.Getenv(HitsVariable))
)

func number(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		return 0
	}
	return n
}

// recordTo returns a function that appends each mutant to the file when it is reached first, since tests end without notice.
func recordTo(name string) func(id int) {
	if name == "" {
		return nil
	}
	var mutex sync.Mutex
	seen := map[int]bool{}
	file, err := os.OpenFile(name, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	return func(id int) {
		mutex.Lock()
		defer mutex.Unlock()
		if err != nil {
			panic(err)
		}
		if !seen[id] {
			seen[id] = true
			_, err = fmt.Fprintln(file, id)
		}
	}
}

// Select switches a mutant on, and the one before off; 0 is none.
func Select(id int) { selected = id }

// Record has every mutant told that is reached from now on; nil ends it.
func Record(told func(id int)) { record = told }

// On reports whether the mutant is on.
func On(id int) bool {
	if record != nil {
		record(id)
	}
	return id == selected
}

// True returns the condition, forced true by the mutant.
func True(id int, condition bool) bool { return On(id) || condition }

// False returns the condition, forced false by the mutant.
func False(id int, condition bool) bool { return !On(id) && condition }

// Not returns the condition, turned round by the mutant.
func Not(id int, condition bool) bool { return On(id) != condition }

// And is a && b, and a || b in the mutant.
func And(id int, a bool, b func() bool) bool {
	if On(id) {
		return a || b()
	}
	return a && b()
}

// Or is a || b, and a && b in the mutant.
func Or(id int, a bool, b func() bool) bool {
	if On(id) {
		return a && b()
	}
	return a || b()
}

// Less is a < b, and a <= b in the mutant.
func Less[T cmp.Ordered](id int, a, b T) bool { return a < b || On(id) && a == b }

// AtMost is a <= b, and a < b in the mutant.
func AtMost[T cmp.Ordered](id int, a, b T) bool { return a < b || !On(id) && a == b }

// number types.
type numeric interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~float32 | ~float64
}

// Sum is a + b, and a - b in the mutant.
func Sum[T numeric](id int, a, b T) T {
	if On(id) {
		return a - b
	}
	return a + b
}

// Difference is a - b, and a + b in the mutant.
func Difference[T numeric](id int, a, b T) T {
	if On(id) {
		return a + b
	}
	return a - b
}

// Pick is the value, and another one in the mutant.
func Pick[T any](id int, value, other T) T {
	if On(id) {
		return other
	}
	return value
}
