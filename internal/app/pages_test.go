package app_test

import (
	"slices"
	"strings"
	"testing"

	"verbless/internal/apptest"
	"verbless/internal/db/dbtest"
	"verbless/internal/pages"
)

// TestFrontLeadsEverywhere: as JSON, to all that the service says of itself and to every collection.
func TestFrontLeadsEverywhere(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t, dbtest.SQLite(t))
	front := s.Want(t, 200, "", "GET /", "", "Accept: application/json")
	for name, link := range front.Get("links").(map[string]any) {
		if a := s.Call(t, "", "GET "+link.(string), "", "Accept: */*"); a.Status != 200 {
			t.Errorf("%s leads to %d", name, a.Status)
		}
	}
	listed := map[string]bool{}
	for _, each := range front.Get("collections").([]any) {
		one := each.(map[string]any)
		if href, ok := one["href"].(string); ok {
			s.Want(t, 200, s.Admin, "GET "+href, "")
			listed[strings.TrimPrefix(href, s.URL)] = true
		} else {
			listed[strings.TrimPrefix(one["template"].(string), s.URL)] = true
		}
		if one["description"] == "" {
			t.Errorf("%s is not described", one["name"])
		}
	}
	for pattern, item := range s.Routes.Paths {
		if get, ok := item["get"].(map[string]any); ok && strings.HasPrefix(get["operationId"].(string), "list") && pattern != "/problems" && !listed[pattern] {
			t.Errorf("%s is not among the collections", pattern)
		}
	}
	if len(listed) < 10 {
		t.Errorf("only %d collections", len(listed))
	}
}

// TestPagesNegotiate: JSON for programs, a page for browsers, each with a tag of its own, and a refusal for the rest.
func TestPagesNegotiate(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t, dbtest.SQLite(t))
	const browser = "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,image/webp,*/*;q=0.8"
	for _, path := range []string{"/", "/problems", "/problems/not_found"} {
		plain, page := s.Want(t, 200, "", "GET "+path, "", "Accept: */*"), s.Want(t, 200, "", "GET "+path, "", browser)
		if plain.Header.Get("Content-Type") != "application/json" || page.Header.Get("Content-Type") != "text/html; charset=utf-8" {
			t.Errorf("%s: %s and %s", path, plain.Header.Get("Content-Type"), page.Header.Get("Content-Type"))
		}
		if plain.Header.Get("ETag") == page.Header.Get("ETag") || !strings.Contains(page.Header.Get("Vary"), "Accept") {
			t.Errorf("%s: a cache would mix them up", path)
		}
		s.Want(t, 304, "", "GET "+path, "", browser, "If-None-Match: "+page.Header.Get("ETag"))
		s.Want(t, 200, "", "GET "+path, "", "Accept: */*", "If-None-Match: "+page.Header.Get("ETag"))
		s.Want(t, 406, "", "GET "+path, "", "Accept: image/png")
	}
	s.Want(t, 406, "", "GET /docs", "", "Accept: application/json")
	s.Want(t, 404, "", "GET /docs/nope.js", "")
	s.Want(t, 404, "", "GET /docs/..%2Fpages.go", "")
}

// TestPagesAreConfined: every page tells the browser to load and call nothing but this service, and is never kept without asking.
func TestPagesAreConfined(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t, dbtest.SQLite(t))
	for _, path := range []string{"/", "/docs", "/problems", "/problems/not_found"} {
		a := s.Want(t, 200, "", "GET "+path, "", "Accept: text/html")
		for name, want := range map[string]string{"Content-Security-Policy": pages.Policy(), "Referrer-Policy": "no-referrer", "X-Content-Type-Options": "nosniff", "Cache-Control": "public, no-cache"} {
			if got := a.Header.Get(name); got != want {
				t.Errorf("%s: %s is %q", path, name, got)
			}
		}
	}
	for _, file := range []string{"main.js", "style.css", "icon.svg"} {
		a := s.Want(t, 200, "", "GET /docs/"+file, "", "Accept: */*")
		mediaType, _, _ := strings.Cut(a.Header.Get("Content-Type"), ";")
		if !slices.Contains(pages.Types(), mediaType) || a.Header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: %v", file, a.Header)
		}
		s.Want(t, 304, "", "GET /docs/"+file, "", "Accept: */*", "If-None-Match: "+a.Header.Get("ETag"))
	}
}
