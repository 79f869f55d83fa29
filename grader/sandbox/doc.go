// Package sandbox runs a program that nobody vouches for and tells what it did.
//
// Its one rule: a run is never weaker than the tier it was asked for, nothing that a run starts outlives
// it, and what cannot be had is an error, never silence.
//
// A run sees the directories it is given at the paths it is promised, one network endpoint (a listener
// served by the caller), a private /tmp and home directory, and the system's programs read-only. It comes
// back as a Transcript within its deadline.
//
// # How
//
// Run starts this very executable again, twice: a guard, which builds the surroundings, outlives the
// program and kills what is left of it; and an entry, which gives up every right and then becomes the
// program. Hence Main must be the first call in main and in TestMain. Instructions travel through
// inherited pipes, never through arguments or environment.
//
// # Tiers
//
//	A  user, mount, pid, network, IPC and UTS namespaces, Landlock, seccomp, rlimits, no capabilities.
//	   The listener lives in a network namespace that holds nothing else. The root directory is a fresh
//	   tmpfs: /usr, /bin, /lib*, some of /etc, the mounts, and nothing else of the host.
//	B  Landlock (files, TCP, signals, abstract sockets), seccomp, rlimits, a guard that is the subreaper;
//	   as root the program runs as another user (UnprivilegedID) without supplementary groups.
//	C  process group, guard as subreaper, deadline, rlimits. Not a barrier: same user, same files, same network.
//
// Seccomp adds what namespaces and Landlock leave open: Multipath TCP and TCP Fast Open go round Landlock's
// TCP rule, UDP and path-bound Unix sockets are outside it, io_uring makes sockets unseen; prlimit(2) could
// starve the grader. So the program can make TCP sockets and socket pairs only.
//
// # Without a mount namespace (tiers B and C)
//
// A mount is used where it lies, and the working directory with it: Scene.Path gives the real place of a
// path, Transcript.Unmapped lists the paths that were not in place, /tmp and the home directory among
// them. Landlock opens the mounts' sources, the system directories and the private directories only, never
// the real directory that happens to lie at a mount's target.
// Tier B shows little of /proc and does not bound the size of the private /tmp.
//
// # Owners
//
// As root, tiers A and B run the program as UnprivilegedID, so that RLIMIT_NPROC binds and root's files stay
// closed. Run then changes the owner of everything below a writable mount's source to that id: give it
// private copies. A read-only source only has to be readable by others. Directories above a source may be
// closed (without CAP_SYS_ADMIN, as in tier B, such a source is linked or copied for each run, and a writable
// one is refused). The grader's executable must be executable by others.
//
// # What stays open
//
// Tier B's port is open on every address, not only on the loopback one, and what stat(2) tells of a path is
// told. Disk space: a program may write many files, each within Limits.FileBytes, into its writable mounts.
// Memory is bounded for each process, not for their sum. The kernel counts processes by user: in tier B, runs
// side by side, and whatever else the user starts meanwhile, use up the same Limits.Processes. In tier B an ordinary user's program could set
// modes and times of that user's files elsewhere, so chmod(2) and its kin by path do nothing there and say
// success. The kernel itself is shared.
package sandbox
