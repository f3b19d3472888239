package articles_test

import (
	"fmt"
	"testing"

	"verbless/internal/apptest"
)

// TestQueriesAreBounded counts the statements behind a list with everything included: they do not grow with the page.
func TestQueriesAreBounded(t *testing.T) {
	apptest.Each(t, func(t *testing.T, s *apptest.Server) {
		for i := range 40 {
			id := s.Want(t, 201, []string{s.Alice, s.Bob}[i%2], "POST /articles", fmt.Sprintf(`{"title":"Article %d"}`, i)).Text("id")
			for n := range i % 4 {
				s.Want(t, 201, s.Admin, "POST /articles/"+id+"/revisions", fmt.Sprintf(`{"title":"Revision %d"}`, n))
			}
		}
		count := func(call string) int64 {
			before := s.App.DB.Reads()
			s.Want(t, 200, s.Alice, call, "")
			return s.App.DB.Reads() - before
		}
		const include = "include=author,revisions.author"
		s.Want(t, 200, s.Alice, "GET /articles?limit=1", "") // on SQLite the token is known from here on
		token := int64(0)
		if s.App.DB.Postgres() {
			token = 1
		}
		few, many := count("GET /articles?limit=2&"+include), count("GET /articles?limit=40&"+include)
		// The articles, their authors, their revisions, and the authors of these.
		if few != token+4 || many != token+4 {
			t.Errorf("%d statements for 2 articles, %d for 40", few, many)
		}
		if plain := count("GET /articles?limit=40"); plain != token+1 {
			t.Errorf("%d statements for a plain list", plain)
		}
		list, _ := s.Want(t, 200, s.Alice, "GET /articles?limit=40&"+include, "").Get("articles").([]any)
		for i, entry := range list {
			article := entry.(map[string]any)
			if got, want := len(article["revisions"].([]any)), 1+(39-i)%4; got != want {
				t.Errorf("%v has %d revisions, want %d", article["title"], got, want)
			}
		}
	})
}

// TestLongHistories shows the newest hundred of each, whatever the others have.
func TestLongHistories(t *testing.T) {
	apptest.Each(t, func(t *testing.T, s *apptest.Server) {
		long := s.Want(t, 201, s.Alice, "POST /articles", `{"title":"Long"}`).Text("id")
		s.Want(t, 201, s.Alice, "POST /articles", `{"title":"Short"}`)
		for i := range 110 {
			s.Want(t, 201, s.Alice, "POST /articles/"+long+"/revisions", fmt.Sprintf(`{"title":"Revision %d"}`, i+2))
		}
		answer := s.Want(t, 200, s.Bob, "GET /articles?include=revisions&sort=title", "")
		revisions, _ := answer.Get("articles.0.revisions").([]any)
		if len(revisions) != 100 || revisions[0].(map[string]any)["id"] != 111.0 || len(answer.Get("articles.1.revisions").([]any)) != 1 {
			t.Errorf("%d revisions, the first %v", len(revisions), revisions[0])
		}
	})
}
