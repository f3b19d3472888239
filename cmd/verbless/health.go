package main

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"

	"verbless/internal/config"
)

type health struct{}

func (health) Help() string {
	return "Example: verbless health --addr 127.0.0.1:8080\n\nEnds with 0 when the service at that address can answer requests, else with 1. For containers, which have no other way to ask."
}

// Run asks the service at the address that it would listen at itself.
func (health) Run(ctx context.Context, s *config.Settings) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	base, err := url.Parse(s.Base())
	if err != nil {
		return err
	}
	scheme := "http"
	if s.TLS() {
		scheme = "https"
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, scheme+"://"+base.Host+"/readyz", nil)
	if err != nil {
		return err
	}
	// Whatever the service is called outside, the question goes to the address itself, and to no proxy. It is not a
	// secret and neither is the answer, so a certificate that is good for outsiders alone is no obstacle.
	client := http.Client{Transport: &http.Transport{
		DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, network, s.Addr)
		},
		TLSClientConfig:   &tls.Config{InsecureSkipVerify: true, ServerName: base.Hostname()},
		DisableKeepAlives: true,
	}}
	answer, err := client.Do(request)
	if err != nil {
		return fmt.Errorf("nobody answers at %s: %w", s.Addr, err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(io.LimitReader(answer.Body, 4<<10))
		return fmt.Errorf("not ready: %s %s", answer.Status, text)
	}
	fmt.Println("ready")
	return nil
}
