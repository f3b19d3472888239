// Package metrictest reads metrics as Prometheus does: with its own parser, and its linter for their names and units.
package metrictest

import (
	"bytes"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// Families are metrics by name.
type Families map[string]*dto.MetricFamily

// Read fails the test when Prometheus would not take the text, or its linter finds fault with it.
func Read(t testing.TB, text []byte) Families {
	t.Helper()
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(bytes.NewReader(text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	problems, err := promlint.New(bytes.NewReader(text)).Lint()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Errorf("%s: %s", p.Metric, p.Text)
	}
	return families
}

// Value is that of the metric with these labels, "name=value" each; of a histogram the count. It is -1 when there is none.
func (f Families) Value(name string, labels ...string) float64 {
	for _, m := range f[name].GetMetric() {
		has := map[string]bool{}
		for _, l := range m.Label {
			has[l.GetName()+"="+l.GetValue()] = true
		}
		fits := true
		for _, l := range labels {
			fits = fits && has[l]
		}
		switch {
		case !fits:
		case m.Counter != nil:
			return m.Counter.GetValue()
		case m.Gauge != nil:
			return m.Gauge.GetValue()
		default:
			return float64(m.Histogram.GetSampleCount())
		}
	}
	return -1
}
