package app

import (
	"context"
	"net"
	"net/http"
	"runtime"
	"strings"
	"time"

	"verbless/internal/metric"
	"verbless/internal/rest"
	"verbless/internal/trace"
)

// observe makes what counts and what traces, as far as somebody wants it. Without metrics and a collector both stay nil, and cost nothing.
func (a *App) observe() (err error) {
	s := &a.settings
	a.scheme, _, _ = strings.Cut(s.Base(), ":")
	if s.Metrics != "off" {
		a.Metrics = metric.New()
		a.Metrics.Process()
		engine := "sqlite"
		if a.DB.Postgres() {
			engine = "postgresql"
		}
		a.Metrics.GaugeFunc("verbless_build_info", "The version that runs, and on what.", func() float64 { return 1 }, "version", Version(), "goversion", runtime.Version(), "engine", engine)
		a.DB.Watch(a.Metrics)
	}
	a.traffic = newTraffic(a.Metrics)
	if s.OTLPEndpoint == "" {
		return nil
	}
	a.tracer, err = trace.New(trace.Options{Endpoint: s.OTLPEndpoint, Headers: s.OTLPHeaders, Sample: s.TraceSample, Service: s.ServiceName, Version: Version(), Instance: a.process, Log: a.log})
	if err != nil {
		return err
	}
	spans := func(outcome string, count func() int64) {
		a.Metrics.CounterFunc("verbless_trace_spans_total", "Spans that ended; dropped ones found the queue full, failed ones could not be sent.", func() float64 { return float64(count()) }, "outcome", outcome)
	}
	spans("sent", a.tracer.Sent.Load)
	spans("dropped", a.tracer.Dropped.Load)
	spans("failed", a.tracer.Failed.Load)
	a.Metrics.GaugeFunc("verbless_trace_spans_queued", "Spans that wait to be sent.", func() float64 { return float64(a.tracer.Queued()) })
	return nil
}

const plain = "text/plain"

// figures shows the metrics to everybody.
func figures(r *metric.Registry) rest.Resource {
	return rest.Route{Path: "/metrics", Public: true, Operations: []*rest.Operation{{
		Method: http.MethodGet, ID: "getMetrics", Summary: "What has been counted, for Prometheus", Offers: []string{plain},
		Answers: []rest.Response{{Status: http.StatusOK, Doc: "Prometheus' text format.", Type: metric.Type}},
		Handle: func(*rest.Call) (*rest.Answer, error) {
			return &rest.Answer{Status: http.StatusOK, NoStore: true, Type: metric.Type, Body: r.Text()}, nil
		},
	}}}
}

// serveMetrics listens at the port of their own, if they have one, until ctx ends.
func (a *App) serveMetrics(ctx context.Context) error {
	if a.settings.Metrics == "on" || a.settings.Metrics == "off" {
		return nil
	}
	listener, err := net.Listen("tcp", a.settings.Metrics)
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", metric.Type)
		w.Write(a.Metrics.Text())
	})
	server := &http.Server{Handler: mux, ReadHeaderTimeout: a.settings.HeaderTimeout, ReadTimeout: 10 * time.Second, WriteTimeout: time.Minute, IdleTimeout: a.settings.IdleTimeout, MaxHeaderBytes: int(a.settings.MaxHeader)}
	context.AfterFunc(ctx, func() { server.Close() })
	go server.Serve(listener)
	a.log.Info("metrics have a port of their own", "address", "http://"+listener.Addr().String()+"/metrics")
	return nil
}
