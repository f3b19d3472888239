package pages_test

import (
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"verbless/internal/apptest"
)

// TestExplorer walks through /docs as a reader would, in a real browser.
func TestExplorer(t *testing.T) {
	t.Parallel()
	b := browse(t)
	b.Want(t, 201, b.Alice, "POST /articles", `{"title":"<img src=x onerror=boom()>","slug":"first","metadata":{"links":["`+b.URL+`/articles/%E0%A4%A","`+b.URL+`/%","javascript:boom()","https://\u0000\"><b>"]}}`)
	b.explorer()
	b.quiet()
	steps := []struct {
		name string
		run  func(*testing.T, *browser)
	}{
		{"token", explorerToken}, {"get", explorerGet}, {"post", explorerPost}, {"faults", explorerFaults}, {"file", explorerFile},
		{"filter", explorerFilter}, {"every operation", explorerEvery}, {"phone", explorerPhone},
	}
	for _, step := range steps {
		t.Run(step.name, func(t *testing.T) {
			b.t = t
			step.run(t, b)
		})
	}
}

// The token stays in the tab.
func explorerToken(t *testing.T, b *browser) {
	b.do(chromedp.SendKeys(chromedp.CSS("#token"), b.Alice))
	if kept := eval[string](b, "sessionStorage.getItem('verbless.token')"); kept != b.Alice {
		t.Errorf("kept %q", kept)
	}
	if n := eval[int](b, "localStorage.length + document.cookie.length"); n != 0 {
		t.Error("something is kept for longer than the tab")
	}
	b.do(chromedp.Reload())
	b.until("document.body.dataset.ready")
	if kept := eval[string](b, "document.querySelector('#token').value"); kept != b.Alice {
		t.Errorf("after a reload: %q", kept)
	}
	b.quiet()
}

// A list is shown, as text whatever it holds, and its links lead on.
func explorerGet(t *testing.T, b *browser) {
	b.open("listArticles")
	b.write(`[name="limit"]`, "1")
	if got := b.send(); got != "200 OK" {
		t.Fatal(got)
	}
	if body := b.text(".answer .body pre"); !strings.Contains(body, `"title": "<img src=x onerror=boom()>"`) {
		t.Errorf("shown: %s", body)
	}
	if n := eval[int](b, "document.querySelectorAll('img[src=x], .answer pre b, a[href^=javascript]').length"); n != 0 {
		t.Error("text became an element")
	}
	if command := b.text(".answer .shell pre"); !strings.Contains(command, `curl '`+b.URL+`/articles?limit=1'`) || strings.Contains(command, b.Alice) {
		t.Errorf("for a shell: %s", command)
	}
	b.do(chromedp.Click(chromedp.CSS(`.answer dd a[href="#listArticles"]`))) // rel="self"
	if got := b.verdict(); got != "200 OK" {
		t.Fatal(got)
	}
	b.quiet()
}

// What is created can be read and changed in a few clicks: its address, its id and its ETag are offered.
func explorerPost(t *testing.T, b *browser) {
	b.open("createArticle")
	if eval[string](b, "document.querySelector('.body textarea').value") == "" {
		t.Error("nothing to start from")
	}
	b.write(".body textarea", `{"title":"Made here"}`)
	if got := b.send(); got != "201 Created" {
		t.Fatal(got)
	}
	article := b.Want(t, 200, b.Alice, "GET /articles/made-here", "")
	b.do(chromedp.Click(chromedp.CSS(`.answer dd a[href="#getArticle"]`))) // Location
	b.until("document.querySelector('h1').textContent.startsWith('Read') && document.querySelector('.answer .verdict')")
	if got, body := b.verdict(), b.text(".answer .body pre"); got != "200 OK" || !strings.Contains(body, article.Text("id")) {
		t.Fatalf("%s %s", got, body)
	}
	b.open("changeArticle")
	if filled := eval[string](b, `document.querySelector('[name="article"]').value`); filled != article.Text("id") {
		t.Errorf("article is filled in with %q", filled)
	}
	b.do(chromedp.Click(chromedp.CSS(".row:has([name=If-Match]) button")))
	if tag := eval[string](b, `document.querySelector('[name="If-Match"]').value`); tag != article.Header.Get("ETag") {
		t.Errorf("If-Match is filled in with %s, not %s", tag, article.Header.Get("ETag"))
	}
	b.write(".body textarea", `{"title":"Changed here"}`)
	if got := b.send(); got != "200 OK" {
		t.Fatal(got)
	}
	eval[chromedp.Void](b, "document.querySelector('.answer').replaceChildren()")
	eval[chromedp.Void](b, "document.querySelector('.body textarea').dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', ctrlKey: true, bubbles: true }))")
	if got := b.verdict(); got != "412 Precondition Failed" { // the ETag is that of before
		t.Fatal(got)
	}
	if got := b.Want(t, 200, b.Alice, "GET /articles/made-here", "").Text("title"); got != "Changed here" {
		t.Errorf("it is called %q", got)
	}
	b.quiet("412")
}

