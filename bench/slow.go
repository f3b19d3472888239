package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"time"

	"verbless/internal/change"
	"verbless/internal/companies"
	"verbless/internal/db"
	"verbless/internal/field"
)

const (
	others      = 16                     // clients beside those that are measured
	othersPause = 100 * time.Millisecond // between an answer and their next request
)

// seedCompanies fills the directory.
func seedCompanies(ctx context.Context, d *db.DB, n int) error {
	directory := companies.Store(d, companies.Options{EnterpriseSize: 500})
	for done := 0; done < n; done += seedBatch {
		rows := make([]*companies.Company, min(seedBatch, n-done))
		for i := range rows {
			size := int64(done + i)
			rows[i] = &companies.Company{Name: fmt.Sprintf("Company %d", done+i), Status: []string{"active", "prospect"}[i%2], Employees: &size, Metadata: field.Object("{}"),
				Contact: &companies.Contact{Name: "Ann", Email: fmt.Sprintf("ann%d@example.com", i)}}
		}
		if _, err := directory.Put(ctx, change.System, rows); err != nil {
			return err
		}
	}
	return nil
}

// startSlow runs the system that keeps locations, in its worst state.
func (b *bench) startSlow() (stop func(), err error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	system := &companies.StandIn{}
	system.Trouble(5*time.Second, 30)
	server := &http.Server{Handler: system}
	go server.Serve(l)
	b.slow = "http://" + l.Addr().String() + "/locations"
	return func() { server.Close() }, nil
}

// disturb lets other clients ask ours for what the scenario says, until it is stopped.
func (b *bench) disturb(s scenario) (stop func()) {
	if s.beside == "" {
		return func() {}
	}
	ctx, cancel := context.WithCancel(context.Background())
	var all sync.WaitGroup
	for range others {
		all.Go(func() {
			for ctx.Err() == nil {
				r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+b.servers["ours"].address+s.beside, nil)
				if err != nil {
					return
				}
				r.Header.Set("Authorization", "Bearer "+b.requests.token)
				if answer, err := http.DefaultClient.Do(r); err == nil {
					io.Copy(io.Discard, answer.Body)
					answer.Body.Close()
				}
				select {
				case <-ctx.Done():
				case <-time.After(othersPause):
				}
			}
		})
	}
	return func() { cancel(); all.Wait() }
}
