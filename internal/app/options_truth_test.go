package app_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"verbless/internal/apptest"
)

// TestClosedMembers: what OPTIONS calls closed for one resource, although the schema of all of them does not, is refused.
func TestClosedMembers(t *testing.T) {
	apptest.Each(t, func(t *testing.T, s *apptest.Server) {
		at := situations(t, s)
		people := map[string]string{"alice": s.Alice, "bob": s.Bob}
		tried := map[string]int{}
		for _, test := range optionsTable {
			path := strings.Replace(test.path, "%s", at[test.of], 1)
			for who, token := range people {
				patch, ok := s.Call(t, token, "OPTIONS "+path, "").Get("methods.PATCH").(map[string]any)
				if !ok || patch["allowed"] != true {
					continue
				}
				for _, body := range closed(t, patch["schema"], generally(t, s, path), "%s") {
					tried[s.Routes.Pattern(path)]++
					if a := s.Call(t, token, "PATCH "+path, body); a.Status < 400 || a.Status >= 500 {
						t.Errorf("%s, PATCH %s of a %s with %s: %d", who, test.path, test.of, body, a.Status)
					}
				}
			}
		}
		for _, pattern := range []string{"/articles/trashed/{trashed_article}", "/articles/{article}/revisions/{revision}", "/invoices/{invoice}", "/invoices/{invoice}/notices/{notice}", "/users/{user}", "/users/{user}/messages/{message}"} {
			if tried[pattern] == 0 {
				t.Errorf("nothing was closed in %s", pattern)
			}
		}
	})
}

// generally is the schema of a PATCH, whatever the resource is now.
func generally(t *testing.T, s *apptest.Server, path string) map[string]any {
	t.Helper()
	body := s.Routes.Paths[s.Routes.Pattern(path)]["patch"].(map[string]any)["requestBody"].(map[string]any)
	schema := body["content"].(map[string]any)["application/json"].(map[string]any)["schema"].(map[string]any)
	name, _ := find(schema, "$ref").(string)
	var whole map[string]any
	if err := json.Unmarshal(s.Want(t, 200, "", "GET /schemas/"+name[strings.LastIndex(name, "/")+1:]+".json", "").Body, &whole); err != nil {
		t.Fatal(err)
	}
	return whole
}

// find is a member of the name, however deep; nil when there is none.
func find(v map[string]any, name string) any {
	if found, ok := v[name]; ok {
		return found
	}
	for _, inner := range v {
		if inner, ok := inner.(map[string]any); ok {
			if found := find(inner, name); found != nil {
				return found
			}
		}
	}
	return nil
}

// closed are bodies that set what is open in general, and not now.
func closed(t *testing.T, now any, always map[string]any, frame string) (bodies []string) {
	t.Helper()
	members, _ := now.(map[string]any)["properties"].(map[string]any)
	general, _ := always["properties"].(map[string]any)
	for _, inside := range []string{"data", "attributes", "company"} {
		if inner, ok := members[inside].(map[string]any); ok && inner["properties"] != nil {
			if deeper, ok := general[inside].(map[string]any); ok {
				always = deeper
			}
			return closed(t, inner, always, fmt.Sprintf(frame, `{"`+inside+`":%s}`))
		}
	}
	for name, member := range members {
		schema, open := member.(map[string]any), general[name].(map[string]any)
		if schema["readOnly"] == true && open["readOnly"] != true && name != "status" {
			bodies = append(bodies, fmt.Sprintf(frame, `{"`+name+`":`+another(name, schema)+`}`))
		}
		allowed, _ := schema["enum"].([]any)
		values, _ := open["enum"].([]any)
		for _, value := range values {
			if allowed != nil && !slices.Contains(allowed, value) {
				bodies = append(bodies, fmt.Sprintf(frame, fmt.Sprintf(`{%q:%q}`, name, value)))
			}
		}
	}
	return bodies
}

// another is a value of the type that no situation has where the member is closed.
func another(name string, schema map[string]any) string {
	text := fmt.Sprint(schema["type"])
	switch {
	case name == "role":
		return `"admin"`
	case name == "is_read":
		return `true`
	case schema["format"] == "date":
		return `"2099-01-01"`
	case schema["pattern"] == "^[A-Z]{3}$":
		return `"CHF"`
	case strings.Contains(text, "string"):
		return `"another"`
	case strings.Contains(text, "boolean"):
		return `false`
	case strings.Contains(text, "number"):
		return `77`
	case strings.Contains(text, "array"):
		return `[{"description":"another","amount":1}]`
	}
	return `{"email":"another@example.com"}`
}
