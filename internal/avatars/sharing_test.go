package avatars_test

import (
	"context"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"verbless/internal/apptest"
	"verbless/internal/avatars"
	"verbless/internal/blob/blobtest"
	"verbless/internal/outbox"
)

// TestEqualPicturesAreStoredOnce, and go with the last avatar that shows them.
func TestEqualPicturesAreStoredOnce(t *testing.T) {
	each(t, func(t *testing.T, s *apptest.Server, dir string) {
		first, url := add(t, s, s.Alice, drawing(t, 1))
		second, same := add(t, s, s.Bob, drawing(t, 1))
		third, other := add(t, s, s.Bob, drawing(t, 2))
		if url != same || url == other || len(files(t, dir)) != 2 {
			t.Fatalf("%s, %s, %s: %v", url, same, other, files(t, dir))
		}
		s.Want(t, 204, s.Alice, "DELETE /avatars/"+first, "")
		s.Want(t, 200, "", "GET "+url, "")
		s.Want(t, 204, s.Bob, "DELETE /avatars/"+second, "")
		s.Want(t, 404, "", "GET "+url, "")
		s.Want(t, 204, s.Bob, "DELETE /avatars/"+third, "")
		if left := files(t, dir); len(left) > 0 {
			t.Errorf("left behind: %v", left)
		}
		_, again := add(t, s, s.Alice, drawing(t, 1))
		if again == url {
			t.Error("a name was used again")
		}
	})
}

// TestComingAndGoing: while equal pictures come and go, no avatar is ever without its file, and in the end no file
// without an avatar.
func TestComingAndGoing(t *testing.T) {
	each(t, func(t *testing.T, s *apptest.Server, dir string) {
		tokens := []string{s.Alice, s.Bob, s.Admin}
		var all sync.WaitGroup
		for worker := range 6 {
			all.Go(func() {
				random := rand.New(rand.NewPCG(uint64(worker), 1))
				token := tokens[worker%len(tokens)]
				for range 25 {
					id, url := add(t, s, token, drawing(t, random.IntN(2)))
					if got := s.Call(t, "", "GET "+url, "").Status; got != 200 {
						t.Errorf("an avatar without its file: %d", got)
					}
					s.Want(t, 204, token, "DELETE /avatars/"+id, "")
				}
			})
		}
		all.Wait()
		if left := files(t, dir); len(left) > 0 || count(t, s) != 0 {
			t.Errorf("left behind: %d avatars, %v", count(t, s), left)
		}
	})
}

// TestSweep: files that no avatar shows go when they are old enough, whatever made them so.
func TestSweep(t *testing.T) {
	each(t, func(t *testing.T, s *apptest.Server, dir string) {
		ctx := context.Background()
		_, url := add(t, s, s.Alice, drawing(t, 1))
		s.Want(t, 201, s.Admin, "POST /users", `{"username":"carol"}`)
		carol := s.Want(t, 201, s.Admin, "POST /users/carol/tokens", `{}`).Text("token")
		_, hers := add(t, s, carol, drawing(t, 2))
		_, both := add(t, s, carol, drawing(t, 3))
		add(t, s, s.Bob, drawing(t, 3))
		s.Want(t, 204, s.Admin, "DELETE /users/carol", "")
		// As after a crash between the file and its row.
		orphan := strings.Repeat("ab", 32) + "-00000000.png"
		area := blobtest.Disk(t, dir, "avatars")
		if err := area.Put(ctx, orphan, []byte("x")); err != nil {
			t.Fatal(err)
		}
		resource := avatars.New(s.App.DB, avatars.Options{Files: area, Address: s.URL + "/media"})
		sweep := outbox.Job{Name: "sweep in a test", Every: time.Hour, Run: resource.Sweep}
		if err := outbox.Turn(ctx, s.App.DB, sweep); err != nil || len(files(t, dir)) != 4 {
			t.Fatalf("too early: %v, %v", err, files(t, dir))
		}
		s.Clock.Move(2 * time.Hour)
		if err := outbox.Turn(ctx, s.App.DB, sweep); err != nil || len(files(t, dir)) != 2 {
			t.Fatalf("%v, %v", err, files(t, dir))
		}
		s.Want(t, 200, "", "GET "+url, "")
		s.Want(t, 200, "", "GET "+both, "")
		s.Want(t, 404, "", "GET "+hers, "")
		s.Want(t, 404, "", "GET /media/"+orphan, "")
	})
}
