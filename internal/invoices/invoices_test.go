package invoices_test

import (
	"path/filepath"
	"testing"

	"verbless/internal/apptest"
	"verbless/internal/db/dbtest"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

func TestTranscripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.http")
	if err != nil || len(files) == 0 {
		t.Fatal("no transcripts", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			apptest.Each(t, func(t *testing.T, s *apptest.Server) { s.Transcript(t, file) })
		})
	}
}
