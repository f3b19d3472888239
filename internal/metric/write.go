package metric

import (
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Type is the media type of what Write gives.
const Type = "text/plain; version=0.0.4; charset=utf-8"

// Text is everything that has been counted, in Prometheus' text format, by name.
func (r *Registry) Text() []byte {
	r.writing.Lock()
	defer r.writing.Unlock()
	r.mu.Lock()
	hooks := r.hooks
	r.mu.Unlock()
	for _, hook := range hooks {
		hook()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	out := make([]byte, 0, 64<<10)
	for _, name := range slices.Sorted(maps.Keys(r.families)) {
		out = r.families[name].append(out)
	}
	return out
}

func (f *family) append(out []byte) []byte {
	begun := len(out)
	out = append(append(append(out, "# HELP "...), f.name...), ' ')
	out = append(append(out, escapeHelp.Replace(f.help)...), '\n')
	out = append(append(append(out, "# TYPE "...), f.name...), ' ')
	out = append(append(out, f.kind...), '\n')
	head := len(out)
	for _, m := range f.members {
		if m.bars != nil {
			out = m.bars.append(out, f.name, m.labels)
		} else if v := m.value(); !math.IsNaN(v) { // unknown
			out = sample(out, f.name, "", m.labels, "", v)
		}
	}
	if len(out) == head {
		return out[:begun]
	}
	return out
}

// append writes the bars, each with all that are smaller in it. They are read one after the other, so a value that is being
// counted meanwhile may be in a later bar already; the count is the last bar, as the format demands.
func (h *Histogram) append(out []byte, name, labels string) []byte {
	var total uint64
	sum := h.sum.Load()
	for i := range h.counts {
		total += h.counts[i].Load()
		bound := "+Inf"
		if i < len(h.bounds) {
			bound = number(float64(h.bounds[i]) / h.unit)
		}
		out = sample(out, name, "_bucket", labels, `le="`+bound+`"`, float64(total))
	}
	out = sample(out, name, "_sum", labels, "", float64(sum)/h.unit)
	return sample(out, name, "_count", labels, "", float64(total))
}

func sample(out []byte, name, suffix, labels, more string, value float64) []byte {
	out = append(append(out, name...), suffix...)
	if labels != "" || more != "" {
		out = append(append(out, '{'), labels...)
		if labels != "" && more != "" {
			out = append(out, ',')
		}
		out = append(append(out, more...), '}')
	}
	return append(append(append(out, ' '), number(value)...), '\n')
}

func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

var (
	escapeHelp  = strings.NewReplacer(`\`, `\\`, "\n", `\n`)
	escapeLabel = strings.NewReplacer(`\`, `\\`, "\n", `\n`, `"`, `\"`)
)

func (l Labels) text() string {
	var out strings.Builder
	for i := 0; i+1 < len(l); i += 2 {
		if i > 0 {
			out.WriteByte(',')
		}
		out.WriteString(l[i] + `="` + escapeLabel.Replace(l[i+1]) + `"`)
	}
	return out.String()
}