// Each fault is listed, and shown at its field.
func explorerFaults(t *testing.T, b *browser) {
	b.open("createArticle")
	b.write(".body textarea", `{"title":"","nope":1}`)
	if got := b.send(); got != "400 Bad Request" {
		t.Fatal(got)
	}
	faults := b.text(".answer .faults")
	for _, part := range []string{"/title", "out_of_range", "/nope", "unknown_field"} {
		if !strings.Contains(faults, part) {
			t.Errorf("%s is not in %s", part, faults)
		}
	}
	if !eval[bool](b, "document.querySelector('.body textarea').hasAttribute('aria-invalid')") {
		t.Error("the body is not marked")
	}
	eval[chromedp.Void](b, "document.querySelector('#all').click()")
	b.open("headGetArticle")
	b.write(`[name="article"]`, "nope")
	if got := b.send(); got != "404 Not Found" { // without a body to tell why
		t.Fatal(got)
	}
	eval[chromedp.Void](b, "document.querySelector('#all').click()")
	b.open("listArticles")
	b.write(`[name="limit"]`, "many")
	if got := b.send(); got != "400 Bad Request" {
		t.Fatal(got)
	}
	if marked := eval[string](b, "[...document.querySelectorAll('form [aria-invalid]')].map(field => field.name).join()"); marked != "limit" {
		t.Errorf("marked: %s", marked)
	}
	b.quiet("400", "404")
}

// A file is sent as it is, and a picture shown.
func explorerFile(t *testing.T, b *browser) {
	name := filepath.Join(t.TempDir(), "dot.png")
	file, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := png.Encode(file, image.NewGray(image.Rect(0, 0, 3, 2))); err != nil {
		t.Fatal(err)
	}
	file.Close()
	b.open("createAvatar")
	eval[chromedp.Void](b, "{ const type = document.querySelector('.pickers select'); type.value = 'image/png'; type.dispatchEvent(new Event('change', { bubbles: true })) }")
	b.do(chromedp.SetUploadFiles(chromedp.CSS(".body input[type=file]"), []string{name}))
	if got := b.send(); got != "201 Created" {
		t.Fatal(got, b.text(".answer"))
	}
	b.do(chromedp.Click(chromedp.CSS(`.answer pre a[href="#getMedia"]`))) // image_url
	b.until("document.querySelector('.answer img.picture')?.naturalWidth === 3")
	b.quiet()
}

// The filter finds calls by any of their words, and says how many.
func explorerFilter(t *testing.T, b *browser) {
	shown := "[...document.querySelectorAll('nav li')].filter(item => item.checkVisibility()).map(item => item.firstChild.getAttribute('href').slice(1)).join(' ')"
	eval[chromedp.Void](b, "document.body.dispatchEvent(new KeyboardEvent('keydown', { key: '/', bubbles: true }))")
	b.do(chromedp.KeyEvent("patch revisions"))
	b.until("document.querySelector('#found').textContent === '1 call'")
	if got := eval[string](b, shown); got != "changeRevision" {
		t.Errorf("found %s", got)
	}
	b.write("#filter", "zzz")
	b.until("document.querySelector('#found').textContent === '0 calls'")
	b.write("#filter", "/articles/{article} options")
	b.until("document.querySelector('#found').textContent === '0 calls'")
	eval[chromedp.Void](b, "document.querySelector('#all').click()")
	b.until("document.querySelector('#found').textContent === '3 calls'")
	eval[chromedp.Void](b, "document.querySelector('#all').click()")
	b.write("#filter", "")
	b.quiet()
}

