package main

import (
	"bytes"
	"image/png"
	"testing"
)

// The rows say 1 MB, and that each upload is another picture: both must be so.
func TestPhotograph(t *testing.T) {
	first := photograph()
	if size := len(first); size < 950_000 || size > 1_050_000 {
		t.Errorf("the picture has %d bytes", size)
	}
	number(first, 1)
	second := bytes.Clone(first)
	number(second, 2)
	if bytes.Equal(first, second) {
		t.Error("two pictures are the same")
	}
	for _, data := range [][]byte{first, second} {
		if _, err := png.Decode(bytes.NewReader(data)); err != nil {
			t.Error(err)
		}
	}
}
