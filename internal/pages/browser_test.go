package pages_test

import (
	"context"
	"encoding/json"
	"net/url"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"

	"verbless/internal/apptest"
	"verbless/internal/config"
	"verbless/internal/db/dbtest"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// browser is a tab of a real one, that remembers what its console said and what it asked for.
type browser struct {
	*apptest.Server
	t         *testing.T
	ctx       context.Context
	elsewhere string // another service that may be asked

	mu       sync.Mutex
	console  []string
	requests []string
}

// chromium is the program that scripts/test installs.
func chromium(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium-headless-shell", "chromium"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	if os.Getenv("VERBLESS_TEST_REQUIRE") == "1" {
		t.Fatal("there is no chromium: scripts/test installs it")
	}
	t.Skip("NOT LOOKED AT IN A BROWSER: there is no chromium; scripts/test installs it")
	return ""
}

// browse opens an empty tab beside a service of its own.
func browse(t *testing.T, adjust ...func(*config.Settings)) *browser {
	t.Helper()
	program := chromium(t)
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(program), chromedp.UserDataDir(t.TempDir()),
		chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND, EXCLUDE 127.0.0.1")) // there is no world outside
	if os.Getuid() == 0 {
		options = append(options, chromedp.NoSandbox) // it refuses to run as root otherwise
	}
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	ctx, end := chromedp.NewExecAllocator(ctx, options...)
	ctx, closeTab := chromedp.NewContext(ctx)
	b := &browser{Server: apptest.Start(t, dbtest.SQLite(t), adjust...), t: t, ctx: ctx}
	var watching sync.WaitGroup
	t.Cleanup(func() { closeTab(); end(); cancel(); watching.Wait() })
	said, asked := chromedp.Console(ctx), chromedp.Events(ctx, network.RequestWillBeSent)
	watching.Go(func() {
		for message, err := range said {
			if err != nil {
				return
			}
			b.mu.Lock()
			b.console = append(b.console, message.Source+" "+message.String())
			b.mu.Unlock()
		}
	})
	watching.Go(func() {
		for event, err := range asked {
			if err != nil {
				return
			}
			b.mu.Lock()
			b.requests = append(b.requests, event.Request.URL)
			b.mu.Unlock()
		}
	})
	return b
}

// do runs steps, or fails.
func (b *browser) do(steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	if err := chromedp.Do(b.ctx, steps...); err != nil {
		b.t.Fatal(err)
	}
}

// eval is what an expression gives in the page.
func eval[T any](b *browser, expression string) T {
	b.t.Helper()
	value, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		b.t.Fatalf("%s: %v", expression, err)
	}
	return value
}

// until waits until an expression is true in the page.
func (b *browser) until(expression string) {
	b.t.Helper()
	b.wait(expression, func() bool { return eval[bool](b, "!!("+expression+")") })
}

func (b *browser) wait(what string, done func() bool) {
	b.t.Helper()
	for deadline := time.Now().Add(30 * time.Second); !done(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			b.t.Fatalf("waited for %s; the page says:\n%s", what, eval[string](b, "document.body.innerText"))
		}
	}
}

// explorer opens /docs and waits until it is there.
func (b *browser) explorer() {
	b.t.Helper()
	b.do(chromedp.EmulateViewport(1280, 900), chromedp.Navigate(b.URL+"/docs"))
	b.until("document.body.dataset.ready")
}

// open shows an operation, by a click in the list.
func (b *browser) open(id string) {
	b.t.Helper()
	eval[chromedp.Void](b, `document.querySelector('nav a[href="#`+id+`"]').click()`)
	b.until("document.querySelector('nav a[aria-current]')?.getAttribute('href') === '#" + id + "' && document.querySelector('main article form')")
}

// write puts a text into a field as typing does.
func (b *browser) write(selector, text string) {
	b.t.Helper()
	quoted, _ := json.Marshal(text)
	eval[chromedp.Void](b, `{ const field = document.querySelector('`+selector+`'); field.value = `+string(quoted)+`; field.dispatchEvent(new Event('input', { bubbles: true })) }`)
}

// send presses Send, waits for the answer, and gives its first line.
func (b *browser) send() string {
	b.t.Helper()
	eval[chromedp.Void](b, "document.querySelector('.answer').replaceChildren()")
	b.do(chromedp.Click(chromedp.CSS(".send .primary")))
	return b.verdict()
}

func (b *browser) verdict() string {
	b.t.Helper()
	b.until("document.querySelector('.answer .verdict .status')")
	return b.text(".answer .verdict .status")
}

func (b *browser) text(selector string) string {
	b.t.Helper()
	return eval[string](b, "document.querySelector('"+selector+"').textContent")
}

// quiet fails when the console said anything but what is expected, and when anything was asked of another host.
func (b *browser) quiet(expected ...string) {
	b.t.Helper()
	eval[chromedp.Void](b, "console.debug('all said'); fetch(new URL('/healthz', location.href)).catch(() => {})")
	seen := func() (console []string, requests []string) {
		b.mu.Lock()
		defer b.mu.Unlock()
		return append(console, b.console...), append(requests, b.requests...)
	}
	b.wait("the end of what was said", func() bool {
		console, requests := seen()
		return strings.Contains(strings.Join(console, "\n"), "all said") && len(requests) > 0 && strings.HasSuffix(requests[len(requests)-1], "/healthz")
	})
	console, requests := seen()
said:
	for _, line := range console {
		for _, part := range append(expected, "all said") {
			if strings.Contains(line, part) {
				continue said
			}
		}
		b.t.Errorf("the console says: %s", line)
	}
	for _, asked := range requests {
		address, err := url.Parse(asked)
		if err != nil || address.Scheme != "blob" && !slices.Contains([]string{b.URL, b.elsewhere}, address.Scheme+"://"+address.Host) {
			b.t.Errorf("asked for %s", asked)
		}
		if strings.Contains(asked, b.Alice) {
			b.t.Errorf("the token is in %s", asked)
		}
	}
	b.mu.Lock()
	b.console, b.requests = nil, nil
	b.mu.Unlock()
}

// withoutScripts lets the tab run none.
func (b *browser) withoutScripts() {
	b.t.Helper()
	if _, err := chromedp.Call(b.ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true}); err != nil {
		b.t.Fatal(err)
	}
}
