package articles_test

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"verbless/internal/apptest"
)

var texts = [][2]string{
	{"The quick brown fox", "jumps over the lazy dog"},
	{"Quick notes", "A fox, a dog; nothing brown."},
	{"naïve Café", "ÄRGER mit Straße und ŁÓDŹ"},
	{"example.com/path_to-file", "mail a.b@example.org v1.2.3 C++ 100% #42"},
	{"Привет, мир", "Ελληνικά κείμενα και ΣΊΣΥΦΟΣ"},
	{"東京タワー", "日本語の本文 with English"},
	{"emoji 😀 party", "👩‍👩‍👧 family"},
}

// searches holds plain words, and whatever else people and programs type.
var searches = []string{
	"quick", "QUICK fox", "brown dog", "nothing", "naive", "cafe", "ärger", "arger strasse", "łodz", "example", "com path to file", "a b example org", "1 2 3", "c", "42",
	"привет", "МИР", "σισυφος", "東京", "本文 english", "emoji party", "absent",
	`"quick`, `quick"`, `'quick'`, "quick*", "^quick", "NEAR(quick fox)", "quick AND fox", "quick OR fox", "NOT quick", "title:quick", "head : fox", "{head}: quick", "-quick", "quick & fox | dog", "quick:*A", "\\", "%", "_", "quick\x00fox", "😀", "(", "))", "a''b", strings.Repeat("fox ", 30), strings.Repeat("z", 10_000), strings.Repeat("é", 5_000), strings.Repeat("q ", 5_000),
}

// TestBothEnginesFindTheSame runs every search on both engines: the same articles in the same order or the same refusal,
// and never a failure of ours.
func TestBothEnginesFindTheSame(t *testing.T) {
	answers := map[string]map[string]string{}
	t.Run("engines", func(t *testing.T) {
		results := make(chan map[string]string, 2)
		apptest.Each(t, func(t *testing.T, s *apptest.Server) {
			for _, text := range texts {
				s.Want(t, 201, s.Alice, "POST /articles", fmt.Sprintf(`{"title":%q,"body":%q}`, text[0], text[1]))
			}
			found := map[string]string{"engine": t.Name()}
			for _, search := range searches {
				answer := s.Call(t, s.Bob, "GET /articles?fields=title&q="+url.QueryEscape(search), "")
				found[search] = fmt.Sprint(answer.Status, titles(answer))
				if answer.Status != 200 && answer.Status != 400 {
					t.Errorf("q=%.40q: %d %s", search, answer.Status, answer.Body)
				}
			}
			results <- found
		})
		t.Cleanup(func() {
			close(results)
			for found := range results {
				answers[found["engine"]] = found
			}
		})
	})
	if len(answers) != 2 {
		t.Fatalf("%d engines answered", len(answers))
	}
	var engines []map[string]string
	for _, found := range answers {
		engines = append(engines, found)
	}
	for _, search := range searches {
		if engines[0][search] != engines[1][search] {
			t.Errorf("q=%.40q: %s and %s", search, engines[0][search], engines[1][search])
		}
	}
	if got := engines[0]["quick"]; got != "200 [Quick notes The quick brown fox]" {
		t.Errorf("quick finds %s", got)
	}
	for search, want := range map[string]string{"absent": "200 []", "łodz": "200 [naïve Café]", "МИР": "200 [Привет, мир]", "東京": "200 [東京タワー]", "(": "400 []"} {
		if engines[0][search] != want {
			t.Errorf("%s finds %s, want %s", search, engines[0][search], want)
		}
	}
}

func titles(a apptest.Answer) []string {
	list, _ := a.Get("articles").([]any)
	var names []string
	for _, entry := range list {
		names = append(names, entry.(map[string]any)["title"].(string))
	}
	return names
}

// TestSearchIsPaged walks searches both ways and in both directions: the best first, nothing twice, nothing left out. Few are
// found and sorted, many are walked in their order; the order is the same.
func TestSearchIsPaged(t *testing.T) {
	apptest.Each(t, func(t *testing.T, s *apptest.Server) {
		var best, rest []string // the newest first
		for i := range 230 {
			title, body, status := fmt.Sprintf("Plain %d", i), "about the needle", "published"
			if i%50 == 0 {
				title, body = fmt.Sprintf("Needle %d", i), "none"
			}
			if i%10 == 5 {
				body += " and thread"
			}
			if i%10 == 0 {
				status = "archived"
			}
			s.Want(t, 201, s.Alice, "POST /articles", fmt.Sprintf(`{"title":%q,"body":%q,"status":%q}`, title, body, status))
			switch {
			case i%50 == 0:
				best = append([]string{title}, best...)
			default:
				rest = append([]string{title}, rest...)
			}
		}
		all := append(best, rest...)
		only := func(keep func(n int) bool) (some []string) {
			for _, title := range all {
				var word string
				var n int
				if fmt.Sscan(title, &word, &n); keep(n) {
					some = append(some, title)
				}
			}
			return some
		}
		reversed := slices.Clone(all)
		slices.Reverse(reversed)
		for query, want := range map[string][]string{
			"q=needle&limit=7":                        all,
			"q=needle&limit=100":                      all,
			"q=needle&limit=37&sort-dir=asc":          reversed,
			"q=needle&limit=5&status=archived":        only(func(n int) bool { return n%10 == 0 }),
			"q=needle+thread&limit=5":                 only(func(n int) bool { return n%10 == 5 }),
			"q=needle+thread&limit=5&status=archived": nil,
		} {
			forwards, backwards := walk(t, s, query)
			if !slices.Equal(forwards, want) || !slices.Equal(backwards, want) {
				t.Errorf("%s: forwards %q\nbackwards %q", query, forwards, backwards)
			}
		}
		byTitle, back := walk(t, s, "q=needle&limit=30&sort=title")
		if slices.Sort(all); !slices.Equal(byTitle, all) || !slices.Equal(back, all) {
			t.Errorf("by title: %q", byTitle)
		}
	})
}

// walk reads a list to its end and back again, and gives the titles of both.
func walk(t *testing.T, s *apptest.Server, query string) (forwards, backwards []string) {
	t.Helper()
	var page []string
	next, last := s.URL+"/articles?fields=title&"+query, ""
	for next != "" {
		answer := s.Want(t, 200, s.Bob, "GET "+next, "")
		page = titles(answer)
		forwards = append(forwards, page...)
		next, last = answer.Text("links.next"), answer.Text("links.prev")
	}
	backwards = slices.Clone(page)
	for last != "" {
		answer := s.Want(t, 200, s.Bob, "GET "+last, "")
		backwards = append(titles(answer), backwards...)
		last = answer.Text("links.prev")
	}
	return forwards, backwards
}
