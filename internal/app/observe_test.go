package app_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"verbless/internal/apptest"
	"verbless/internal/companies"
	"verbless/internal/config"
	"verbless/internal/db/dbtest"
	"verbless/internal/trace"
	"verbless/internal/trace/tracetest"
)

const (
	callersTrace = "4bf92f3577b34da6a3ce929d0e0e4736"
	callersSpan  = "00f067aa0ba902b7"
	traceparent  = "traceparent: 00-" + callersTrace + "-" + callersSpan + "-01"
)

// TestTraces follows requests through commits, the payment gateway, the system of locations and the mail.
func TestTraces(t *testing.T) {
	apptest.Each(t, func(t *testing.T, s *apptest.Server) {
		path := "/invoices/" + s.Want(t, 201, s.Alice, "POST /invoices", fmt.Sprintf(draft, "traced words")).Text("data.id")
		s.Want(t, 200, s.Alice, "PATCH "+path, `{"data":{"attributes":{"status":"published","contact_info":{"email":"carol@example.com"}}}}`)
		paid := s.Want(t, 201, s.Alice, "POST "+path+"/payment_attempts", `{"invoice_number":"INV-000001","amount":12.5,"payment_token":"pm_card_visa"}`, traceparent, "tracestate: vendor=7")
		if paid.Text("data.attributes.status") != "succeeded" {
			t.Fatalf("got %s", paid.Body)
		}
		s.Want(t, 201, s.Admin, "POST /companies", `{"company":{"name":"Traced"}}`)
		s.Want(t, 200, s.Alice, "GET /companies?partials=locations", "", "X-Request-Id: the-located-one")
		s.Want(t, 200, s.Alice, "GET /articles?q=sought-by-somebody", "")
		s.Want(t, 404, "", "GET /no/such/path/of-bob", "")
		s.Want(t, 200, "", "GET /healthz", "")
		if err := apptest.Exec(s, `UPDATE users SET email = 'alice@example.com'`); err != nil {
			t.Fatal(err)
		}
		s.Work(t)
		spans := s.Await(t, func(spans []tracetest.Span) bool {
			return len(tracetest.Named(spans, "send mail")) > 0 && len(tracetest.Named(spans, "task send notice")) > 0 && len(tracetest.Named(spans, "GET")) > 0
		})
		tree := forest{t, spans}

		pay := tree.one("POST /invoices/{invoice}/payment_attempts")
		if pay.Trace != callersTrace || pay.Parent != callersSpan || !pay.Remote || pay.Kind != 2 || pay.Failed || pay.State != "vendor=7" {
			t.Errorf("got %+v", pay)
		}
		for name, want := range map[string]string{
			"http.route": "/invoices/{invoice}/payment_attempts", "http.request.method": "POST", "http.response.status_code": "201", "url.scheme": "http", "network.protocol.version": "1.1",
			"verbless.request_id": paid.Header.Get("X-Request-Id"),
		} {
			if pay.Attributes[name] != want {
				t.Errorf("%s is %q, want %q", name, pay.Attributes[name], want)
			}
		}
		charge := tree.child(pay, "gateway charge")
		if charge.Attributes["verbless.gateway"] != "stripe" || charge.Attributes["verbless.outcome"] != "succeeded" {
			t.Errorf("got %+v", charge)
		}
		call := tree.child(charge, "POST")
		if call.Kind != 3 || call.Attributes["http.response.status_code"] != "200" || call.Attributes["server.address"] != "127.0.0.1" {
			t.Errorf("got %+v", call)
		}
		commit := tree.child(tree.child(pay, "transaction"), "COMMIT")
		engine := map[bool]string{true: "postgresql", false: "sqlite"}[s.App.DB.Postgres()]
		if commit.Attributes["db.system.name"] != engine || commit.Kind != 3 || commit.Failed {
			t.Errorf("got %+v", commit)
		}

		ask := tree.child(tree.one("GET /companies"), "ask locations")
		located := tree.child(ask, "GET")
		if located.Trace == callersTrace || ask.Failed || ask.Attributes["verbless.keys"] != "1" {
			t.Errorf("got %+v, %+v", ask, located)
		}
		task := tree.one("task send notice")
		if sent := tree.child(task, "send mail"); task.Parent != "" || sent.Failed || task.Trace == pay.Trace {
			t.Errorf("got %+v, %+v", task, sent)
		}
		nowhere := 0
		for _, span := range spans {
			tree.judge(span)
			if _, routed := span.Attributes["http.route"]; span.Kind == 2 && !routed {
				nowhere++
			}
		}
		if nowhere != 1 {
			t.Errorf("%d requests led nowhere", nowhere)
		}
		log, _ := s.Overheard()
		for request, trace := range map[string]string{paid.Header.Get("X-Request-Id"): callersTrace, "the-located-one": located.Trace} {
			if line := lineOf(log, "request_id="+request); !strings.Contains(line, "trace_id="+trace) {
				t.Errorf("the log does not name request and trace: %q", line)
			}
		}
	}, func(s *config.Settings) {
		stripe := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if !strings.HasPrefix(r.Header.Get("Traceparent"), "00-"+callersTrace+"-") || r.Header.Get("Tracestate") != "vendor=7" {
				t.Errorf("the gateway was told %q", r.Header)
			}
			w.Header().Set("Content-Type", "application/json")
			io.WriteString(w, `{"id":"pi_1","object":"payment_intent","status":"succeeded"}`)
		}))
		locations := httptest.NewServer(&companies.StandIn{})
		t.Cleanup(func() { stripe.Close(); locations.Close() })
		s.Gateway, s.StripeKey, s.StripeURL, s.LocationsURL = "stripe", "sk_test_traced", stripe.URL, locations.URL+"/locations"
	})
}

