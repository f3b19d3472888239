package messages_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"verbless/internal/apptest"
)

// draw makes an item of a batch: often right, sometimes wrong in one place or in several.
func draw(r *rand.Rand) map[string]any {
	pick := func(values ...any) any { return values[r.IntN(len(values))] }
	item := map[string]any{"user": map[string]any{"username": pick("alice", "BOB", "Admin")}, "message": pick("Hi", "é\n\"", strings.Repeat("x", 10_000), "\u202e")}
	if r.IntN(3) == 0 {
		item["user"] = map[string]any{"id": pick(1, 2, 3)}
	}
	if r.IntN(4) == 0 {
		item["metadata"] = pick(map[string]any{}, map[string]any{"a": nil, "b": []any{1, "x"}})
	}
	for r.IntN(12) == 0 {
		item["message"] = pick("", 7, nil, strings.Repeat("x", 10_001))
	}
	for r.IntN(12) == 0 {
		item[pick("colour", "id", "links", "created_at", "metadata").(string)] = pick("x", 1)
	}
	for r.IntN(12) == 0 {
		item["is_read"] = pick(true, false, "yes")
	}
	for r.IntN(12) == 0 {
		item["user"] = pick(map[string]any{"username": "nobody"}, map[string]any{"id": 99})
	}
	if r.IntN(30) == 0 {
		delete(item, "message")
	}
	return item
}

// alone sends an item by itself: its user is the path.
func alone(t testing.TB, s *apptest.Server, item map[string]any) apptest.Answer {
	t.Helper()
	rest := map[string]any{}
	for name, value := range item {
		if name != "user" {
			rest[name] = value
		}
	}
	user := item["user"].(map[string]any)
	name, ok := user["username"]
	if !ok {
		name = user["id"]
	}
	return s.Call(t, s.Alice, fmt.Sprintf("POST /users/%v/messages", name), text(rest))
}

func text(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // only plain values come here
	}
	return string(b)
}

// faults lists the parts of a problem as "code pointer".
func faults(a apptest.Answer, below string) (list []string) {
	parts, _ := a.Get("errors").([]any)
	for _, part := range parts {
		p := part.(map[string]any)
		list = append(list, fmt.Sprint(p["code"], " ", below, p["pointer"]))
	}
	return list
}

// TestABatchIsItsMessages: a batch does what its messages do when each is sent alone, or nothing and says why for each.
func TestABatchIsItsMessages(t *testing.T) {
	batches := 30
	if os.Getenv("VERBLESS_SOAK") != "" {
		batches = 2000
	}
	apptest.Each(t, func(t *testing.T, s *apptest.Server) {
		done, refused := 0, 0
		for seed := range batches {
			r := rand.New(rand.NewPCG(uint64(seed), 4))
			items := make([]map[string]any, 1+r.IntN(8))
			var wrong []string
			var singly []sent
			for i := range items {
				items[i] = draw(r)
				one := alone(t, s, items[i])
				var m sent
				switch one.Status {
				case 201:
					if err := json.Unmarshal(one.Body, &m); err != nil {
						t.Fatal(err)
					}
				case 404: // the path names nobody, and nothing else was looked at
					member := "username"
					if items[i]["user"].(map[string]any)["id"] != nil {
						member = "id"
					}
					well := map[string]any{"user": map[string]any{"id": 1}}
					for name, value := range items[i] {
						if name != "user" && name != "is_read" {
							well[name] = value
						}
					}
					wrong = append(wrong, faults(alone(t, s, well), fmt.Sprintf("/%d", i))...)
					if items[i]["is_read"] == "yes" {
						wrong = append(wrong, fmt.Sprintf("wrong_type /%d/is_read", i))
					}
					wrong = append(wrong, fmt.Sprintf("unknown_reference /%d/user/%s", i, member))
				default:
					wrong = append(wrong, faults(one, fmt.Sprintf("/%d", i))...)
				}
				singly = append(singly, m)
			}
			before := total(t, s)
			answer := s.Call(t, s.Alice, "POST /messages", text(items))
			if len(wrong) > 0 {
				refused++
				got := faults(answer, "")
				slices.Sort(got)
				slices.Sort(wrong)
				if answer.Status != 400 && answer.Status != 403 || !slices.Equal(got, wrong) || total(t, s) != before {
					t.Fatalf("seed %d: %d with\n%v\nwant\n%v\n%.2000s", seed, answer.Status, got, wrong, text(items))
				}
				continue
			}
			done++
			made := read(t, answer)
			if answer.Status != 201 || len(made) != len(items) || total(t, s) != before+len(items) {
				t.Fatalf("seed %d: %d with %d of %d\n%s", seed, answer.Status, len(made), len(items), answer.Body)
			}
			for i := range made {
				made[i].ID, singly[i].ID = "", ""
				if text(made[i]) != text(singly[i]) {
					t.Fatalf("seed %d: %d is %s, alone it was %s", seed, i, text(made[i]), text(singly[i]))
				}
			}
		}
		if done < batches/10 || refused < batches/10 {
			t.Errorf("%d batches were sent and %d refused: the draw is lopsided", done, refused)
		}
	})
}

// total is how many messages alice has sent.
func total(t testing.TB, s *apptest.Server) int {
	t.Helper()
	n, _ := s.Want(t, 200, s.Alice, "GET /messages?limit=1", "", "Prefer: count=exact").Get("meta.total").(float64)
	return int(n)
}
