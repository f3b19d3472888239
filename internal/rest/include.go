package rest

import (
	"context"
	"reflect"
	"strings"

	"verbless/internal/change"
	"verbless/internal/fault"
	"verbless/internal/field"
	"verbless/internal/jsondoc"
	"verbless/internal/query"
)

// MaxDepth is how far a dotted include may reach.
const MaxDepth = 3

// maxRelated bounds how many rows a relation to many shows for each row; the newest are shown.
const maxRelated = 100

// Relation ties a resource to another: rows of To whose column At equals this row's column Via, or the newest of them.
type Relation struct {
	Name string
	To   string // name of the other resource
	Via  string
	At   string
	Many bool
	Doc  string
}

// inclusion is one relation of a view, and the related rows once they are loaded.
type inclusion struct {
	relation *Relation
	view     *view
	rows     map[string][]reflect.Value
}

// include adds one dotted path to the view.
func (v *view) include(path []string, whole string, bad *fault.List) {
	if strings.Count(whole, ".") >= MaxDepth {
		bad.Add(fault.New(fault.InvalidParameter, "%q reaches too deep; %d levels are the limit.", whole, MaxDepth).In("include"))
		return
	}
	inc := v.included(path[0])
	if inc == nil {
		relation := v.c.relation(path[0])
		if relation == nil {
			bad.Add(fault.New(fault.InvalidParameter, "There is no relation %q here.", path[0]).In("include"))
			return
		}
		inc = &inclusion{relation: relation, view: innerView(v.c.api.collections[relation.To])}
		v.includes = append(v.includes, inc)
	}
	if len(path) > 1 {
		inc.view.include(path[1:], whole, bad)
	}
}

func (c *collection) relation(name string) *Relation {
	for i := range c.relations {
		if c.relations[i].Name == name {
			return &c.relations[i]
		}
	}
	return nil
}

// load reads the related rows of all rows: one query for each relation, whatever the number of rows.
func (v *view) load(ctx context.Context, by change.Actor, rows []reflect.Value) error {
	for _, inc := range v.includes {
		var keys []any
		seen := map[string]bool{}
		via := v.c.model.ByColumn(inc.relation.Via)
		for _, row := range rows {
			if !v.shows(inc.view.c, by, row) {
				continue
			}
			value := via.Of(row)
			if value.Kind() == reflect.Pointer {
				if value.IsNil() {
					continue
				}
				value = value.Elem()
			}
			if k := field.Text(value); !seen[k] {
				seen[k] = true
				keys = append(keys, value.Interface())
			}
		}
		if err := inc.fetch(ctx, by, keys); err != nil {
			return err
		}
	}
	return nil
}

// shows tells whether the caller may read what is related to the row, as far as that can be told beforehand.
func (v *view) shows(to *collection, by change.Actor, row reflect.Value) bool {
	if to.rights.Read != Owners || len(to.model.Owners) > 0 {
		return to.rights.Read == Owners || permits(to.rights.Read, by, false)
	}
	return v.c.seesPrivate(by, row) // it belongs to what it lies under
}

func (inc *inclusion) fetch(ctx context.Context, by change.Actor, keys []any) error {
	inc.rows = map[string][]reflect.Value{}
	to := inc.view.c
	if len(keys) == 0 {
		return nil
	}
	q := query.List{Where: []query.Cond{query.Any(inc.relation.At, keys...)}, Sort: to.sort.Column, Desc: true, Limit: len(keys)}
	switch {
	case inc.relation.Many:
		q.Per, q.Limit = inc.relation.At, maxRelated
	case inc.relation.At != to.model.Key.Column: // there may be several, and the newest is the one
		q.Per, q.Limit = inc.relation.At, 1
	}
	if q.Columns = inc.view.columns(); q.Columns != nil {
		q.Columns = append(q.Columns, inc.relation.At, q.Sort)
	}
	if to.rights.Read == Owners && len(to.model.Owners) > 0 && !by.IsAdmin() {
		q.Where = append(q.Where, query.Is(to.model.Owners[0].Column, by.ID))
	}
	rows, _, _, err := to.store.list(ctx, q)
	if err != nil {
		return err
	}
	at := to.model.ByColumn(inc.relation.At)
	for _, row := range rows {
		k, _ := field.LinkValue(at.Of(row)).(string)
		inc.rows[k] = append(inc.rows[k], row)
	}
	return inc.view.load(ctx, by, rows)
}

// write appends the related rows of one row, under the relation's name.
func (inc *inclusion) write(dst []byte, row reflect.Value, m *field.Model, by change.Actor) []byte {
	dst = append(jsondoc.AppendString(dst, inc.relation.Name), ':')
	related := inc.related(row, m)
	switch {
	case inc.relation.Many:
		dst = append(dst, '[')
		for i, r := range related {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = inc.view.write(dst, r, by)
		}
		dst = append(dst, ']')
	case len(related) > 0:
		dst = inc.view.write(dst, related[0], by)
	default:
		dst = append(dst, "null"...)
	}
	return append(dst, ',')
}
