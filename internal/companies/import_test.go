package companies_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"verbless/internal/apptest"
	"verbless/internal/companies"
)

var options = companies.Options{EnterpriseSize: 500}

const known = "01890a5d-ac96-774b-bcce-b302099a8057"

// load imports a text, and gives what was said of bad rows.
func load(s *apptest.Server, text string) (companies.Result, string, error) {
	var said strings.Builder
	m := companies.Import{Options: options, Bad: func(line int, why string) { fmt.Fprintf(&said, "%d %s\n", line, why) }}
	done, err := m.Run(context.Background(), s.App.DB, strings.NewReader(text))
	return done, said.String(), err
}

func TestImport(t *testing.T) {
	files := map[string]string{
		"array": `[
			{"uuid": "` + known + `", "name": "Acme", "employee_count": 600, "contact_info": {"email": "ann@acme.example"}, "metadata": {"a<": 1}},
			{"name": "Beta", "status": "prospect", "locations": [{"name": "Hut"}]}
		]`,
		"lines": `{"uuid":"` + known + `","name":"Acme","employee_count":600,"contact_info":{"email":"ann@acme.example"},"metadata":{"a<":1}}

{"name":"Beta","status":"prospect","locations":[{"name":"Hut"}],"enterprise":true,"created_at":"whenever"}`,
		"csv": "\ufeffuuid,name,status,employee_count,contact_email,locations,metadata\r\n" +
			known + ",Acme,,600,ann@acme.example,,\"{\"\"a<\"\":1}\"\r\n" + ",Beta,prospect,,,\"[{\"\"name\"\":\"\"Hut\"\"}]\",\r\n",
	}
	for name, text := range files {
		t.Run(name, func(t *testing.T) {
			apptest.Each(t, func(t *testing.T, s *apptest.Server) {
				done, said, err := load(s, text)
				if err != nil || done != (companies.Result{Read: 2, Written: 2}) {
					t.Fatalf("%+v %v %s", done, err, said)
				}
				acme := s.Want(t, 200, s.Alice, "GET /companies/"+known+"?partials=full", "")
				if acme.Text("company.contact_info.email") != "ann@acme.example" || acme.Get("company.enterprise") != true || !bytes.Contains(acme.Body, []byte(`"metadata":{"a<":1}`)) {
					t.Errorf("%s", acme.Body)
				}
				if beta := s.Want(t, 200, s.Alice, "GET /companies?name=Beta&status=prospect&partials=locations", ""); beta.Text("companies.0.locations.0.name") != "Hut" {
					t.Errorf("%s", beta.Body)
				}
				// The same once more changes nothing; another name changes one, and its version.
				same := `{"uuid":"` + known + `","name":"%s","employee_count":600,"contact_info":{"email":"ann@acme.example"},"metadata":{"a<":1}}`
				if done, _, err := load(s, fmt.Sprintf(same, "Acme")); err != nil || done.Written != 0 {
					t.Errorf("again: %+v %v", done, err)
				}
				s.Want(t, 304, s.Alice, "GET /companies/"+known+"?partials=full", "", "If-None-Match: "+acme.Header.Get("ETag"))
				if done, _, err := load(s, fmt.Sprintf(same, "Acme & Sons")); err != nil || done.Written != 1 {
					t.Errorf("changed: %+v %v", done, err)
				}
				if now := s.Want(t, 200, s.Alice, "GET /companies/"+known+"?partials=full", "", "If-None-Match: "+acme.Header.Get("ETag")); now.Text("company.name") != "Acme & Sons" ||
					now.Text("company.created_at") != acme.Text("company.created_at") {
					t.Errorf("%s", now.Body)
				}
			})
		})
	}
}

func TestImportOfBadFiles(t *testing.T) {
	tests := []struct{ name, text, said, err string }{
		{"rows", `{"name":"Good"}
{"name":""}
{"nam":"x","website":"y"}
nothing
{"uuid":"x","name":"A"}
{"uuid":"` + known + `","name":"A"}
{"uuid":"` + known + `","name":"B"}
["name"]`, "2 /name: |3 /nam: |3 /name: |3 /website: |4 |5 /uuid: |7 /uuid: An earlier row|8 This must be an object", "6 of 8 rows are bad; nothing was imported"},
		{"array", "[{\"name\":\"Good\"},\n\n{\"name\":7}, {\"name\":\"A\",\n\"name\":\"B\"}]", "3 /name: |3 ", "2 of 3 rows are bad; nothing was imported"},
		{"broken array", "[{\"name\":\"Good\"},\n{\"name\"", "", "line 2: the JSON cannot be read further"},
		{"after the array", "[{\"name\":\"Good\"}]\n1", "", "line 2: something follows the array"},
		{"unknown column", "name,fax\nA,1\n", "", `line 1: there is no column "fax"`},
		{"twice", "name,name\nA,B\n", "", "line 1: the column"},
		{"cells", "name,employee_count,metadata\nA,many,\nB\nC,3,{\n\"D\nE\",-1,\n", "2 /employee_count: |3 the row has 1 cells|4 metadata is not JSON|5 /employee_count: ", "4 of 4 rows are bad"},
		{"quotes", "name\n\"A\n", "", "line 2: "},
	}
	apptest.Each(t, func(t *testing.T, s *apptest.Server) {
		for _, test := range tests {
			done, said, err := load(s, test.text)
			if err == nil || !strings.Contains(err.Error(), test.err) || done.Written != 0 {
				t.Errorf("%s: %+v %v", test.name, done, err)
			}
			lines := strings.Split(strings.TrimSuffix(said, "\n"), "\n")
			for i, want := range strings.Split(test.said, "|") {
				if i >= len(lines) || !strings.HasPrefix(lines[i], want) {
					t.Errorf("%s: said %q, want %q", test.name, lines, want)
				}
			}
		}
		if page := s.Want(t, 200, s.Alice, "GET /companies", "", "Prefer: count=exact"); page.Get("meta.total") != 0.0 {
			t.Errorf("something was imported: %s", page.Body)
		}
		if done, _, err := load(s, " \n"); err != nil || done.Read != 0 {
			t.Errorf("empty: %+v %v", done, err)
		}
	})
}

func TestExportIsWhatImportTakes(t *testing.T) {
	apptest.Each(t, func(t *testing.T, s *apptest.Server) {
		var many strings.Builder
		for i := range 1300 {
			fmt.Fprintf(&many, "{\"name\":\"Company %d\",\"employee_count\":%d}\n", i, i)
		}
		if done, said, err := load(s, many.String()); err != nil || done.Written != 1300 {
			t.Fatalf("%+v %v %s", done, err, said)
		}
		var first, second bytes.Buffer
		if err := companies.Export(context.Background(), s.App.DB, options, &first); err != nil || strings.Count(first.String(), "\n") != 1300 {
			t.Fatalf("%d lines, %v", strings.Count(first.String(), "\n"), err)
		}
		if done, said, err := load(s, first.String()); err != nil || done != (companies.Result{Read: 1300}) {
			t.Errorf("%+v %v %s", done, err, said)
		}
		if err := companies.Export(context.Background(), s.App.DB, options, &second); err != nil || first.String() != second.String() {
			t.Errorf("the second export differs: %v", err)
		}
	})
}
