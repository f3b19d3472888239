// Package describe says what an API serves, drawn from the declarations that serve it: the OpenAPI document, a JSON
// Schema for each resource, a page for each problem code, and what OPTIONS tells.
//
// It reads what package rest declares and decides nothing: what is described is enforced there.
package describe

import (
	"net/http"
	"regexp"
	"slices"
	"strings"

	"verbless/internal/change"
	"verbless/internal/field"
	"verbless/internal/rest"
)

const (
	jsonType      = "application/json"
	jsonPatchType = "application/json-patch+json"
)

const about = `Uploads, articles with revisions, messages, invoices and a company directory.

A path holds no verbs: the method is the action. GET implies HEAD, and every path answers OPTIONS with what the caller
may do there now. What a GET returned can be sent back in a PUT. Lists are read page by page along links.next. Every
problem has a code from a closed list, and a page under /problems.`

// description is an API being described. Parts that occur more than once are kept by their names.
type description struct {
	api      *rest.API
	examples *examples
	now      change.Now // of the one resource that is described, if it is one
	kept     struct{ responses, headers, parameters, examples map[string]any }
}

func newDescription(a *rest.API) *description {
	d := &description{api: a, examples: examplesFor(a.Base)}
	d.kept.responses, d.kept.headers, d.kept.parameters, d.kept.examples = map[string]any{}, map[string]any{}, map[string]any{}, map[string]any{}
	return d
}

// OpenAPI describes everything that is served, drawn from the declarations that serve it.
func OpenAPI(a *rest.API) map[string]any {
	d := newDescription(a)
	paths := map[string]any{}
	served := a.Paths()
	slices.SortFunc(served, func(a, b rest.Path) int { return strings.Compare(a.Pattern, b.Pattern) })
	for _, path := range served {
		paths[path.Pattern] = d.path(path)
	}
	return bounded(map[string]any{
		"openapi": "3.1.0",
		"info": map[string]any{"title": "verbless", "version": a.Version, "description": about,
			"license": map[string]any{"name": "Apache-2.0", "identifier": "Apache-2.0"}, "contact": map[string]any{"name": "Whoever runs this service", "url": a.Base}},
		"servers":    []any{map[string]any{"url": a.Base, "description": "This service, in production or wherever else it runs.", "x-internal": false}},
		"security":   []any{map[string]any{"bearer": []any{}}},
		"tags":       d.tags(),
		"paths":      paths,
		"components": d.components(),
	}).(map[string]any)
}

// serviceTag groups what is about the service itself.
const serviceTag = "service"

func (d *description) tags() []any {
	tags := []any{map[string]any{"name": serviceTag, "description": "What the service says of itself, and files that it serves."}}
	for _, k := range d.api.Kinds() {
		doc := k.Doc
		if doc == "" {
			doc = "All about " + k.Name + "."
		}
		tags = append(tags, map[string]any{"name": k.Name, "description": doc})
	}
	return tags
}

var inBraces = regexp.MustCompile(`\{(\w+)\}`)

// path describes what one path answers to; HEAD follows from GET, and every path has OPTIONS.
func (d *description) path(path rest.Path) map[string]any {
	item := map[string]any{"options": d.options(path)}
	var params []any
	for _, match := range inBraces.FindAllStringSubmatch(path.Pattern, -1) {
		p := rest.Param{Name: match[1], Doc: "Which one.", Schema: map[string]any{"type": "string", "minLength": 1, "maxLength": maxAddress}}
		if i := slices.IndexFunc(path.Parts, func(p rest.Param) bool { return p.Name == match[1] }); i >= 0 {
			p = path.Parts[i]
		}
		params = append(params, map[string]any{"name": p.Name, "in": "path", "required": true, "description": p.Doc, "schema": p.Schema})
	}
	if len(params) > 0 {
		item["parameters"] = params
	}
	for _, op := range path.Operations {
		item[strings.ToLower(op.Method)] = d.operation(path, op)
		if op.Method == http.MethodGet {
			item["head"] = d.head(path, op)
		}
	}
	return item
}

func (d *description) components() map[string]any {
	return map[string]any{
		"schemas":         d.schemas(),
		"responses":       d.kept.responses,
		"headers":         d.kept.headers,
		"parameters":      d.kept.parameters,
		"examples":        d.kept.examples,
		"securitySchemes": map[string]any{"bearer": map[string]any{"type": "http", "scheme": "bearer", "bearerFormat": "opaque (RFC 6750)", "description": "A token issued by this service (RFC 6750)."}},
	}
}

// schemas are those of every resource, and of what is around them. A body is described only where one is taken.
func (d *description) schemas() map[string]any {
	link := map[string]any{"type": "string", "format": "uri", "maxLength": maxAddress}
	schemas := map[string]any{
		"problem":          problemSchema(),
		"path_description": pathSchema(),
		"page_links":       map[string]any{"type": "object", "description": "Where this page and its neighbours are.", "required": []string{"self"}, "additionalProperties": false, "properties": map[string]any{"self": link, "next": link, "prev": link}},
		"page_meta": map[string]any{"type": "object", "description": "What there is to say beside the data.", "additionalProperties": false,
			"properties": map[string]any{"total": map[string]any{"type": "integer", "format": "int64", "minimum": 0, "maximum": maxInt, "description": "How many there are in all; with Prefer: count=exact."}, "warnings": warningsSchema()}},
	}
	for _, k := range d.api.Kinds() { // also one that is not served here, because others lead to it
		if k.Shape.Kind == "" {
			schemas[k.One] = d.resource(k, field.Answer)
		}
	}
	for _, path := range d.api.Paths() {
		for _, op := range path.Operations {
			k := op.Kind()
			if k == nil {
				continue
			}
			schema := d.resource
			if k.Shape.Kind != "" {
				schema = d.document
				if op.Lists() {
					schemas[k.One+"_data"] = d.data(k, field.Answer)
				}
				if len(k.Relations) > 0 {
					schemas[k.One+"_included"] = d.included(k)
				}
			}
			schemas[k.One] = schema(k, field.Answer)
			switch op.Method {
			case http.MethodPost, http.MethodPut:
				schemas[k.One+"_body"] = schema(k, field.Body)
			case http.MethodPatch:
				schemas[k.One+"_change"] = schema(k, field.Patch)
			}
		}
	}
	return schemas
}
