package submission

import "golang.org/x/sys/unix"

// What stands under a name that is not a regular file with one name, as the bundle has it.
const (
	isLink      = "a symbolic link"
	isDirectory = "a directory"
	isPipe      = "a named pipe"
	isSocket    = "a socket"
	isDevice    = "a device"
	isShared    = "a file with several hard links"
)

// oddity says what a file is if it is not a regular file with one name.
func oddity(stat *unix.Stat_t) string {
	switch stat.Mode & unix.S_IFMT {
	case unix.S_IFREG:
		if stat.Nlink > 1 {
			return isShared
		}
		return ""
	case unix.S_IFLNK:
		return isLink
	case unix.S_IFDIR:
		return isDirectory
	case unix.S_IFIFO:
		return isPipe
	case unix.S_IFSOCK:
		return isSocket
	}
	return isDevice
}

// phrase returns the code of the phrase for an oddity. A bundle may come from anywhere, so there is one for any other word.
func phrase(oddity string) string {
	switch oddity {
	case isLink:
		return "file.is-link"
	case isDirectory:
		return "file.is-directory"
	case isPipe:
		return "file.is-pipe"
	case isSocket:
		return "file.is-socket"
	case isDevice:
		return "file.is-device"
	case isShared:
		return "file.is-shared"
	}
	return "file.is-other"
}
