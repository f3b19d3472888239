package describe

import (
	"slices"
	"strings"

	"verbless/internal/fault"
	"verbless/internal/pages"
	"verbless/internal/rest"
)

// pageHeaders keep a browser from doing more with a page than we meant.
var pageHeaders = []rest.Header{
	{Name: "Content-Security-Policy", Doc: "A page loads and calls nothing but this service."},
	{Name: "Referrer-Policy", Doc: "no-referrer: nobody is told from where a link was followed."},
}

// page answers with HTML.
func page(c *rest.Call, name string, data any) (*rest.Answer, error) {
	body, err := pages.Page(name, data)
	if err != nil {
		return nil, err
	}
	answer := static(c, htmlType+"; charset=utf-8", body)
	answer.Public = revalidated
	return answer.Set("Content-Security-Policy", pages.Policy(c.API().Elsewhere...)).Set("Referrer-Policy", "no-referrer"), nil
}

const serviceName = "verbless"

// revalidated is for what changes with the program: a page must never meet files of another version.
const revalidated = "public, no-cache"

func showDocs(c *rest.Call) (*rest.Answer, error) { return page(c, "docs", c.API().Elsewhere) }

func showFile(c *rest.Call) (*rest.Answer, error) {
	mediaType, body, ok := pages.File(c.Param("file"))
	if !ok {
		return nil, fault.NotFound()
	}
	answer := static(c, mediaType+"; charset=utf-8", body)
	answer.Public = revalidated
	return answer, nil
}

// front is what the service says when it is asked for nothing in particular.
type front struct {
	Name        string            `json:"name"`
	Version     string            `json:"version"`
	Description string            `json:"description"`
	Links       map[string]string `json:"links"`
	Collections []collection      `json:"collections"`
}

// places are what the links of the front page lead to, where it is served.
var places = map[string]string{"self": "/", "docs": "/docs", "description": "/openapi.json", "problems": "/problems", "health": "/healthz", "ready": "/readyz"}

// collection is one that can be listed; below one of another, its address is a template (RFC 6570).
type collection struct {
	Name      string `json:"name"`
	Doc       string `json:"description"`
	Href      string `json:"href,omitempty"`
	Template  string `json:"template,omitempty"`
	Path      string `json:"-"`
	Operation string `json:"-"`
}

// Paragraphs are those of the description, for a page.
func (f front) Paragraphs() []string { return strings.Split(f.Description, "\n\n") }

func showFront(c *rest.Call) (*rest.Answer, error) {
	a := c.API()
	f := front{Name: serviceName, Version: a.Version, Description: about, Links: map[string]string{}}
	for _, path := range a.Paths() {
		for name, pattern := range places {
			if path.Pattern == pattern {
				f.Links[name] = a.Base + pattern
			}
		}
		for _, op := range path.Operations {
			if !op.Lists() {
				continue
			}
			k := op.Kind()
			one := collection{Name: k.Name, Doc: k.Doc, Path: path.Pattern, Operation: op.ID}
			if strings.Contains(path.Pattern, "{") {
				one.Template = a.Base + path.Pattern
			} else {
				one.Href = a.Base + path.Pattern
			}
			f.Collections = append(f.Collections, one)
		}
	}
	slices.SortStableFunc(f.Collections, func(a, b collection) int { return strings.Compare(a.Path, b.Path) })
	if c.MediaType() == htmlType {
		return page(c, "front", f)
	}
	return static(c, jsonType, marshal(f)), nil
}

func frontSchema() map[string]any {
	text := map[string]any{"type": "string", "maxLength": maxAddress}
	link := map[string]any{"type": "string", "format": "uri", "maxLength": maxAddress}
	template := map[string]any{"type": "string", "format": "uri-template", "maxLength": maxAddress, "description": "The address of a collection below one of another (RFC 6570)."}
	object := func(doc string, required []string, properties map[string]any) map[string]any {
		return map[string]any{"type": "object", "description": doc, "required": required, "additionalProperties": false, "properties": properties}
	}
	addresses := map[string]any{}
	for name := range places {
		addresses[name] = link
	}
	return object("Where to find what.", []string{"name", "version", "description", "links", "collections"}, map[string]any{
		"name": text, "version": text, "description": text, "links": object("What the service says of itself.", []string{"self", "docs", "description", "problems"}, addresses),
		"collections": map[string]any{"type": "array", "maxItems": 1000, "items": object("A collection; href or template says where it is.", []string{"name", "description"},
			map[string]any{"name": text, "description": text, "href": link, "template": template})}})
}

// problem is a code on a page.
type problem struct {
	fault.Info
	Status, Class int // of HTTP: 404, 4
	Everywhere    bool
	Operations    []operation
}

// operation is one that may answer with a code.
type operation struct{ ID, Method, Path string }

func newProblem(info fault.Info) problem {
	status := rest.StatusOf(info.Code)
	return problem{Info: info, Status: status, Class: status / 100}
}

func listProblems(c *rest.Call) (*rest.Answer, error) {
	list, shown := make([]any, len(fault.Codes)), make([]problem, len(fault.Codes))
	for i, info := range fault.Codes {
		list[i], shown[i] = explain(c, info), newProblem(info)
	}
	if c.MediaType() == htmlType {
		return page(c, "problems", shown)
	}
	return static(c, jsonType, marshal(map[string]any{"problems": list})), nil
}

// many is how many operations a page still names.
const many = 25

func showProblem(c *rest.Call) (*rest.Answer, error) {
	info, ok := fault.Lookup(fault.Code(c.Param("problem")))
	if !ok {
		return nil, fault.NotFound()
	}
	if c.MediaType() != htmlType {
		return static(c, jsonType, marshal(explain(c, info))), nil
	}
	p := newProblem(info)
	for _, path := range c.API().Paths() {
		for _, op := range path.Operations {
			if slices.Contains(codes(path, op), info.Code) {
				p.Operations = append(p.Operations, operation{op.ID, op.Method, path.Pattern})
			}
		}
	}
	p.Everywhere = len(p.Operations) > many
	return page(c, "problem", p)
}
