package interop

import "testing"

func TestGoogleStorageForNode(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		size, chunk int
		known       bool // the length is told in advance
		at          plan
		tries       int // that the application makes at most; in the second it goes on with the address that it was told
	}{
		"small":                 {size: small, tries: 1},
		"small, in a chunk":     {size: small, chunk: chunk, tries: 1},
		"small, known":          {size: small, known: true, tries: 1},
		"one request":           {size: middle, tries: 1},
		"one request, known":    {size: middle, known: true, tries: 1},
		"several chunks":        {size: middle, chunk: chunk, tries: 1},
		"several chunks, known": {size: middle, chunk: chunk, known: true, tries: 1},
		"whole chunks":          {size: exact, chunk: chunk, tries: 1},
		"many chunks":           {size: 20*chunk + 1, chunk: chunk, tries: 1},
		"large, one request":    {size: 16<<20 + 1, tries: 1},

		"beginning lost":             {middle, chunk, false, plan{{begins, 1}: lost}, 1},
		"beginning refused":          {middle, chunk, false, plan{{begins, 1}: refused(503)}, 1},
		"small, 503":                 {small, 0, false, plan{{sends, 1}: refused(503)}, 1},
		"small, cut":                 {small, 0, false, plan{{sends, 1}: cut(700)}, 1},
		"small, answer lost":         {small, 0, false, plan{{sends, 1}: lost}, 1},
		"small, known, 503 and lost": {small, 0, true, plan{{sends, 1}: refused(503), {sends, 2}: lost}, 1},
		"first chunk, 503":           {middle, chunk, false, plan{{sends, 1}: refused(503)}, 1},
		"503 twice":                  {middle, chunk, false, plan{{sends, 2}: refused(503), {sends, 3}: refused(500)}, 1},
		"429":                        {middle, chunk, false, plan{{sends, 2}: refused(429)}, 1},
		"kept, but told 503":         {middle, chunk, false, plan{{sends, 2}: masked(503)}, 1},
		"first chunk cut":            {middle, chunk, false, plan{{sends, 1}: cut(100_000)}, 1},
		"chunk cut":                  {middle, chunk, false, plan{{sends, 2}: cut(100_000)}, 1},
		"chunk cut twice":            {middle, chunk, true, plan{{sends, 2}: cut(100_000), {sends, 3}: cut(1)}, 1},
		"chunk torn":                 {middle, chunk, false, plan{{sends, 2}: torn(100_000)}, 1},
		"last chunk cut":             {middle, chunk, false, plan{{sends, 3}: cut(50_000)}, 1},
		"answer lost":                {middle, chunk, false, plan{{sends, 2}: lost}, 1},
		"hung up":                    {middle, chunk, false, plan{{sends, 2}: hungUp}, 1},

		// Here the client gives up, whoever serves it: when it is told that all is here, or nothing, it begins at 0, and then
		// misses what it no longer has.
		"question refused":        {middle, chunk, false, plan{{sends, 2}: cut(100_000), {asks, 1}: refused(503)}, 2},
		"question lost":           {middle, chunk, false, plan{{sends, 2}: cut(100_000), {asks, 1}: lost}, 2},
		"last answer lost":        {middle, chunk, false, plan{{sends, 3}: lost}, 2},
		"last answer lost, known": {middle, chunk, true, plan{{sends, 3}: lost}, 2},
		"last, but told 503":      {middle, chunk, false, plan{{sends, 3}: masked(503)}, 2},
		"one request, 503":        {middle, 0, false, plan{{sends, 1}: refused(503)}, 2},
		"one request, cut":        {middle, 0, false, plan{{sends, 1}: cut(400_000)}, 2},
		"one request, known, cut": {middle, 0, true, plan{{sends, 1}: cut(400_000)}, 2},
		"one request, lost":       {middle, 0, false, plan{{sends, 1}: lost}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := startNode(t)
			s := start(t, test.at)
			file, content := noiseFile(t, test.size)
			j := job{Client: "storage", File: file, ChunkSize: test.chunk, Tries: test.tries, Headers: sameCall}
			if test.known {
				j.Length = test.size
			}
			if r := w.do(s, j); r.Error != "" || r.Tries > test.tries {
				t.Fatalf("%d tries, want %d at most: %d %s", r.Tries, test.tries, r.Code, r.Error)
			}
			s.holds("", png, content)
		})
	}
}

// TestGoogleStorageForNodeGivesUp is what that client does not repeat.
func TestGoogleStorageForNodeGivesUp(t *testing.T) {
	t.Parallel()
	t.Run("unknown address", func(t *testing.T) {
		t.Parallel()
		w, s := startNode(t), start(t, plan{{sends, 2}: elsewhere})
		file, _ := noiseFile(t, middle)
		if r := w.do(s, job{Client: "storage", File: file, ChunkSize: chunk, Tries: 1}); r.Code != 404 {
			t.Errorf("got %d %q, want 404", r.Code, r.Error)
		}
	})
	t.Run("removed by its owner", func(t *testing.T) {
		t.Parallel()
		var s *service
		w := startNode(t)
		s = start(t, plan{{sends, 2}: after(func() { s.ask(204, "DELETE", "/uploads/"+s.uploads()[0].ID) })})
		file, _ := noiseFile(t, middle)
		if r := w.do(s, job{Client: "storage", File: file, ChunkSize: chunk, Tries: 1}); r.Code != 499 {
			t.Errorf("got %d %q, want 499", r.Code, r.Error)
		}
		s.holdsNothing()
	})
	t.Run("aborted", func(t *testing.T) {
		t.Parallel()
		w, s := startNode(t), start(t, nil)
		file, _ := noiseFile(t, 20*chunk)
		if r := w.do(s, job{Client: "storage", File: file, ChunkSize: chunk, AbortAfter: 3 * chunk, Tries: 1}); r.Error != "aborted" {
			t.Errorf("got %q, want that it was aborted", r.Error)
		}
		s.cancels()
	})
}

// sameCall makes a call that is made again the same call. The client for storage sends it with each of its requests.
var sameCall = map[string]string{"Idempotency-Key": "the-same-call"}

// TestYouTubeForNode sends in one request, which is all that this client can. It repeats nothing.
func TestYouTubeForNode(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		size  int
		at    plan
		tries int
	}{
		"empty":        {size: 0, tries: 1},
		"small":        {size: small, tries: 1},
		"middle":       {size: middle, tries: 1},
		"503":          {small, plan{{begins, 1}: refused(503)}, 2},
		"cut":          {middle, plan{{begins, 1}: cut(300_000)}, 2},
		"answer lost":  {small, plan{{begins, 1}: lost}, 2},
		"answers lost": {middle, plan{{begins, 1}: lost, {begins, 2}: masked(504)}, 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, s := startNode(t), start(t, test.at)
			file, content := noiseFile(t, test.size)
			r := w.do(s, job{Client: "video", File: file, Title: title, Tries: test.tries, Headers: sameCall})
			if r.Error != "" || r.Tries != test.tries || r.ID == "" || r.Title != title {
				t.Fatalf("%+v, want %d tries", r, test.tries)
			}
			s.holds(title, png, content)
		})
	}
}
