package articles_test

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"verbless/internal/apptest"
	"verbless/internal/articles"
)

func TestOneWriterWins(t *testing.T) {
	apptest.Each(t, func(t *testing.T, s *apptest.Server) {
		made := s.Want(t, 201, s.Alice, "POST /articles", `{"title":"Contested"}`)
		counts := apptest.Parallel(30, func(i int) int {
			return s.Call(t, s.Alice, "PATCH /articles/"+made.Text("id"), fmt.Sprintf(`{"title":"Winner %d"}`, i), "If-Match: "+made.Header.Get("ETag")).Status
		})
		if counts[http.StatusOK] != 1 || counts[http.StatusPreconditionFailed] != 29 {
			t.Errorf("want one winner: %v", counts)
		}
	})
}

func TestNoEditIsLost(t *testing.T) {
	apptest.Each(t, func(t *testing.T, s *apptest.Server) {
		id := s.Want(t, 201, s.Alice, "POST /articles", `{"title":"Counted"}`).Text("id")
		counts := apptest.Parallel(20, func(i int) int {
			return s.Call(t, s.Alice, "PATCH /articles/"+id, fmt.Sprintf(`{"metadata":{"k%d":true}}`, i), "Content-Type: application/merge-patch+json").Status
		})
		kept, _ := s.Want(t, 200, s.Alice, "GET /articles/"+id, "").Get("metadata").(map[string]any)
		if len(kept) != 20 {
			t.Errorf("%d of 20 edits were kept; answers %v", len(kept), counts)
		}
	})
}

func TestTheSameTitleAtOnce(t *testing.T) {
	apptest.Each(t, func(t *testing.T, s *apptest.Server) {
		var mu sync.Mutex
		slugs := map[string]bool{}
		counts := apptest.Parallel(20, func(int) int {
			made := s.Call(t, s.Alice, "POST /articles", `{"title":"Same"}`)
			mu.Lock()
			defer mu.Unlock()
			slugs[made.Text("slug")] = true
			return made.Status
		})
		if counts[http.StatusCreated] != 20 || len(slugs) != 20 {
			t.Errorf("want 20 articles with 20 slugs: %v, %v", counts, slugs)
		}
		if clash := s.Want(t, 409, s.Bob, "POST /articles", `{"title":"Mine","slug":"same"}`); clash.Text("code") != "already_exists" || clash.Text("errors.0.pointer") != "/slug" {
			t.Errorf("a slug asked for must be free: %s", clash.Body)
		}
	})
}

// TestTrashRaces throws one article away, changes it and restores it at once: whatever wins, it is in one place.
func TestTrashRaces(t *testing.T) {
	apptest.Each(t, func(t *testing.T, s *apptest.Server) {
		id := s.Want(t, 201, s.Alice, "POST /articles", `{"title":"Pulled about"}`).Text("id")
		calls := []func() int{
			func() int { return s.Call(t, s.Alice, "DELETE /articles/"+id, "").Status },
			func() int { return s.Call(t, s.Alice, "PATCH /articles/"+id, `{"body":"changed"}`).Status },
			func() int { return s.Call(t, s.Alice, "PATCH /articles/trashed/"+id, `{"status":"published"}`).Status },
		}
		for status, n := range apptest.Parallel(30, func(i int) int { return calls[i%3]() }) {
			if status >= 500 || status == http.StatusBadRequest {
				t.Errorf("%d answers with %d", n, status)
			}
		}
		live, bin := s.Call(t, s.Alice, "GET /articles/"+id, "").Status, s.Call(t, s.Alice, "GET /articles/trashed/"+id, "").Status
		if live+bin != http.StatusOK+http.StatusNotFound && live+bin != http.StatusGone+http.StatusOK {
			t.Errorf("the article is in %d places: %d and %d", 2, live, bin)
		}
	})
}

func TestPurge(t *testing.T) {
	apptest.Each(t, func(t *testing.T, s *apptest.Server) {
		ctx, kept := context.Background(), 30*24*time.Hour
		thrown := s.Want(t, 201, s.Alice, "POST /articles", `{"title":"Thrown"}`).Text("id")
		s.Want(t, 204, s.Alice, "DELETE /articles/"+thrown, "")
		s.Clock.Move(kept - time.Minute)
		later := s.Want(t, 201, s.Alice, "POST /articles", `{"title":"Thrown later"}`).Text("id")
		s.Want(t, 204, s.Alice, "DELETE /articles/"+later, "")
		purge := func() {
			t.Helper()
			if err := articles.Purge(ctx, s.App.DB, kept); err != nil {
				t.Fatal(err)
			}
		}
		purge()
		s.Want(t, 200, s.Alice, "GET /articles/trashed/"+thrown, "")
		s.Clock.Move(2 * time.Minute)
		purge()
		s.Want(t, 404, s.Alice, "GET /articles/trashed/"+thrown, "")
		if gone := s.Want(t, 410, s.Alice, "GET /articles/"+thrown, ""); gone.Text("code") != "article_removed" {
			t.Errorf("%s", gone.Body)
		}
		s.Want(t, 200, s.Alice, "GET /articles/trashed/"+later, "")
		s.Clock.Move(-kept) // a clock that runs backwards removes nothing
		purge()
		s.Want(t, 200, s.Alice, "GET /articles/trashed/"+later, "")
	})
}

// TestOddTextInAQuery sends what no column can hold.
func TestOddTextInAQuery(t *testing.T) {
	apptest.Each(t, func(t *testing.T, s *apptest.Server) {
		for _, query := range []string{"title=%00", "title=%ff", "q=%00", "q=%ff"} {
			s.Want(t, 400, s.Alice, "GET /articles?"+query, "")
		}
		s.Want(t, 200, s.Alice, "GET /articles?q=a%00b", "")
		s.Want(t, 404, s.Alice, "GET /users/%2561lice", "")
	})
}

// TestTags finds articles by what their tags are now.
func TestTags(t *testing.T) {
	apptest.Each(t, func(t *testing.T, s *apptest.Server) {
		id := s.Want(t, 201, s.Alice, "POST /articles", `{"title":"Both","tags":["go","http"]}`).Text("id")
		s.Want(t, 201, s.Alice, "POST /articles", `{"title":"One","tags":["go"]}`)
		s.Want(t, 201, s.Bob, "POST /articles", `{"title":"None"}`)
		find := func(query string) string {
			t.Helper()
			return fmt.Sprint(titles(s.Want(t, 200, s.Bob, "GET /articles?fields=title&sort=title&"+query, "")))
		}
		for query, want := range map[string]string{"tags=go": "[Both One]", "tags=http": "[Both]", "tags=http,go": "[Both One]", "tags=absent": "[]", "tags=go&author=3": "[]", "tags=go&limit=1": "[Both]", "tags=go&q=one": "[One]"} {
			if got := find(query); got != want {
				t.Errorf("%s finds %s, want %s", query, got, want)
			}
		}
		s.Want(t, 400, s.Bob, "GET /articles?tags=", "")
		s.Want(t, 200, s.Alice, "PATCH /articles/"+id, `{"tags":["http","sql"]}`)
		if got := find("tags=go") + find("tags=sql"); got != "[One][Both]" {
			t.Errorf("after a change: %s", got)
		}
		s.Want(t, 204, s.Alice, "DELETE /articles/"+id, "")
		s.Want(t, 200, s.Alice, "GET /articles/trashed?tags=sql", "")
		s.Want(t, 204, s.Alice, "DELETE /articles/trashed/"+id, "")
		if got := find("tags=sql"); got != "[]" {
			t.Errorf("after removal: %s", got)
		}
	})
}
