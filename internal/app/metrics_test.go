package app_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/common/expfmt"

	"verbless/internal/apptest"
	"verbless/internal/companies"
	"verbless/internal/config"
	"verbless/internal/db/dbtest"
	"verbless/internal/metric/metrictest"
)

// scrape reads the metrics as Prometheus does, and lets its linter judge their names.
func scrape(t testing.TB, address string) metrictest.Families {
	t.Helper()
	r, err := http.NewRequest("GET", address, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Accept", "application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.5,application/openmetrics-text;version=0.0.1;q=0.4,text/plain;version=1.0.0;escaping=allow-utf-8;q=0.3,text/plain;version=0.0.4;q=0.2,*/*;q=0.1")
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK || expfmt.ResponseFormat(response.Header).FormatType() != expfmt.TypeTextPlain {
		t.Fatalf("%d %s %v\n%s", response.StatusCode, response.Header.Get("Content-Type"), err, text)
	}
	return metrictest.Read(t, text)
}

// TestMetrics does a little of everything, and finds it counted.
func TestMetrics(t *testing.T) {
	standIn := &companies.StandIn{}
	locations := httptest.NewServer(standIn)
	t.Cleanup(locations.Close)
	apptest.Each(t, func(t *testing.T, s *apptest.Server) {
		s.Want(t, 201, s.Alice, "POST /articles", `{"title":"Counted"}`)
		for range 3 {
			s.Want(t, 200, s.Alice, "GET /articles/counted", "")
		}
		s.Want(t, 404, s.Alice, "GET /articles/no-such", "")
		s.Want(t, 404, "", "GET /no/such/path", "")
		s.Want(t, 405, "", "BREW /articles/counted", "")
		path := "/invoices/" + s.Want(t, 201, s.Alice, "POST /invoices", fmt.Sprintf(draft, "counted")).Text("data.id")
		s.Want(t, 200, s.Alice, "PATCH "+path, `{"data":{"attributes":{"status":"published"}}}`)
		s.Want(t, 201, s.Alice, "POST "+path+"/payment_attempts", `{"invoice_number":"INV-000001","amount":12.5,"payment_token":"tok_declined"}`)
		s.Want(t, 201, s.Alice, "POST "+path+"/payment_attempts", `{"invoice_number":"INV-000001","amount":12.5,"payment_token":"tok_ok"}`)
		s.Want(t, 201, s.Admin, "POST /companies", `{"company":{"name":"Counted"}}`)
		for range 2 {
			s.Want(t, 200, s.Alice, "GET /companies?partials=locations", "")
		}
		before := scrape(t, s.URL+"/metrics")
		if got := before.Value("verbless_outbox_tasks", "state=waiting"); got != 1 {
			t.Errorf("%v tasks wait, and not the notice alone", got)
		}
		s.Work(t)
		m := scrape(t, s.URL+"/metrics")
		for _, test := range []struct {
			want   float64
			name   string
			labels []string
		}{
			{3, "verbless_http_requests_total", []string{"route=/articles/{article}", "method=GET", "status=200"}},
			{1, "verbless_http_requests_total", []string{"route=/articles/{article}", "method=GET", "status=404"}},
			{4, "verbless_http_request_duration_seconds", []string{"route=/articles/{article}", "method=GET"}},
			{1, "verbless_http_requests_total", []string{"route=/articles", "method=POST", "status=201"}},
			{1, "verbless_http_requests_total", []string{"route=none", "method=GET", "status=404"}},
			{1, "verbless_http_requests_total", []string{"route=/articles/{article}", "method=other", "status=405"}},
			{1, "verbless_http_requests_in_flight", nil}, // this one
			{1, "verbless_gateway_charges_total", []string{"gateway=test", "outcome=succeeded"}},
			{1, "verbless_gateway_charges_total", []string{"gateway=test", "outcome=declined"}},
			{2, "verbless_gateway_charge_duration_seconds", []string{"gateway=test"}},
			{1, "verbless_outbox_tries_total", []string{"kind=send notice", "outcome=dead"}}, // alice has no address
			{0, "verbless_mails_total", []string{"outcome=sent"}},
			{1, "verbless_neighbour_calls_total", []string{"neighbour=locations", "outcome=answered"}},
			{1, "verbless_neighbour_values_total", []string{"from=call"}},
			{1, "verbless_neighbour_values_total", []string{"from=cache"}},
			{1, "verbless_neighbour_breaker", []string{"state=closed"}},
			{0, "verbless_neighbour_breaker", []string{"state=open"}},
			{1, "verbless_build_info", nil},
			{0, "verbless_db_commits_total", []string{"outcome=unknown"}},
			{0, "verbless_trace_spans_total", []string{"outcome=dropped"}},
		} {
			if got := m.Value(test.name, test.labels...); got != test.want {
				t.Errorf("%s %v is %v, want %v", test.name, test.labels, got, test.want)
			}
		}
		commits := m.Value("verbless_db_commits_total", "outcome=committed")
		if commits < 8 || commits != m.Value("verbless_db_commit_transactions") || commits > m.Value("verbless_db_commit_duration_seconds") {
			t.Errorf("%v commits", commits)
		}
		for _, name := range []string{"verbless_db_connections_max", "verbless_db_reads_total", "go_goroutines", "process_cpu_seconds_total"} {
			if m.Value(name) <= 0 {
				t.Errorf("%s is %v", name, m.Value(name))
			}
		}
		bounded(t, s, m)
	}, func(s *config.Settings) { s.LocationsURL = locations.URL + "/locations" })
}

// bounded looks at every label: none may hold what a caller sent.
func bounded(t *testing.T, s *apptest.Server, families metrictest.Families) {
	t.Helper()
	told := regexp.MustCompile(`counted|INV-|no-such|no/such|BREW|tok_|[0-9a-f]{8}-[0-9a-f]{4}|vbl_|@`)
	for name, f := range families {
		for _, m := range f.Metric {
			for _, l := range m.Label {
				if told.MatchString(l.GetValue()) {
					t.Errorf("%s has %s=%q", name, l.GetName(), l.GetValue())
				}
				if route := l.GetValue(); l.GetName() == "route" && route != "none" && s.Routes.Paths[route] == nil {
					t.Errorf("%s is no route", route)
				}
			}
		}
	}
}

// TestMailsAreCounted: what was handed over, and what a dead queue still holds.
func TestMailsAreCounted(t *testing.T) {
	apptest.Each(t, func(t *testing.T, s *apptest.Server) {
		path := "/invoices/" + s.Want(t, 201, s.Alice, "POST /invoices", `{"data":{"attributes":{"amount":1,"currency":"EUR","contact_info":{"name":"Carol","email":"carol@example.com"}}}}`).Text("data.id")
		for _, status := range []string{"published", "sent"} {
			s.Want(t, 200, s.Alice, "PATCH "+path, `{"data":{"attributes":{"status":"`+status+`"}}}`)
		}
		s.Clock.Move(time.Minute)
		late := scrape(t, s.URL+"/metrics")
		if age := late.Value("verbless_outbox_oldest_due_age_seconds"); age < 59 || age > 120 {
			t.Errorf("the notice has been due for %v seconds", age)
		}
		s.Work(t)
		if m := scrape(t, s.URL+"/metrics"); m.Value("verbless_mails_total", "outcome=sent") != 1 || m.Value("verbless_outbox_tries_total", "outcome=done", "kind=send notice") != 1 {
			t.Errorf("got %v", m["verbless_mails_total"])
		}
	})
}

// TestMetricsElsewhere: they can be nowhere, or at a port of their own.
func TestMetricsElsewhere(t *testing.T) {
	off := apptest.Start(t, dbtest.SQLite(t), func(s *config.Settings) { s.Metrics = "off" })
	off.Want(t, 404, "", "GET /metrics", "")
	off.Want(t, 200, off.Alice, "GET /articles", "")
	if off.App.Metrics != nil || off.Routes.Paths["/metrics"] != nil {
		t.Error("somebody counts")
	}

	port := freePort(t)
	own := apptest.Start(t, dbtest.SQLite(t), func(s *config.Settings) { s.Metrics = port })
	own.Want(t, 404, "", "GET /metrics", "")
	own.Want(t, 200, own.Alice, "GET /articles", "")
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- own.App.Serve(ctx, listener) }()
	if response, err := http.Get("http://" + listener.Addr().String() + "/healthz"); err != nil || response.StatusCode != 200 { // once it answers, all is up
		t.Fatal(err)
	}
	m := scrape(t, "http://"+port+"/metrics")
	if m.Value("verbless_http_requests_total", "route=/articles") != 1 || m.Value("verbless_job_turns_total") < 0 {
		t.Errorf("got %v", m["verbless_http_requests_total"])
	}
	if response, err := http.Get("http://" + port + "/articles"); err != nil || response.StatusCode != 404 {
		t.Errorf("the port serves more than metrics: %v", err)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if _, err := http.Get("http://" + port + "/metrics"); err == nil {
		t.Error("the port is still open")
	}
	if log, _ := own.Overheard(); !strings.Contains(log, port) {
		t.Error("the log does not say where they are")
	}
}

func freePort(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}
