package articles_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"strconv"
	"testing"

	"verbless/internal/apptest"
)

// model is what an article's history should be, kept as plainly as possible.
type model struct {
	texts   map[int]string // title of each revision that exists
	current int
	last    int
	trashed bool
}

func (m *model) add(title string, current bool) {
	m.last++
	m.texts[m.last] = title
	if current {
		m.current = m.last
	}
}

// step does one random thing to the article and to the model, and compares what the two say of it.
func (m *model) step(t *testing.T, s *apptest.Server, r *rand.Rand, path string) string {
	title, n := fmt.Sprintf("Title %d", r.IntN(4)), 1+r.IntN(m.last+1)
	_, exists := m.texts[n]
	revision := fmt.Sprintf("%s/revisions/%d", path, n)
	want := func(alive int) int {
		if m.trashed {
			return http.StatusGone
		}
		return alive
	}
	pick := func(status int, conditions ...bool) int { // the first condition that holds decides
		for i, otherwise := range []int{http.StatusNotFound, http.StatusConflict} {
			if i < len(conditions) && conditions[i] {
				return otherwise
			}
		}
		return status
	}
	switch r.IntN(7) {
	case 0:
		s.Want(t, want(200), s.Alice, "PATCH "+path, `{"title":"`+title+`"}`)
		if !m.trashed && m.texts[m.current] != title {
			m.add(title, true)
		}
		return "edit " + title
	case 1:
		current := r.IntN(2) == 0
		s.Want(t, want(201), s.Alice, "POST "+path+"/revisions", fmt.Sprintf(`{"title":%q,"is_current":%t}`, title, current))
		if !m.trashed {
			m.add(title, current)
		}
		return fmt.Sprintf("add %s %t", title, current)
	case 2:
		s.Want(t, want(pick(200, !exists)), s.Alice, "PATCH "+revision, `{"is_current":true}`)
		if !m.trashed && exists {
			m.current = n
		}
		return fmt.Sprintf("go back to %d", n)
	case 3:
		s.Want(t, want(pick(200, !exists, n == m.current)), s.Alice, "PATCH "+revision, `{"is_current":false}`)
		return fmt.Sprintf("step down %d", n)
	case 4:
		s.Want(t, want(pick(204, !exists, n == m.current)), s.Alice, "DELETE "+revision, "")
		if !m.trashed && n != m.current {
			delete(m.texts, n)
		}
		return fmt.Sprintf("remove %d", n)
	case 5:
		s.Want(t, want(204), s.Alice, "DELETE "+path, "")
		m.trashed = true
		return "trash"
	}
	status := http.StatusNotFound
	if m.trashed {
		status = http.StatusOK
	}
	s.Want(t, status, s.Alice, "PATCH "+inTrash(path), `{"status":"published"}`)
	m.trashed = false
	return "restore"
}

func inTrash(path string) string { return "/articles/trashed" + path[len("/articles"):] }

// check compares the whole history.
func (m *model) check(t *testing.T, s *apptest.Server, path string) {
	t.Helper()
	if m.trashed {
		s.Want(t, 410, s.Bob, "GET "+path+"/revisions", "")
		return
	}
	if shown := s.Want(t, 200, s.Bob, "GET "+path, "").Text("title"); shown != m.texts[m.current] {
		t.Fatalf("the article shows %q, its current revision holds %q", shown, m.texts[m.current])
	}
	list, _ := s.Want(t, 200, s.Bob, "GET "+path+"/revisions?limit=100", "").Get("revisions").([]any)
	if len(list) != len(m.texts) {
		t.Fatalf("%d revisions, want %d", len(list), len(m.texts))
	}
	for _, entry := range list {
		revision := entry.(map[string]any)
		n := int(revision["id"].(float64))
		if revision["title"] != m.texts[n] || revision["is_current"] != (n == m.current) {
			t.Fatalf("revision %v, want title %q and current %d", revision, m.texts[n], m.current)
		}
	}
}

