package invoices_test

import (
	"testing"

	"verbless/internal/apptest"
	"verbless/internal/db/dbtest"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

func TestTranscripts(t *testing.T) { apptest.Transcripts(t) }
