package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"verbless/internal/config"
)

func TestHealth(t *testing.T) {
	status := http.StatusOK
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/readyz" || r.Header.Get("Authorization") != "" {
			t.Errorf("asked for %s", r.URL)
		}
		w.WriteHeader(status)
	})
	plain, encrypted := httptest.NewServer(handler), httptest.NewTLSServer(handler)
	defer plain.Close()
	defer encrypted.Close()
	ask := func(server *httptest.Server) error {
		s := config.Default()
		s.Addr, s.BaseURL = server.Listener.Addr().String(), "http://api.example.com"
		if server.TLS != nil {
			s.TLSCert, s.BaseURL = "chain.pem", "https://api.example.com"
		}
		return health{}.Run(t.Context(), &s)
	}
	for _, server := range []*httptest.Server{plain, encrypted} {
		status = http.StatusOK
		if err := ask(server); err != nil {
			t.Errorf("%s: %v", server.URL, err)
		}
		status = http.StatusServiceUnavailable
		if err := ask(server); err == nil || !strings.Contains(err.Error(), "503") {
			t.Errorf("%s: %v", server.URL, err)
		}
	}
	plain.Close()
	if err := ask(plain); err == nil || !strings.Contains(err.Error(), "nobody answers") {
		t.Error(err)
	}
}
