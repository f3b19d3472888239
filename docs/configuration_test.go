package docs

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"verbless/internal/config"
)

const configurationHead = `# Configuration

<!-- Written from the settings in internal/config by: go test ./docs -update -->

Nothing needs to be set. Every setting is a flag, an environment variable, or a line of a file; what stands further left wins:

| flag | environment | ` + "`verbless.conf`" + ` in the data folder, or the file that ` + "`--config`" + ` names |
|---|---|---|
| ` + "`--trash-days 7`" + ` | ` + "`VERBLESS_TRASH_DAYS=7`" + ` | ` + "`trash-days = 7`" + ` |

` + "`verbless config`" + ` prints what holds, and from where; secrets are hidden. A name that nobody knows and a value that makes no sense are errors at the
start, all at once. Give secrets in the environment or in a file that only the service can read: flags can be seen by everybody on the machine.

Sizes are bytes or have a unit (` + "`512KiB`, `2MiB`, `1GiB`" + `); times have one (` + "`500ms`, `30s`, `5m`, `24h`" + `).
`

// configuration writes the page.
func configuration(t *testing.T) string {
	var s config.Settings
	k, err := kong.New(&s, kong.NoDefaultHelp(), config.Groups())
	if err != nil {
		t.Fatal(err)
	}
	cell := strings.NewReplacer("|", "\\|", "\n", " ")
	page, title := configurationHead, ""
	for _, flag := range k.Model.Flags {
		if flag.Group == nil {
			t.Errorf("the setting %s is in no group", flag.Name)
			continue
		}
		if flag.Group.Title != title {
			title = flag.Group.Title
			page += fmt.Sprintf("\n## %s\n\n| setting | environment | as delivered | meaning |\n|---|---|---|---|\n", strings.TrimSuffix(title, ":"))
		}
		name, standard := "`--"+flag.Name, ""
		if !flag.IsBool() {
			name += " " + flag.FormatPlaceHolder()
		}
		if flag.Default != "" {
			standard = "`" + flag.Default + "`"
		}
		help := strings.ReplaceAll(flag.Help, " ("+flag.Default+")", "") // it has a column of its own
		help = strings.ReplaceAll(help, flag.Enum, strings.Join(flag.EnumSlice(), ", "))
		if flag.Tag.Has("secret") {
			help += " Never printed."
		}
		if flag.Tag.Get("secret") == "url" {
			help = strings.Replace(help, "Never printed.", "A password in it is never printed.", 1)
		}
		page += fmt.Sprintf("| %s` | `%s` | %s | %s |\n", name, strings.Join(flag.Envs, "`, `"), cell.Replace(standard), cell.Replace(help))
	}
	return page
}

// TestConfiguration: configuration.md lists the settings that there are.
func TestConfiguration(t *testing.T) {
	fresh := configuration(t)
	if strings.Contains(fresh, "${") {
		t.Errorf("something was not filled in:\n%s", fresh)
	}
	old, err := os.ReadFile("configuration.md")
	if err == nil && string(old) == fresh {
		return
	}
	if !*update {
		t.Fatal("configuration.md is stale; run go test ./docs -update", err)
	}
	if err := os.WriteFile("configuration.md", []byte(fresh), 0o644); err != nil {
		t.Fatal(err)
	}
}
