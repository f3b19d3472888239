package rest

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
)

const schemaType = "application/schema+json"

// describeItself mounts what the service says of itself: its description, its schemas, and a page for each problem.
func (a *API) describeItself() {
	object := map[string]any{"type": "object"}
	openapi := sync.OnceValue(func() []byte { return marshal(a.OpenAPI()) })
	public := func(path, id, summary string, offers []string, handle func(*Call) (*Answer, error)) {
		a.add(path, &Operation{Method: http.MethodGet, ID: id, Summary: summary, Handle: handle, Offers: offers,
			Answers: []Response{{Status: 200, Doc: summary, Type: offers[0], Schema: object}, {Status: 304, Doc: "Nothing has changed."}}}).public = true
	}
	public("/openapi.json", "getDescription", "Describe this API in OpenAPI 3.1", []string{jsonType}, func(c *Call) (*Answer, error) {
		return static(c, jsonType, openapi()), nil
	})
	public("/schemas/{schema}", "getSchema", "JSON Schema of a resource", []string{schemaType, jsonType}, func(c *Call) (*Answer, error) {
		name, ok := strings.CutSuffix(c.Param("schema"), ".json")
		schemas := a.components()["schemas"].(map[string]any)
		if schema, known := schemas[name]; ok && known {
			return static(c, c.mediaType, a.standalone(name, schema)), nil
		}
		return nil, fault.NotFound()
	})
	public("/problems", "listProblems", "All the problem codes", []string{jsonType}, func(c *Call) (*Answer, error) {
		list := make([]any, len(fault.Codes))
		for i, info := range fault.Codes {
			list[i] = a.explain(info)
		}
		return static(c, jsonType, marshal(map[string]any{"problems": list})), nil
	})
	public("/problems/{problem}", "getProblem", "What a problem code means", []string{jsonType, "text/html"}, func(c *Call) (*Answer, error) {
		info, ok := fault.Lookup(fault.Code(c.Param("problem")))
		if !ok {
			return nil, fault.NotFound()
		}
		if c.mediaType == "text/html" {
			var page strings.Builder
			if err := problemPage.Execute(&page, a.explain(info)); err != nil {
				return nil, err
			}
			return static(c, "text/html; charset=utf-8", []byte(page.String())), nil
		}
		return static(c, jsonType, marshal(a.explain(info))), nil
	})
}

func (a *API) explain(info fault.Info) map[string]any {
	return map[string]any{"type": a.Base + "/problems/" + string(info.Code), "code": info.Code, "status": StatusOf(info.Code), "title": info.Title, "help": info.Help}
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
func (a *API) standalone(name string, schema any) []byte {
	whole := map[string]any{"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": a.Base + "/schemas/" + name + ".json"}
	for key, value := range schema.(map[string]any) {
		whole[key] = value
	}
	text := strings.ReplaceAll(string(marshal(whole)), `"#/components/schemas/`, `"`+a.Base+`/schemas/`)
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
func static(c *Call, mediaType string, body []byte) *Answer {
	sum := sha256.Sum256(body)
	answer := &Answer{Status: http.StatusOK, Type: mediaType, Body: body, Public: "public, max-age=3600", ETag: `"` + base64.RawURLEncoding.EncodeToString(sum[:12]) + `"`}
	if header.Unchanged(c.Request.Header, answer.ETag) {
		answer.Status, answer.Body = http.StatusNotModified, nil
	}
	return answer
}
