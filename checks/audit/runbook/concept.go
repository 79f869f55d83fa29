package runbook

// concept is a set of the things that the rules speak of. What words stand for each is the lexicon's business.
type concept uint64

const (
	deadline concept = 1 << iota // how long a leader keeps trying
	duration                     // how long the lease is valid
	lease                        // the lease itself, in comparisons its duration
	retry                        // the pause between tries
	value                        // a number

	below   // A is below B: the words take B after them (English, Chinese) or before them (Korean, Japanese)
	above   // A is above B, likewise
	atMost  // A is at most B, likewise
	atLeast // A is at least B, likewise
	shorter // what is said of A alone, B being named by than
	longer
	equal
	than // marks B

	no       // denies what follows
	notAfter // denies what precedes
	must
	cond      // begins a condition
	condAfter // ends a condition
	otherwise // refers to the opposite of what was said, or to the relation the other way round
	because
	result
	purpose
	would // tells of what is feared, not of what is
	wrong // calls what the clause says bad
	fine  // calls what the clause says good
	moot  // says that a reason does not hold or that there is none
	link  // refers to what was said
	why
	and // begins a clause

	twoLeaders
	pair
	lead
	single
	prevent
	old
	other
	giveUp
	expire
	take
	renew
	still
	valid
	already
	first
	later
	before
	beforeAfter // follows what comes later
	after
	afterAfter // follows what comes earlier
	until

	count
	grow
	churn
	clock
	skew
	api
	slow
	network
	restart
	starved
	suspect
	deny
	denyAfter
	effect // says that what precedes brings about what follows
)

// conceptNames are the concepts by the names that the lexicon's files give them.
var conceptNames = map[string]concept{
	"deadline": deadline, "duration": duration, "lease": lease, "retry": retry,
	"below": below, "above": above, "at-most": atMost, "at-least": atLeast,
	"shorter": shorter, "longer": longer, "equal": equal, "than": than,
	"no": no, "not-after": notAfter, "must": must, "if": cond, "if-after": condAfter, "otherwise": otherwise,
	"because": because, "result": result, "purpose": purpose, "would": would, "wrong": wrong, "fine": fine, "moot": moot,
	"link": link, "why": why, "and": and,
	"two-leaders": twoLeaders, "pair": pair, "lead": lead, "single": single, "prevent": prevent,
	"old": old, "other": other, "give-up": giveUp, "expire": expire, "take": take, "renew": renew,
	"still": still, "valid": valid, "already": already, "first": first, "later": later,
	"before": before, "before-after": beforeAfter, "after": after, "after-after": afterAfter, "until": until,
	"count": count, "grow": grow, "churn": churn, "clock": clock, "skew": skew, "api": api, "slow": slow, "network": network,
	"restart": restart, "starved": starved, "suspect": suspect, "deny": deny, "deny-after": denyAfter, "effect": effect, "filler": filler,
}

// filler means nothing; it keeps shorter words from being found inside longer ones.
const filler concept = 0

// Groups of concepts that the rules ask for together.
const (
	comparison = below | above | atMost | atLeast | shorter | longer | equal
	quantity   = deadline | duration | lease | retry | value
	loss       = expire | take // what ends a leader's right to lead
)
