// Package cluster captures the state of a cluster and answers from the capture.
//
// Its one rule: it only reads. Every request is a GET, a dry run or an access review, is bounded in time and size, and
// what could not be learned is recorded as trouble, so that "nobody could look" is never taken for "there is none".
package cluster
