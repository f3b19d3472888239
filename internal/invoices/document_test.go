package invoices_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"verbless/internal/apptest"
)

// TestAmountsAreExact from the literal to the store and back.
func TestAmountsAreExact(t *testing.T) {
	apptest.Each(t, func(t *testing.T, s *apptest.Server) {
		for _, good := range []struct {
			literal, currency, shown string
			minor                    int
		}{
			{"1e2", "EUR", "100.00", 10000}, {"0.01", "EUR", "0.01", 1}, {"0.1", "EUR", "0.10", 10}, {"999999999999", "EUR", "999999999999.00", 99999999999900},
			{"999999999998.99", "EUR", "999999999998.99", 99999999999899}, {"90071992547.41", "EUR", "90071992547.41", 9007199254741}, {"12", "JPY", "12", 12},
			{"0.001", "KWD", "0.001", 1}, {"999999999999", "CLF", "999999999999.0000", 9999999999990000}, {"1.10", "EUR", "1.10", 110},
		} {
			made := s.Want(t, 201, s.Alice, "POST /invoices", fmt.Sprintf(`{"data":{"attributes":{"amount":%s,"currency":%q}}}`, good.literal, good.currency))
			if !strings.Contains(string(made.Body), `"amount":`+good.shown+`,`) {
				t.Errorf("%s %s is shown as %s", good.literal, good.currency, made.Body)
			}
			id := made.Text("data.id")
			if minor := s.Count(t, `SELECT amount FROM invoices WHERE id = ?`, id); minor != good.minor {
				t.Errorf("%s %s is kept as %d", good.literal, good.currency, minor)
			}
			read := s.Want(t, 200, s.Alice, "GET /invoices/"+id, "")
			if !bytes.Equal(read.Body, made.Body) {
				t.Errorf("POST said %s, GET %s", made.Body, read.Body)
			}
			s.Want(t, 200, s.Alice, "PUT /invoices/"+id, string(read.Body))
			s.Want(t, 304, s.Alice, "GET /invoices/"+id, "", "If-None-Match: "+read.Header.Get("ETag"))
		}
		for _, bad := range []string{"0", "-1", "0.001", "1E400", "9007199254740993", "1e-7", `"10"`, "null", "true", "999999999999.01", "1e-400", "[1]"} {
			refused := s.Want(t, 400, s.Alice, "POST /invoices", `{"data":{"attributes":{"amount":`+bad+`,"currency":"EUR"}}}`)
			if refused.Text("errors.0.pointer") != "/data/attributes/amount" {
				t.Errorf("%s: %s", bad, refused.Body)
			}
		}
		for _, bad := range []string{"XXX", "EU", "eur", "EURO", ""} {
			s.Want(t, 400, s.Alice, "POST /invoices", `{"data":{"attributes":{"amount":1,"currency":"`+bad+`"}}}`)
		}
	})
}

// served loads schemas from the service itself.
type served struct {
	t *testing.T
	s *apptest.Server
}

func (l served) Load(address string) (any, error) {
	return jsonschema.UnmarshalJSON(bytes.NewReader(l.s.Want(l.t, 200, "", "GET "+address, "").Body))
}

// TestTheSchemaThatADocumentNames describes it: as a draft, while it can be paid, and with its owner. So do those of its children.
func TestTheSchemaThatADocumentNames(t *testing.T) {
	apptest.Each(t, func(t *testing.T, s *apptest.Server) {
		compiler := jsonschema.NewCompiler()
		compiler.UseLoader(served{t, s})
		compiler.AssertFormat()
		path, number := bill(t, s)
		check := func(call string) {
			t.Helper()
			answer := s.Want(t, 200, s.Alice, call, "")
			schema, err := compiler.Compile(answer.Text("schema"))
			if err != nil {
				t.Fatal(err)
			}
			doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(answer.Body))
			if err != nil {
				t.Fatal(err)
			}
			if err := schema.Validate(doc); err != nil {
				t.Errorf("%s: %v\n%s", call, err, answer.Body)
			}
			doc.(map[string]any)["data"].(map[string]any)["attributes"].(map[string]any)["colour"] = "red"
			if schema.Validate(doc) == nil {
				t.Errorf("%s: the schema allows anything", call)
			}
		}
		check("GET " + path)
		for _, state := range []string{"published", "draft", "published"} {
			number = s.Want(t, 200, s.Alice, "PATCH "+path, to1(state)).Text("data.attributes.number")
			check("GET " + path + "?include=owner")
		}
		attempt := s.Want(t, 201, s.Alice, "POST "+path+"/payment_attempts", payment(number, "tok_ok")).Text("data.id")
		check("GET " + path)
		check("GET " + path + "/payment_attempts/" + attempt)
		for _, child := range []string{"/transitions", "/notices"} {
			id := s.Want(t, 200, s.Alice, "GET "+path+child, "").Text("data.0.id")
			check("GET " + path + child + "/" + id)
		}
	})
}

// TestNothingOfItExistsForOthers: every address and method below an invoice is 404 to a stranger, whatever they send.
func TestNothingOfItExistsForOthers(t *testing.T) {
	apptest.Each(t, func(t *testing.T, s *apptest.Server) {
		path, number := bill(t, s, "published", "sent")
		tag := s.Want(t, 200, s.Alice, "GET "+path, "").Header.Get("ETag")
		notice := s.Want(t, 200, s.Alice, "GET "+path+"/notices", "").Text("data.0.id")
		move := s.Want(t, 200, s.Alice, "GET "+path+"/transitions", "").Text("data.0.id")
		for _, call := range []string{"GET ", "HEAD ", "OPTIONS ", "PUT ", "PATCH ", "DELETE ", "GET /status", "HEAD /status", "OPTIONS /status", "GET /status?to=paid",
			"GET /transitions", "OPTIONS /transitions", "GET /transitions/" + move, "GET /payment_attempts", "POST /payment_attempts", "OPTIONS /payment_attempts",
			"GET /notices", "OPTIONS /notices", "GET /notices/" + notice, "PATCH /notices/" + notice, "OPTIONS /notices/" + notice} {
			method, below, _ := strings.Cut(call, " ")
			body := map[string]string{"PUT": to1("paid"), "PATCH": to1("paid"), "POST": payment(number, "tok_ok")}[method]
			for _, header := range []string{"X-Nothing: 1", "If-Match: " + tag, `If-Match: "stale.tag"`, "If-None-Match: " + tag, "If-None-Match: *"} {
				a := s.Call(t, s.Bob, method+" "+path+below, body, header)
				b := s.Call(t, s.Bob, method+" /invoices/00000000-0000-7000-8000-000000000000"+below, body, header)
				if a.Status != 404 || b.Status != 404 || !same(a.Body, b.Body) {
					t.Errorf("%s with %s: %d %s, nothing is %d %s", call, header, a.Status, a.Body, b.Status, b.Body)
				}
			}
		}
		s.Want(t, 200, s.Admin, "PATCH "+path, to1("paid"), "If-Match: "+tag)
	})
}

// same compares two problems, but for the name of the request.
func same(a, b []byte) bool {
	var x, y map[string]any
	json.Unmarshal(a, &x)
	json.Unmarshal(b, &y)
	delete(x, "request_id")
	delete(y, "request_id")
	return fmt.Sprint(x) == fmt.Sprint(y)
}
