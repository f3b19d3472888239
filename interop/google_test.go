package interop

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	"google.golang.org/api/googleapi"
	"google.golang.org/api/option"
	"google.golang.org/api/youtube/v3"
)

const (
	chunk  = 256 << 10 // the least that Google's clients send at a time
	small  = 1 << 10
	middle = 600 << 10 // two chunks and a bit
	exact  = 2 * chunk // after the last chunk the Go client still does not know that it was the last
	png    = "image/png"
	title  = "On the way"
)

// bearer adds the token, as an application's own HTTP client does.
type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

// insertion makes calls to videos.insert of google.golang.org/api.
type insertion struct {
	s      *service
	ctx    context.Context
	file   []byte
	media  func(c *youtube.VideosInsertCall, file []byte)
	update googleapi.ProgressUpdater
}

// do makes one call. The key makes a call that is made again the same call.
func (i *insertion) do() (*youtube.Video, error) {
	client, err := youtube.NewService(i.ctx, option.WithEndpoint(i.s.URL+"/"), option.WithHTTPClient(&http.Client{Transport: bearer(i.s.token)}))
	if err != nil {
		return nil, err
	}
	call := client.Videos.Insert([]string{"snippet", "status"}, &youtube.Video{Snippet: &youtube.VideoSnippet{Title: title}}).Context(i.ctx)
	i.media(call, i.file)
	if i.update != nil {
		call.ProgressUpdater(i.update)
	}
	call.Header().Set("Idempotency-Key", "the-same-call")
	return call.Do()
}

// inChunks sends more than a chunk as a resumable upload, and less in one request.
func inChunks(size int) func(*youtube.VideosInsertCall, []byte) {
	return func(c *youtube.VideosInsertCall, file []byte) {
		c.Media(bytes.NewReader(file), googleapi.ContentType(png), googleapi.ChunkSize(size))
	}
}

// inOne sends all in one request, whatever its size.
func inOne(c *youtube.VideosInsertCall, file []byte) { inChunks(0)(c, file) }

// fromDisk is the older way, for files of which the size is known. Its chunks are 16 MiB.
func fromDisk(c *youtube.VideosInsertCall, file []byte) {
	c.ResumableMedia(context.Background(), bytes.NewReader(file), int64(len(file)), png)
}

