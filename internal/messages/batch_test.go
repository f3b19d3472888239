package messages_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"verbless/internal/apptest"
	"verbless/internal/config"
)

// sent is a message as the tests look at it.
type sent struct {
	ID   string `json:"id"`
	User struct {
		ID int64 `json:"id"`
	} `json:"user"`
	Message  string          `json:"message"`
	Read     bool            `json:"is_read"`
	Metadata json.RawMessage `json:"metadata"`
	Links    struct {
		Sender string `json:"sender"`
	} `json:"links"`
}

// read gives the messages of an answer.
func read(t testing.TB, a apptest.Answer) []sent {
	t.Helper()
	var list struct{ Messages []sent }
	if err := json.Unmarshal(a.Body, &list); err != nil {
		t.Fatal(err)
	}
	return list.Messages
}

// inbox counts what a user has.
func inbox(t testing.TB, s *apptest.Server, token string, filters ...string) int {
	t.Helper()
	n, ok := s.Want(t, 200, token, "GET /users/me/messages?limit=1&"+strings.Join(filters, "&"), "", "Prefer: count=exact").Get("meta.total").(float64)
	if !ok {
		t.Fatal("no total")
	}
	return int(n)
}

// batch is n messages, each with its number for text.
func batch(n int, user, more string) string {
	items := make([]string, n)
	for i := range items {
		items[i] = fmt.Sprintf(`{"user":%s,"message":"%d"%s}`, user, i, more)
	}
	return "[" + strings.Join(items, ",") + "]"
}

// TestBatchLimits: 500 go, in their order; one more does not, nor does a body of more than 8 MiB.
func TestBatchLimits(t *testing.T) {
	apptest.Each(t, func(t *testing.T, s *apptest.Server) {
		made := read(t, s.Want(t, 201, s.Alice, "POST /messages", batch(500, `{"username":"bob"}`, "")))
		for i, m := range made {
			if m.Message != fmt.Sprint(i) || m.User.ID != 3 || m.Links.Sender != "2" {
				t.Fatalf("%d is %+v", i, m)
			}
		}
		if len(made) != 500 || inbox(t, s, s.Bob) != 500 {
			t.Fatalf("%d were made, bob has %d", len(made), inbox(t, s, s.Bob))
		}
		next, seen := "/users/me/messages?limit=100", 499
		for next != "" { // newest first: what stood last in the batch comes first
			page := s.Want(t, 200, s.Bob, "GET "+next, "")
			for _, m := range read(t, page) {
				if m.ID != made[seen].ID {
					t.Fatalf("place %d has %s", seen, m.Message)
				}
				seen--
			}
			next = page.Text("links.next")
		}
		for _, body := range []string{batch(501, `{"username":"bob"}`, ""), "[" + strings.Repeat("1,", 4<<20-1), batch(501, `{"username":"nobody"}`, "")} {
			refused := s.Want(t, 413, s.Alice, "POST /messages", body)
			if refused.Text("code") != "batch_too_large" || refused.Get("limit") != 500.0 {
				t.Errorf("got %s", refused.Body)
			}
		}
		if refused := s.Want(t, 413, s.Alice, "POST /messages", `["`+strings.Repeat("x", 8<<20)+`"]`); refused.Text("code") != "body_too_large" {
			t.Errorf("got %s", refused.Body)
		}
		long := strings.Repeat("\U0001F600", 10_000) // of characters, not bytes
		s.Want(t, 201, s.Alice, "POST /messages", `[{"user":{"id":3},"message":"`+long+`"}]`)
		s.Want(t, 400, s.Alice, "POST /messages", `[{"user":{"id":3},"message":"`+long+`x"}]`)
		if n := inbox(t, s, s.Bob); n != 501 {
			t.Errorf("bob has %d", n)
		}
	})
}

func TestBatchSetting(t *testing.T) {
	apptest.Each(t, func(t *testing.T, s *apptest.Server) {
		s.Want(t, 201, s.Alice, "POST /messages", batch(2, `{"id":3}`, ""))
		if refused := s.Want(t, 413, s.Alice, "POST /messages", batch(3, `{"id":3}`, "")); refused.Get("limit") != 2.0 {
			t.Errorf("got %s", refused.Body)
		}
		if s.Routes.Paths["/messages"]["post"].(map[string]any)["requestBody"].(map[string]any)["content"].(map[string]any)["application/json"].(map[string]any)["schema"].(map[string]any)["maxItems"] != json.Number("2") {
			t.Error("the description does not know the limit")
		}
	}, func(settings *config.Settings) { settings.MaxBatch = 2 })
}

