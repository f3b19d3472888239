package describe

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
	"sync"

	"verbless/internal/fault"
	"verbless/internal/header"
	"verbless/internal/pages"
	"verbless/internal/rest"
)

const (
	schemaType = "application/schema+json"
	htmlType   = "text/html"
	maxName    = 100
)

// New is an API that describes itself: beside the resources it serves its description, its schemas, and pages for people.
func New(o rest.Options, resources ...rest.Resource) *rest.API {
	o.Describe = Options
	return rest.New(o, append(resources, itself()...)...)
}

// itself is what the service says of itself. The API is known only once it answers.
func itself() []rest.Resource {
	var once sync.Once
	var openapi []byte
	schemas := map[string][]byte{}
	prepared := func(c *rest.Call) {
		once.Do(func() {
			openapi = marshal(OpenAPI(c.API()))
			d := newDescription(c.API())
			for name, schema := range bounded(d.schemas()).(map[string]any) {
				schemas[name+".json"] = d.standalone(name, schema)
			}
		})
	}
	object := map[string]any{"type": "object"}
	return []rest.Resource{
		public("/openapi.json", "getDescription", "Describe this API in OpenAPI 3.1", object, []string{jsonType}, func(c *rest.Call) (*rest.Answer, error) {
			prepared(c)
			return static(c, jsonType, openapi), nil
		}),
		public("/schemas/{schema}", "getSchema", "JSON Schema of a resource", object, []string{schemaType, jsonType}, func(c *rest.Call) (*rest.Answer, error) {
			prepared(c)
			if schema := schemas[c.Param("schema")]; schema != nil {
				return static(c, c.MediaType(), schema), nil
			}
			return nil, fault.NotFound()
		}, rest.Param{Name: "schema", Doc: "The name of a schema, with .json at its end: article.json.", Schema: map[string]any{"type": "string", "maxLength": maxName}}),
		public("/problems", "listProblems", "All the problem codes", problemsSchema(), []string{jsonType, htmlType}, listProblems),
		public("/problems/{problem}", "getProblem", "What a problem code means", explanationSchema(), []string{jsonType, htmlType}, showProblem,
			rest.Param{Name: "problem", Doc: "A problem code.", Schema: map[string]any{"type": "string", "maxLength": maxName}}),
		public("/", "getFront", "Where to find what", frontSchema(), []string{jsonType, htmlType}, showFront),
		public("/docs", "getDocs", "Try the API in a browser", nil, []string{htmlType}, showDocs),
		public("/docs/{file}", "getDocsFile", "A file of the pages", nil, pages.Types(), showFile,
			rest.Param{Name: "file", Doc: "Its name.", Schema: map[string]any{"type": "string", "maxLength": maxName}}),
	}
}

// public is a path that anybody may read. What is not JSON no schema describes.
func public(path, id, summary string, schema any, offers []string, handle func(*rest.Call) (*rest.Answer, error), parts ...rest.Param) rest.Resource {
	var answers []rest.Response
	for _, mediaType := range offers {
		answer := rest.Response{Status: http.StatusOK, Doc: summary + ".", Type: mediaType, Schema: schema}
		if mediaType == htmlType {
			answer.Schema, answer.Headers = nil, pageHeaders
		}
		answers = append(answers, answer)
	}
	return rest.Route{Path: path, Public: true, Parts: parts, Operations: []*rest.Operation{{Method: http.MethodGet, ID: id, Summary: summary, Handle: handle, Offers: offers,
		Answers: append(answers, rest.Response{Status: http.StatusNotModified, Doc: "Nothing has changed.", Headers: answers[len(answers)-1].Headers})}}}
}

func explanationSchema() map[string]any {
	text := map[string]any{"type": "string", "maxLength": maxAddress}
	names := []string{"type", "code", "status", "title", "help"}
	return map[string]any{"type": "object", "description": "What a problem code means.", "required": names, "additionalProperties": false, "properties": map[string]any{
		"type": map[string]any{"type": "string", "format": "uri", "maxLength": maxAddress}, "code": text, "title": text, "help": text,
		"status": map[string]any{"type": "integer", "format": "int32", "minimum": 400, "maximum": 599}}}
}

func problemsSchema() map[string]any {
	return map[string]any{"type": "object", "required": []string{"problems"}, "additionalProperties": false, "properties": map[string]any{
		"problems": map[string]any{"type": "array", "maxItems": 1000, "items": explanationSchema()}}}
}

func explain(c *rest.Call, info fault.Info) map[string]any {
	return map[string]any{"type": c.API().Base + "/problems/" + string(info.Code), "code": info.Code, "status": rest.StatusOf(info.Code), "title": info.Title, "help": info.Help}
}

var refEnd = regexp.MustCompile(`("\$ref":"[^"]+)"`)

// standalone makes a schema of its own address, whose references lead to the others.
func (d *description) standalone(name string, schema any) []byte {
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