func TestGoogleAPIForGo(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		size  int
		media func(*youtube.VideosInsertCall, []byte)
		at    plan
		calls int // that the application makes until one succeeds: this client repeats bytes by itself, but not what comes before
	}{
		"small":                      {size: small, media: inChunks(chunk), calls: 1},
		"empty":                      {size: 0, media: inChunks(chunk), calls: 1},
		"one chunk":                  {size: chunk, media: inChunks(chunk), calls: 1},
		"all in one":                 {size: middle, media: inOne, calls: 1},
		"several chunks":             {size: middle, media: inChunks(chunk), calls: 1},
		"whole chunks":               {size: exact, media: inChunks(chunk), calls: 1},
		"many chunks":                {size: 20*chunk + 1, media: inChunks(chunk), calls: 1},
		"from disk":                  {size: middle, media: fromDisk, calls: 1},
		"from disk, 16 MiB and more": {size: 16<<20 + small, media: fromDisk, calls: 1},

		"small, 503":            {small, inChunks(chunk), plan{{begins, 1}: refused(503)}, 2},
		"small, cut":            {small, inChunks(chunk), plan{{begins, 1}: cut(900)}, 2},
		"small, answer lost":    {small, inChunks(chunk), plan{{begins, 1}: lost}, 2},
		"small, answer masked":  {small, inChunks(chunk), plan{{begins, 1}: masked(504)}, 2},
		"all in one, cut":       {middle, inOne, plan{{begins, 1}: cut(500 << 10)}, 2},
		"all in one, lost":      {middle, inOne, plan{{begins, 1}: lost}, 2},
		"beginning refused":     {middle, inChunks(chunk), plan{{begins, 1}: refused(503)}, 2},
		"beginning lost":        {middle, inChunks(chunk), plan{{begins, 1}: lost}, 2},
		"beginning masked":      {middle, inChunks(chunk), plan{{begins, 1}: masked(502)}, 2},
		"beginning hung up":     {middle, inChunks(chunk), plan{{begins, 1}: hungUp}, 2},
		"first chunk, 503":      {middle, inChunks(chunk), plan{{sends, 1}: refused(503)}, 1},
		"every chunk, 503":      {middle, inChunks(chunk), plan{{sends, 1}: refused(503), {sends, 3}: refused(500), {sends, 5}: refused(502)}, 1},
		"503 three times":       {middle, inChunks(chunk), plan{{sends, 2}: refused(503), {sends, 3}: refused(503), {sends, 4}: refused(503)}, 1},
		"429":                   {middle, inChunks(chunk), plan{{sends, 2}: refused(429)}, 1},
		"kept, but told 503":    {middle, inChunks(chunk), plan{{sends, 2}: masked(503)}, 1},
		"last, but told 504":    {middle, inChunks(chunk), plan{{sends, 3}: masked(504)}, 1},
		"first chunk cut":       {middle, inChunks(chunk), plan{{sends, 1}: cut(100_000)}, 1},
		"chunk cut at once":     {middle, inChunks(chunk), plan{{sends, 2}: cut(0)}, 1},
		"chunk cut near end":    {middle, inChunks(chunk), plan{{sends, 2}: cut(chunk - 1)}, 1},
		"chunk cut thrice":      {middle, inChunks(chunk), plan{{sends, 2}: cut(100_000), {sends, 3}: cut(50_000), {sends, 4}: cut(200_000)}, 1},
		"chunk torn":            {middle, inChunks(chunk), plan{{sends, 1}: torn(200_000), {sends, 2}: torn(100_000), {sends, 4}: torn(200_000)}, 1},
		"last chunk cut":        {middle, inChunks(chunk), plan{{sends, 3}: cut(50_000)}, 1},
		"answer lost":           {middle, inChunks(chunk), plan{{sends, 2}: lost}, 1},
		"last answer lost":      {middle, inChunks(chunk), plan{{sends, 3}: lost}, 1},
		"last answer lost, 503": {middle, inChunks(chunk), plan{{sends, 3}: lost, {sends, 4}: refused(503), {sends, 5}: lost}, 1},
		"end refused":           {exact, inChunks(chunk), plan{{asks, 1}: refused(503)}, 1},
		"end lost":              {exact, inChunks(chunk), plan{{asks, 1}: lost}, 1},
		"end masked":            {exact, inChunks(chunk), plan{{asks, 1}: masked(502), {asks, 2}: lost}, 1},
		"from disk, cut":        {middle, fromDisk, plan{{sends, 1}: cut(400_000)}, 1},
		"all of it":             {20*chunk + 1, inChunks(chunk), plan{{begins, 1}: lost, {sends, 2}: refused(503), {sends, 5}: cut(1), {sends, 9}: lost, {sends, 12}: masked(503), {sends, 25}: lost}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t, test.at)
			i := &insertion{s: s, ctx: s.context, file: noise(test.size), media: test.media}
			for call := 1; ; call++ {
				video, err := i.do()
				if err == nil && call == test.calls {
					if video.Id == "" || video.Snippet == nil || video.Snippet.Title != title || video.HTTPStatusCode != 200 {
						t.Errorf("the client was told %d %+v", video.HTTPStatusCode, video)
					}
					break
				}
				if (err == nil) != (call == test.calls) || call > test.calls {
					t.Fatalf("call %d of %d: %v", call, test.calls, err)
				}
			}
			s.holds(title, png, i.file)
		})
	}
}

// TestGoogleAPIForGoGivesUp is what that client does not repeat; the service must neither lose nor invent a file.
func TestGoogleAPIForGoGivesUp(t *testing.T) {
	t.Parallel()
	t.Run("unknown address", func(t *testing.T) {
		t.Parallel()
		s := start(t, plan{{sends, 2}: elsewhere})
		s.failsWith(t, 404)
		if n := s.counted(sends); n != 2 {
			t.Errorf("%d requests with bytes, want 2", n)
		}
	})
	t.Run("removed by its owner", func(t *testing.T) {
		t.Parallel()
		var s *service
		s = start(t, plan{{sends, 2}: after(func() { s.ask(204, "DELETE", "/uploads/"+s.uploads()[0].ID) })})
		s.failsWith(t, 499)
		s.holdsNothing()
	})
	t.Run("hung up at the end", func(t *testing.T) {
		t.Parallel()
		s := start(t, plan{{sends, 3}: hungUp})
		i := &insertion{s: s, ctx: s.context, file: noise(middle), media: inChunks(chunk)}
		if _, err := i.do(); err == nil || !strings.Contains(err.Error(), "EOF") {
			t.Errorf("got %v, want an EOF", err)
		}
		s.holds(title, png, i.file)
	})
	t.Run("cancelled", func(t *testing.T) {
		t.Parallel()
		s := start(t, nil)
		ctx, cancel := context.WithCancel(s.context)
		defer cancel()
		i := &insertion{s: s, ctx: ctx, file: noise(20 * chunk), media: inChunks(chunk), update: func(current, _ int64) {
			if current >= 2*chunk {
				cancel()
			}
		}}
		if _, err := i.do(); !errors.Is(err, context.Canceled) {
			t.Fatalf("got %v, want that it was cancelled", err)
		}
		s.cancels()
	})
}

// failsWith makes a call that ends with a status.
func (s *service) failsWith(t *testing.T, status int) {
	t.Helper()
	i := &insertion{s: s, ctx: s.context, file: noise(middle), media: inChunks(chunk)}
	_, err := i.do()
	var told *googleapi.Error
	if !errors.As(err, &told) || told.Code != status {
		t.Errorf("got %v, want %d", err, status)
	}
}
