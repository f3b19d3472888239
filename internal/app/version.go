package app

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"
)

// version and commit are set by the linker in released builds.
var version, commit = "", ""

// Version names the build: the release, or else the commit it was made from.
func Version() string {
	if version != "" {
		return version
	}
	if revision, _ := source(); len(revision) >= 12 {
		return "dev-" + revision[:12]
	}
	return "dev"
}

// Build says all that is known of the build, in one line.
func Build() string {
	revision, changed := source()
	return fmt.Sprintf("verbless %s (commit %s%s, %s, %s/%s)", Version(), cmp.Or(revision, "unknown"), changed, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// source is the commit that the build was made from, and whether anything was changed since.
func source() (revision, changed string) {
	if commit != "" {
		return commit, ""
	}
	info, _ := debug.ReadBuildInfo()
	if info == nil {
		return "", ""
	}
	for _, setting := range info.Settings {
		switch {
		case setting.Key == "vcs.revision":
			revision = setting.Value
		case setting.Key == "vcs.modified" && setting.Value == "true":
			changed = " and changes"
		}
	}
	return revision, changed
}
