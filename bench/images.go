package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/png"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"

	"verbless/internal/ident"
)

const (
	pngStart   = 8 + 25       // the magic bytes and the header
	resolution = "pHYs"       // a chunk that belongs to the picture, so that each upload can be a picture of its own
	wide, high = 1_000, 1_300 // of a picture with as much grain as a photograph
)

// photograph is a PNG of about 1 MB, with room for a number that makes it unlike all others.
func photograph() []byte {
	random := rand.New(rand.NewPCG(4, 0))
	m := image.NewNRGBA(image.Rect(0, 0, wide, high))
	for y := range high {
		for x := range wide {
			grain := uint8(random.IntN(5))
			m.SetNRGBA(x, y, color.NRGBA{uint8(x/4) + grain, uint8(y/5) + grain, uint8((x+y)/9) + grain, 255})
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		panic(err) // into memory
	}
	data := b.Bytes()
	chunk := append(append([]byte{0, 0, 0, 9}, resolution...), make([]byte, 9+4)...)
	return append(append(append([]byte{}, data[:pngStart]...), chunk...), data[pngStart:]...)
}

// number makes the picture in a request another one.
func number(picture []byte, n int) {
	chunk := picture[pngStart+4:]
	binary.BigEndian.PutUint32(chunk[4:], uint32(n))
	binary.BigEndian.PutUint32(chunk[8:], 1)
	binary.BigEndian.PutUint32(chunk[13:], crc32.ChecksumIEEE(chunk[:13]))
}

// upload sends a picture that was never sent before.
func (q *requests) upload(worker, n int) []byte {
	if q.picture == nil {
		q.picture = photograph()
	}
	if len(q.uploads[worker]) == 0 {
		q.uploads[worker] = q.append(nil, "POST", "/avatars", "Content-Type: image/png\r\n", string(q.picture), "")
	}
	number(q.uploads[worker][len(q.uploads[worker])-len(q.picture):], n)
	return q.uploads[worker]
}

// show asks for a picture.
func (q *requests) show(_, _ int) []byte { return q.image }

// files is the limit of uploads: the body goes to a file that is durable before the answer. Nothing is looked at.
func files(kept answers, dir string) http.Handler {
	reads, created := bare(kept), prepare(kept["upload"])
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet { // the question whether it runs
			reads.ServeHTTP(w, r)
			return
		}
		if err := keepFile(filepath.Join(dir, ident.New()), r.Body); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		created.send(w)
	})
}

// keepFile writes a new file, durably.
func keepFile(name string, in io.Reader) error {
	return sinkFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, in)
}

// sinkFile writes to a file, durably.
func sinkFile(name string, flags int, in io.Reader) error {
	f, err := os.OpenFile(name, flags, 0o600)
	if err != nil {
		return err
	}
	if _, err = io.Copy(f, in); err == nil {
		err = f.Sync()
	}
	if other := f.Close(); err == nil {
		err = other
	}
	return err
}

// learnImages uploads a picture and asks for it, so that the limits know what to say.
func (q *requests) learnImages(ask func(name string, request []byte, status int), kept answers, n int) error {
	ask("upload", q.upload(0, n), 201)
	_, after, ok := bytes.Cut(kept["upload"].Body, []byte(`/media/`))
	name, _, closed := bytes.Cut(after, []byte(`"`))
	if !ok || !closed {
		return fmt.Errorf("no picture in %s", kept["upload"].Body)
	}
	q.image = q.bytes("GET", "/media/"+string(name), "", "")
	q.image = bytes.Replace(q.image, []byte("application/json"), []byte("image/*"), 1)
	ask("image", q.image, 200)
	return nil
}
