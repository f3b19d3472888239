package contrib

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"verbless/internal/binarytest"
)

// hardened is what the unit must say to keep the service to itself.
var hardened = map[string]string{
	"DynamicUser": "yes", "StateDirectory": "verbless", "StateDirectoryMode": "0700", "UMask": "0077",
	"NoNewPrivileges": "yes", "CapabilityBoundingSet": "", "AmbientCapabilities": "",
	"ProtectSystem": "strict", "ProtectHome": "yes", "ProtectProc": "invisible", "ProtectKernelTunables": "yes", "ProtectKernelModules": "yes",
	"ProtectControlGroups": "yes", "PrivateTmp": "yes", "PrivateDevices": "yes", "PrivateUsers": "yes",
	"RestrictAddressFamilies": "AF_INET AF_INET6 AF_UNIX", "RestrictNamespaces": "yes", "RestrictSUIDSGID": "yes",
	"MemoryDenyWriteExecute": "yes", "LockPersonality": "yes", "SystemCallArchitectures": "native",
	// Restarting after a crash is safe, and stopping takes as long as stop-timeout allows.
	"Restart": "on-failure", "TimeoutStopSec": "45", "Environment": "VERBLESS_DATA=%S/verbless",
}

// settings reads the section [Service] of a unit.
func settings(text string) map[string][]string {
	_, text, _ = strings.Cut(text, "\n[Service]\n")
	text, _, _ = strings.Cut(text, "\n[")
	all := map[string][]string{}
	for line := range strings.Lines(text) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), "="); ok && !strings.HasPrefix(name, "#") {
			all[name] = append(all[name], value)
		}
	}
	return all
}

func TestUnit(t *testing.T) {
	unit := settings(read(t, "verbless.service"))
	for name, want := range hardened {
		if have := unit[name]; len(have) != 1 || have[0] != want {
			t.Errorf("%s is %q, want %q", name, have, want)
		}
	}
	if filter := strings.Join(unit["SystemCallFilter"], ","); filter != "@system-service,~@privileged @resources" {
		t.Errorf("SystemCallFilter is %q", filter)
	}
	if start := unit["ExecStart"]; len(start) != 1 || !strings.HasSuffix(start[0], "/verbless serve") {
		t.Errorf("ExecStart is %q", start)
	}
}

// TestUnitBySystemd lets systemd judge the unit, and how exposed it leaves the service: 0 is nothing, 100 everything.
func TestUnitBySystemd(t *testing.T) {
	if _, err := exec.LookPath("systemd-analyze"); err != nil {
		t.Skip("systemd is not here; TestUnit has looked at the unit: ", err)
	}
	// verify wants the program to be there.
	unit := filepath.Join(t.TempDir(), "verbless.service")
	text := strings.Replace(read(t, "verbless.service"), "/usr/local/bin/verbless", binarytest.Build(t), 1)
	if err := os.WriteFile(unit, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("systemd-analyze", "verify", "--man=no", unit).CombinedOutput(); err != nil || strings.Contains(string(out), "verbless.service") {
		t.Errorf("systemd-analyze verify: %v %s", err, out)
	}
	out, err := exec.Command("systemd-analyze", "security", "--offline=true", "--threshold=20", "--no-pager", unit).CombinedOutput()
	if strings.Contains(string(out), "unrecognized option") {
		t.Skip("this systemd cannot judge a file")
	}
	if err != nil {
		t.Errorf("systemd-analyze security: %v\n%s", err, out)
	}
}