// TestBatchRaces sends good and bad batches and single messages at once, while others are removed: each batch is there
// as a whole or not at all.
func TestBatchRaces(t *testing.T) {
	apptest.Each(t, func(t *testing.T, s *apptest.Server) {
		old := read(t, s.Want(t, 201, s.Alice, "POST /messages", batch(12, `{"id":3}`, "")))
		counts := apptest.Parallel(36, func(i int) int {
			switch i % 3 {
			case 0:
				return s.Call(t, s.Alice, "POST /messages", batch(40, `{"username":"bob"}`, fmt.Sprintf(`,"metadata":{"batch":%d}`, i))).Status
			case 1:
				bad := strings.TrimSuffix(batch(40, `{"username":"bob"}`, ""), "]") + `,{"user":{"username":"nobody"},"message":"x"}]`
				return s.Call(t, s.Alice, "POST /messages", bad).Status
			}
			return s.Call(t, []string{s.Alice, s.Bob}[i%2], "DELETE /users/bob/messages/"+old[i/3].ID, "").Status
		})
		if counts[http.StatusCreated] != 12 || counts[http.StatusBadRequest] != 12 || counts[http.StatusNoContent] != 12 {
			t.Errorf("answers %v", counts)
		}
		if n := inbox(t, s, s.Bob); n != 12*40 {
			t.Errorf("bob has %d messages", n)
		}
	})
}

// TestOneKeyAtOnce repeats one batch many times at once under one key: it is sent once.
func TestOneKeyAtOnce(t *testing.T) {
	apptest.Each(t, func(t *testing.T, s *apptest.Server) {
		body := batch(20, `{"username":"bob"}`, "")
		counts := apptest.Parallel(12, func(int) int {
			return s.Call(t, s.Alice, "POST /messages", body, "Idempotency-Key: one").Status
		})
		if counts[201] < 1 || counts[201]+counts[409] != 12 || inbox(t, s, s.Bob) != 20 {
			t.Errorf("answers %v, bob has %d", counts, inbox(t, s, s.Bob))
		}
		first := s.Want(t, 201, s.Alice, "POST /messages", body, "Idempotency-Key: one")
		if first.Header.Get("Idempotency-Replayed") != "true" || len(read(t, first)) != 20 || inbox(t, s, s.Bob) != 20 {
			t.Errorf("%v, bob has %d", first.Header, inbox(t, s, s.Bob))
		}
		s.Want(t, 422, s.Alice, "POST /messages", batch(19, `{"username":"bob"}`, ""), "Idempotency-Key: one")
		s.Want(t, 400, s.Alice, "POST /messages", `[{"user":{"username":"eve"},"message":"x"}]`, "Idempotency-Key: two")
		newUser(t, s, "eve") // the request that failed has left no trace of its key
		s.Want(t, 201, s.Alice, "POST /messages", `[{"user":{"username":"eve"},"message":"x"}]`, "Idempotency-Key: two")
	})
}

// TestSenderAndRecipientAtOnce: what one changes is never lost to the other.
func TestSenderAndRecipientAtOnce(t *testing.T) {
	apptest.Each(t, func(t *testing.T, s *apptest.Server) {
		item := "/users/bob/messages/" + s.Want(t, 201, s.Alice, "POST /users/bob/messages", `{"message":"x"}`).Text("id")
		counts := apptest.Parallel(20, func(i int) int {
			if i == 10 {
				return s.Call(t, s.Bob, "PATCH "+item, `{"is_read":true}`).Status
			}
			return s.Call(t, s.Alice, "PATCH "+item, fmt.Sprintf(`{"metadata":{"k%d":1}}`, i), "Content-Type: application/merge-patch+json").Status
		})
		now := s.Want(t, 200, s.Bob, "GET "+item, "")
		if kept, _ := now.Get("metadata").(map[string]any); counts[200] != 20 || len(kept) != 19 || now.Get("is_read") != true {
			t.Errorf("answers %v, kept %s", counts, now.Body)
		}
	})
}

// TestUserGoesWhileMessagesCome: either the user goes and nothing is sent, or the message stays and so does the user.
func TestUserGoesWhileMessagesCome(t *testing.T) {
	apptest.Each(t, func(t *testing.T, s *apptest.Server) {
		for round := range 8 {
			name := fmt.Sprintf("guest%d", round)
			s.Want(t, 201, s.Admin, "POST /users", `{"username":"`+name+`"}`)
			statuses := make([]int, 3)
			apptest.Parallel(3, func(i int) int {
				call := []string{"DELETE /users/" + name, "POST /messages", "POST /users/" + name + "/messages"}[i]
				body := []string{"", `[{"user":{"id":3},"message":"x"},{"user":{"username":"` + name + `"},"message":"x"}]`, `{"message":"x"}`}[i]
				statuses[i] = s.Call(t, s.Admin, call, body).Status
				return statuses[i]
			})
			there := s.Call(t, s.Admin, "GET /users/"+name+"/messages", "")
			got := len(read(t, there))
			want := 0
			for _, status := range statuses[1:] {
				if status == 201 {
					want++
				} else if status != 400 && status != 404 && status != 409 {
					t.Errorf("sending answered %d", status)
				}
			}
			if gone := there.Status == 404; gone != (statuses[0] == 204) || !gone && got != want || gone && want > 0 {
				t.Errorf("answers %v, then %d with %d messages", statuses, there.Status, got)
			}
		}
	})
}