func TestHistoryAgainstAModel(t *testing.T) {
	sequences, steps := 8, 30
	if os.Getenv("VERBLESS_SOAK") != "" {
		sequences = 200
	}
	apptest.Each(t, func(t *testing.T, s *apptest.Server) {
		for seed := range sequences {
			r := rand.New(rand.NewPCG(uint64(seed), 1))
			m := &model{texts: map[int]string{}}
			m.add("Title 0", true)
			path := "/articles/" + s.Want(t, 201, s.Alice, "POST /articles", `{"title":"Title 0"}`).Text("id")
			var done []string
			t.Cleanup(func() {
				if t.Failed() {
					t.Logf("seed %d: %q", seed, done)
				}
			})
			for range steps {
				done = append(done, m.step(t, s, r, path))
				m.check(t, s, path)
			}
		}
	})
}

// TestOneRevisionIsCurrent lets a hundred requests make different revisions current at once, beside edits of the article.
func TestOneRevisionIsCurrent(t *testing.T) {
	apptest.Each(t, func(t *testing.T, s *apptest.Server) {
		path := "/articles/" + s.Want(t, 201, s.Alice, "POST /articles", `{"title":"Pulled about"}`).Text("id")
		for i := range 5 {
			s.Want(t, 201, s.Alice, "POST "+path+"/revisions", `{"title":"Revision `+strconv.Itoa(i+2)+`"}`)
		}
		counts := apptest.Parallel(100, func(i int) int {
			switch {
			case i%10 == 0:
				return s.Call(t, s.Alice, "PATCH "+path, fmt.Sprintf(`{"title":"Edit %d"}`, i)).Status
			case i%10 == 1:
				return s.Call(t, s.Alice, "POST "+path+"/revisions", `{"title":"Added","is_current":true}`).Status
			}
			return s.Call(t, s.Alice, fmt.Sprintf("PATCH %s/revisions/%d", path, 1+i%6), `{"is_current":true}`).Status
		})
		if counts[200]+counts[201] != 100 {
			t.Errorf("answers: %v", counts)
		}
		current := s.Want(t, 200, s.Alice, "GET "+path+"/revisions?is_current=true", "", "Prefer: count=exact")
		if current.Get("meta.total") != 1.0 || current.Text("revisions.0.title") != s.Want(t, 200, s.Alice, "GET "+path, "").Text("title") {
			t.Errorf("not exactly one is current, or the article shows another: %s", current.Body)
		}
	})
}

// TestTheDatabaseHoldsIt goes round the code: the schema itself refuses two current revisions, and none.
func TestTheDatabaseHoldsIt(t *testing.T) {
	apptest.Each(t, func(t *testing.T, s *apptest.Server) {
		id := s.Want(t, 201, s.Alice, "POST /articles", `{"title":"Held"}`).Text("id")
		s.Want(t, 201, s.Alice, "POST /articles/"+id+"/revisions", `{"title":"Second"}`)
		for _, text := range []string{
			`UPDATE revisions SET is_current = (1 = 1) WHERE article_id = ? AND number = 2`,
			`UPDATE revisions SET is_current = (1 = 0) WHERE article_id = ?`,
			`DELETE FROM revisions WHERE article_id = ? AND number = 1`,
			`UPDATE articles SET current_revision = 2 WHERE id = ?`,
		} {
			if err := apptest.Exec(s, text, id); err == nil {
				t.Errorf("the database allowed %s", text)
			}
		}
		s.Want(t, 200, s.Alice, "PATCH /articles/"+id+"/revisions/2", `{"is_current":true}`)
	})
}

// TestTagsFollow watches the ETags of an article and its revisions when another revision becomes current.
func TestTagsFollow(t *testing.T) {
	apptest.Each(t, func(t *testing.T, s *apptest.Server) {
		path := "/articles/" + s.Want(t, 201, s.Alice, "POST /articles", `{"title":"Watched"}`).Text("id")
		s.Want(t, 201, s.Alice, "POST "+path+"/revisions", `{"title":"Second"}`)
		watched := []string{path, path + "/revisions", path + "/revisions/1", path + "/revisions/2", path + "?include=revisions"}
		before := map[string]string{}
		for _, address := range watched {
			before[address] = s.Want(t, 200, s.Alice, "GET "+address, "").Header.Get("ETag")
		}
		s.Want(t, 200, s.Alice, "PATCH "+path+"/revisions/2", `{"is_current":true}`)
		for _, address := range watched {
			s.Want(t, 200, s.Alice, "GET "+address, "", "If-None-Match: "+before[address])
		}
		s.Want(t, 412, s.Alice, "PATCH "+path, `{"title":"Stale"}`, "If-Match: "+before[path])
	})
}
