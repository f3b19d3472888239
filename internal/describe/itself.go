package describe

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"html/template"
	"net/http"
	"regexp"
	"strings"
	"sync"

	"verbless/internal/fault"
	"verbless/internal/header"
	"verbless/internal/rest"
)

const schemaType = "application/schema+json"

// New is an API that describes itself: beside the resources it serves its description, its schemas, and a page for each problem.
func New(o rest.Options, resources ...rest.Resource) *rest.API {
	o.Describe = Options
	return rest.New(o, append(resources, itself()...)...)
}

// itself is what the service says of itself. The API is known only once it answers.
func itself() (resources []rest.Resource) {
	object := map[string]any{"type": "object"}
	var once sync.Once
	var openapi []byte
	public := func(path, id, summary string, offers []string, handle func(*rest.Call) (*rest.Answer, error)) {
		resources = append(resources, rest.Route{Path: path, Public: true, Operations: []*rest.Operation{{Method: http.MethodGet, ID: id, Summary: summary, Handle: handle, Offers: offers,
			Answers: []rest.Response{{Status: 200, Doc: summary, Type: offers[0], Schema: object}, {Status: 304, Doc: "Nothing has changed."}}}}})
	}
	public("/openapi.json", "getDescription", "Describe this API in OpenAPI 3.1", []string{jsonType}, func(c *rest.Call) (*rest.Answer, error) {
		once.Do(func() { openapi = marshal(OpenAPI(c.API())) })
		return static(c, jsonType, openapi), nil
	})
	public("/schemas/{schema}", "getSchema", "JSON Schema of a resource", []string{schemaType, jsonType}, func(c *rest.Call) (*rest.Answer, error) {
		name, ok := strings.CutSuffix(c.Param("schema"), ".json")
		d := description{c.API()}
		schemas := d.components()["schemas"].(map[string]any)
		if schema, known := schemas[name]; ok && known {
			return static(c, c.MediaType(), d.standalone(name, schema)), nil
		}
		return nil, fault.NotFound()
	})
	public("/problems", "listProblems", "All the problem codes", []string{jsonType}, func(c *rest.Call) (*rest.Answer, error) {
		list := make([]any, len(fault.Codes))
		for i, info := range fault.Codes {
			list[i] = explain(c, info)
		}
		return static(c, jsonType, marshal(map[string]any{"problems": list})), nil
	})
	public("/problems/{problem}", "getProblem", "What a problem code means", []string{jsonType, "text/html"}, func(c *rest.Call) (*rest.Answer, error) {
		info, ok := fault.Lookup(fault.Code(c.Param("problem")))
		if !ok {
			return nil, fault.NotFound()
		}
		if c.MediaType() == "text/html" {
			var page strings.Builder
			if err := problemPage.Execute(&page, explain(c, info)); err != nil {
				return nil, err
			}
			return static(c, "text/html; charset=utf-8", []byte(page.String())), nil
		}
		return static(c, jsonType, marshal(explain(c, info))), nil
	})
	return resources
}

func explain(c *rest.Call, info fault.Info) map[string]any {
	return map[string]any{"type": c.API().Base + "/problems/" + string(info.Code), "code": info.Code, "status": rest.StatusOf(info.Code), "title": info.Title, "help": info.Help}
}

var problemPage = template.Must(template.New("problem").Parse(`<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>{{.code}}</title>
<style>body{font:16px/1.5 system-ui,sans-serif;max-width:40rem;margin:3rem auto;padding:0 1rem}code{background:#eee;padding:.1em .3em}</style>
<h1>{{.title}}</h1><p><code>{{.status}}</code> <code>{{.code}}</code></p><p>{{.help}}</p>
</html>
`))

var refEnd = regexp.MustCompile(`("\$ref":"[^"]+)"`)

// standalone makes a schema of its own address, whose references lead to the others.
func (d description) standalone(name string, schema any) []byte {
	whole := map[string]any{"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": d.api.Base + "/schemas/" + name + ".json"}
	for key, value := range schema.(map[string]any) {
		whole[key] = value
	}
	text := strings.ReplaceAll(string(marshal(whole)), `"#/components/schemas/`, `"`+d.api.Base+`/schemas/`)
	return []byte(refEnd.ReplaceAllString(text, `$1.json"`))
}

func marshal(v any) []byte {
	body, err := json.Marshal(v)
	if err != nil {
		panic(err) // only our own plain values come here
	}
	return append(body, '\n')
}

// static answers with bytes that anybody may keep for a while.
func static(c *rest.Call, mediaType string, body []byte) *rest.Answer {
	sum := sha256.Sum256(body)
	answer := &rest.Answer{Status: http.StatusOK, Type: mediaType, Body: body, Public: "public, max-age=3600", ETag: `"` + base64.RawURLEncoding.EncodeToString(sum[:12]) + `"`}
	if header.Unchanged(c.Request.Header, answer.ETag) {
		answer.Status, answer.Body = http.StatusNotModified, nil
	}
	return answer
}
