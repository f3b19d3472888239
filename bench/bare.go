package main

import (
	"net/http"
	"strings"
)

// ready is an answer in the form that costs least to send.
type ready struct {
	status int
	header http.Header
	body   []byte
}

func prepare(a answer) *ready {
	r := &ready{status: a.Status, header: http.Header{}, body: a.Body}
	for _, h := range a.Header {
		if h[0] != "Date" { // net/http adds it by itself
			r.header[h[0]] = append(r.header[h[0]], h[1])
		}
	}
	return r
}

func (r *ready) send(w http.ResponseWriter) {
	h := w.Header()
	for name, values := range r.header {
		h[name] = values
	}
	w.WriteHeader(r.status)
	if len(r.body) > 0 {
		w.Write(r.body)
	}
}

// bare is the limit of reads: net/http and nothing else. It gets the same requests as the real server.
func bare(kept answers) http.Handler {
	one, same, many, inbox := prepare(kept["get"]), prepare(kept["304"]), prepare(kept["list"]), prepare(kept["inbox"])
	picture, bills, listed := prepare(kept["image"]), prepare(kept["bills"]), prepare(kept["companies"])
	whole := exact(kept)
	coded := map[string]*ready{"gzip": prepare(kept["list-gzip"]), "zstd": prepare(kept["list-zstd"])}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch coding := r.Header.Get("Accept-Encoding"); {
		case coded[coding] != nil:
			coded[coding].send(w)
		case whole[r.URL.RequestURI()] != nil:
			whole[r.URL.RequestURI()].send(w)
		case r.URL.Path == inboxPath:
			inbox.send(w)
		case r.URL.Path == "/companies":
			listed.send(w)
		case r.URL.Path == billsPath:
			bills.send(w)
		case r.URL.RawQuery != "":
			many.send(w)
		case len(r.Header["If-None-Match"]) > 0:
			same.send(w)
		case strings.HasPrefix(r.URL.Path, "/media/"):
			picture.send(w)
		default:
			one.send(w)
		}
	})
}