// Every operation of the description can be opened, and says what it may answer.
func explorerEvery(t *testing.T, b *browser) {
	opened := 0
	for pattern, item := range b.Routes.Paths {
		for method, operation := range item {
			if method == "parameters" {
				continue
			}
			id := operation.(map[string]any)["operationId"].(string)
			b.open(id)
			opened++
			if line := b.text(".heading .line"); !strings.Contains(line, strings.ToUpper(method)+pattern) {
				t.Errorf("%s shows %s", id, line)
			}
			if n := eval[int](b, "document.querySelectorAll('.answers .response').length"); n != len(operation.(map[string]any)["responses"].(map[string]any)) {
				t.Errorf("%s shows %d answers", id, n)
			}
			if unnamed := eval[int](b, "[...document.querySelectorAll('form input, form select, form textarea')].filter(field => !field.labels?.length && !field.ariaLabel).length"); unnamed != 0 {
				t.Errorf("%s has %d fields without a label", id, unnamed)
			}
			if found := eval[string](b, "document.querySelector('main').innerText.match(/undefined|\\[object|NaN/)?.[0] ?? ''"); found != "" {
				t.Errorf("%s shows %q", id, found)
			}
		}
	}
	if listed := eval[int](b, "Number(document.body.dataset.ready)"); opened != listed {
		t.Errorf("opened %d of %d", opened, listed)
	}
	b.quiet()
}

// On a phone nothing is wider than the screen.
func explorerPhone(t *testing.T, b *browser) {
	b.do(chromedp.EmulateViewport(360, 740, chromedp.EmulateMobile), chromedp.Navigate(b.URL+"/docs#changeInvoice"), chromedp.Reload())
	b.until("document.querySelector('main article form')")
	for _, id := range []string{"changeInvoice", "listArticles", "createMessages"} {
		b.open(id)
		if wide := eval[int](b, "document.documentElement.scrollWidth"); wide > 360 {
			t.Errorf("%s is %d wide", id, wide)
		}
	}
	if eval[bool](b, "document.querySelector('#menu').open") {
		t.Error("the list hides what was chosen")
	}
	b.quiet()
}

// TestPages are readable with scripts and without.
func TestPages(t *testing.T) {
	t.Parallel()
	b := browse(t)
	look := func(path string, parts ...string) {
		t.Helper()
		b.do(chromedp.Navigate(b.URL + path))
		text := eval[string](b, "document.body.innerText")
		for _, part := range parts {
			if !strings.Contains(text, part) {
				t.Errorf("%s does not say %q:\n%s", path, part, text)
			}
		}
		if !eval[bool](b, "getComputedStyle(document.body).margin === '0px'") {
			t.Errorf("%s has no style", path)
		}
	}
	all := func() {
		look("/", "Explore the API", "/articles/{article}/revisions", "Collections")
		look("/problems", "not_found", "404", "There is nothing here")
		look("/problems/not_found", "There is nothing here", "404", "Problems")
		look("/problems/article_trashed", "410", "PATCH /articles/{article}")
	}
	all()
	if eval[bool](b, "document.querySelector('script') !== null") {
		t.Error("a page that needs no script has one")
	}
	b.do(chromedp.Click(chromedp.CSS(`a[href="../docs#changeArticle"]`)))
	b.until("document.querySelector('main h1')?.textContent === 'Change members of one of articles'")
	b.quiet()
	b.withoutScripts()
	all()
	look("/docs", "The explorer needs JavaScript")
	b.do(chromedp.Click(chromedp.CSS(`noscript a`)))
	b.wait("the description", func() bool { return strings.HasSuffix(eval[string](b, "location.href"), "/openapi.json") })
}

func TestTranscripts(t *testing.T) {
	t.Parallel()
	apptest.Transcripts(t)
}