// lineOf is the line of a log that holds a text.
func lineOf(log, text string) string {
	for line := range strings.Lines(log) {
		if strings.Contains(line, text) {
			return line
		}
	}
	return ""
}

// forest is spans, and what a test wants to know of them.
type forest struct {
	t     *testing.T
	spans []tracetest.Span
}

func (f forest) one(name string) tracetest.Span {
	f.t.Helper()
	found := tracetest.Named(f.spans, name)
	if len(found) == 0 {
		f.t.Fatalf("there is no span %q in %+v", name, f.spans)
	}
	return found[len(found)-1]
}

// child is the span of a name below another.
func (f forest) child(of tracetest.Span, name string) tracetest.Span {
	f.t.Helper()
	for _, s := range tracetest.Named(f.spans, name) {
		if s.Parent == of.ID && s.Trace == of.Trace {
			return s
		}
	}
	f.t.Fatalf("there is no %q below %+v in %+v", name, of, f.spans)
	return tracetest.Span{}
}

// attributes are all that a span may have. What is not here may hold what a caller sent.
var attributes = strings.Fields(`http.route http.request.method http.response.status_code url.scheme network.protocol.version verbless.request_id error.type
	server.address server.port db.system.name db.operation.name verbless.commit.transactions verbless.gateway verbless.outcome verbless.keys`)

func (f forest) judge(s tracetest.Span) {
	f.t.Helper()
	for name, value := range s.Attributes {
		known := false
		for _, allowed := range attributes {
			known = known || name == allowed
		}
		if !known {
			f.t.Errorf("%s has the attribute %s=%q", s.Name, name, value)
		}
	}
	for _, told := range []string{"alice", "bob", "carol", "Traced", "traced words", "INV-", "pm_card", "sk_test", "/invoices/0", "sought", "healthz"} {
		if text, _ := json.Marshal(s.Attributes); strings.Contains(s.Name+string(text), told) {
			f.t.Errorf("%q is in %+v", told, s)
		}
	}
}

// TestCollectorAway: a collector that is not there costs nobody an answer, and is told of once.
func TestCollectorAway(t *testing.T) {
	s := apptest.Start(t, dbtest.SQLite(t), func(s *config.Settings) { s.OTLPEndpoint = "http://" + freePort(t) })
	for range 50 {
		s.Want(t, 200, s.Alice, "GET /articles", "")
	}
	for range 1000 {
		if log, _ := s.Overheard(); strings.Contains(log, "traces cannot be sent") {
			m := scrape(t, s.URL+"/metrics")
			if failed := m.Value("verbless_trace_spans_total", "outcome=failed"); failed < 1 {
				t.Errorf("%v spans failed", failed)
			}
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Error("the log does not say that traces cannot be sent")
}

// TestTraceOfTheCaller: without a collector, the log still says which trace a request belongs to.
func TestTraceOfTheCaller(t *testing.T) {
	s := apptest.Start(t, dbtest.SQLite(t), func(s *config.Settings) { s.OTLPEndpoint = "" })
	s.Want(t, 200, s.Alice, "GET /articles", "", traceparent)
	s.Want(t, 200, s.Alice, "GET /users/me", "", "traceparent: 00-not-a-trace-01")
	log, spans := s.Overheard()
	if !strings.Contains(log, "trace_id="+callersTrace) || strings.Contains(log, "not-a-trace") || strings.Count(log, "trace_id=") != 1 || len(spans) != 0 {
		t.Errorf("got %s", log)
	}
	if trace.Parse(strings.TrimPrefix(traceparent, "traceparent: ")) != callersTrace {
		t.Error("the example is no example")
	}
}
