package field

import (
	"strings"
	"time"

	"verbless/internal/fault"
	"verbless/internal/query"
	"verbless/internal/stamp"
)

// maxAnyOf is how many values a filter takes.
const maxAnyOf = 100

// comparisons are what a time takes beside equality.
var comparisons = []struct {
	name string
	op   query.Op
}{{"gte", query.Gte}, {"gt", query.Gt}, {"lte", query.Lte}, {"lt", query.Lt}}

// Comparisons are the parameters of a time beside its own name.
func Comparisons(name string) []string {
	var params []string
	for _, c := range comparisons {
		params = append(params, name+"["+c.name+"]")
	}
	return params
}

// Conditions reads what filters ask of the field, under the name by which they ask. given gives a parameter's text.
func (f *Field) Conditions(name string, given func(param string) (string, bool), bad *fault.List) []query.Cond {
	conds := f.equals(name, given, bad)
	if !f.IsTime() {
		return conds
	}
	for i, param := range Comparisons(name) {
		text, ok := given(param)
		if !ok {
			continue
		}
		if value, ok := f.read(param, text, bad); ok {
			conds = append(conds, compareTime(f.Column, comparisons[i].op, value.(int64)))
		}
	}
	return conds
}

// equals reads the filter for one of several values, or for one time.
func (f *Field) equals(name string, given func(param string) (string, bool), bad *fault.List) []query.Cond {
	text, ok := given(name)
	if !ok {
		return nil
	}
	texts := strings.Split(text, ",")
	switch {
	case len(texts) > maxAnyOf:
		bad.Add(fault.New(fault.InvalidParameter, "This takes at most %d values.", maxAnyOf).In(name))
		return nil
	case f.IsTime() && len(texts) > 1:
		bad.Add(fault.New(fault.InvalidParameter, "This takes one time; %s[gte] and %s[lt] make a range.", name, name).In(name))
		return nil
	}
	anyOf := query.Cond{Column: f.Column, Op: query.In}
	for _, text := range texts {
		if value, ok := f.read(name, text, bad); ok {
			anyOf.Values = append(anyOf.Values, value)
		}
	}
	if f.IsTime() && len(anyOf.Values) == 1 {
		from := anyOf.Values[0].(int64)
		return []query.Cond{{Column: f.Column, Op: query.Gte, Values: []any{from}}, {Column: f.Column, Op: query.Lt, Values: []any{from + span(from)}}}
	}
	return []query.Cond{anyOf}
}

func (f *Field) read(param, text string, bad *fault.List) (any, bool) {
	value, err := f.Parse(text)
	if err != nil {
		bad.Add(fault.As(err).In(param))
	}
	return value, err == nil
}

// span is how much time a stamp stands for: the whole second when it was given without a fraction,
// because that is how times are shown.
func span(micros int64) int64 {
	if stamp.FromMicros(micros).Nanosecond() == 0 {
		return time.Second.Microseconds()
	}
	return 1
}

// compareTime makes "after" mean after the whole second that was named, and "up to" include it.
func compareTime(column string, op query.Op, at int64) query.Cond {
	switch op {
	case query.Gt:
		op, at = query.Gte, at+span(at)
	case query.Lte:
		op, at = query.Lt, at+span(at)
	}
	return query.Cond{Column: column, Op: op, Values: []any{at}}
}
