package avatars_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"verbless/internal/apptest"
	"verbless/internal/blob/blobtest"
	"verbless/internal/config"
	"verbless/internal/db/dbtest"
)

// onS3 keeps files in a real S3 server.
func onS3(s *blobtest.Server) func(*config.Settings) {
	return func(c *config.Settings) {
		c.Blobs, c.S3Endpoint, c.S3Region, c.S3Key, c.S3Secret = s.Options.URL, s.Options.Endpoint, s.Options.Region, s.Options.Key, s.Options.Secret
	}
}

// TestOutageOfS3: while it is down pictures are refused for the time being, everything else goes on, and nothing is left of
// what was refused.
func TestOutageOfS3(t *testing.T) {
	for name, address := range map[string]func(testing.TB) string{"sqlite": dbtest.SQLite, "postgres": dbtest.Postgres} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			storage := blobtest.Start(t)
			s := apptest.Start(t, address(t), onS3(storage))
			id, url := add(t, s, s.Alice, drawing(t, 1))
			if got := s.Want(t, 200, "", "GET "+url, ""); string(got.Body) != drawing(t, 1) {
				t.Errorf("%d bytes came back", len(got.Body))
			}
			storage.Stop()
			answer := s.Want(t, 503, s.Alice, "POST /avatars", drawing(t, 2), isPNG, "Idempotency-Key: later")
			if answer.Text("code") != "unavailable" || answer.Header.Get("Retry-After") == "" || strings.Contains(string(answer.Body), storage.Options.Endpoint) {
				t.Errorf("%v %s", answer.Header, answer.Body)
			}
			s.Want(t, 503, "", "GET "+url, "")
			s.Want(t, 200, s.Alice, "GET /avatars/"+id, "")
			s.Want(t, 201, s.Alice, "POST /articles", `{"title":"Meanwhile"}`)
			s.Want(t, 200, "", "GET /readyz", "")
			s.Want(t, 204, s.Alice, "DELETE /avatars/"+id, "") // the file is swept later
			if n := count(t, s); n != 0 {
				t.Errorf("%d avatars", n)
			}
			storage.Restart(t)
			s.Want(t, 201, s.Alice, "POST /avatars", drawing(t, 2), isPNG, "Idempotency-Key: later")
		})
	}
}

// TestFolderGone: the same on disk.
func TestFolderGone(t *testing.T) {
	each(t, func(t *testing.T, s *apptest.Server, dir string) {
		blobs := filepath.Join(dir, "blobs")
		if err := os.RemoveAll(filepath.Join(blobs, "avatars", "incoming")); err != nil {
			t.Fatal(err)
		}
		if answer := s.Want(t, 503, s.Alice, "POST /avatars", drawing(t, 1), isPNG); answer.Header.Get("Retry-After") == "" || strings.Contains(string(answer.Body), dir) {
			t.Errorf("%v %s", answer.Header, answer.Body)
		}
		s.Want(t, 200, s.Alice, "GET /articles", "")
		if n := count(t, s); n != 0 || len(files(t, dir)) > 0 {
			t.Errorf("%d avatars, %v", n, files(t, dir))
		}
	})
}
