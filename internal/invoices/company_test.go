package invoices_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"verbless/internal/apptest"
	"verbless/internal/config"
	"verbless/internal/db/dbtest"
	"verbless/internal/mail/mailtest"
)

const nowhere = "01890a5d-ac96-774b-bcce-b302099a8057"

// firm makes a company, with or without a contact, and gives its uuid.
func firm(t testing.TB, s *apptest.Server, contact string) string {
	t.Helper()
	return s.Want(t, 201, s.Admin, "POST /companies", `{"company":{"name":"Acme","contact_info":`+contact+`}}`).Text("company.uuid")
}

const ann = `{"name":"Ann","email":"ann@acme.example"}`

// owed makes an invoice of alice's that a company is to pay and that has no contact of its own, and moves it along.
func owed(t testing.TB, s *apptest.Server, company string, moves ...string) (path string) {
	t.Helper()
	path = "/invoices/" + s.Want(t, 201, s.Alice, "POST /invoices", fmt.Sprintf(`{"data":{"attributes":{"amount":12.5,"currency":"EUR","company":%q}}}`, company)).Text("data.id")
	for _, to := range moves {
		s.Want(t, 200, s.Alice, "PATCH "+path, to1(to))
	}
	return path
}

// TestCompanyOfAnInvoice goes in and out in one form, in every way of writing.
func TestCompanyOfAnInvoice(t *testing.T) {
	apptest.Each(t, func(t *testing.T, s *apptest.Server) {
		acme, beta := firm(t, s, ann), firm(t, s, "null")
		path := owed(t, s, acme)
		is := func(a apptest.Answer, want string) {
			t.Helper()
			if a.Text("data.attributes.company") != want || a.Text("data.relationships.company.data.id") != want {
				t.Errorf("want %q: %s", want, a.Body)
			}
		}
		read := s.Want(t, 200, s.Alice, "GET "+path, "")
		is(read, acme)
		s.Want(t, 200, s.Alice, "PUT "+path, string(read.Body))
		s.Want(t, 304, s.Alice, "GET "+path, "", "If-None-Match: "+read.Header.Get("ETag"))
		is(s.Want(t, 200, s.Alice, "PUT "+path, strings.Replace(string(read.Body), acme, beta, 1)), beta) // the attribute is what is written
		is(s.Want(t, 200, s.Alice, "PATCH "+path, `{"data":{"attributes":{"company":"`+acme+`"}}}`), acme)
		is(s.Want(t, 200, s.Alice, "PATCH "+path, `{"data":{"attributes":{"company":null}}}`, "Content-Type: application/merge-patch+json"), "")
		is(s.Want(t, 200, s.Alice, "PATCH "+path, `[{"op":"replace","path":"/data/attributes/company","value":"`+beta+`"}]`, "Content-Type: application/json-patch+json"), beta)
		is(s.Want(t, 200, s.Alice, "PUT "+path, `{"data":{"attributes":{"amount":12.5,"currency":"EUR"}}}`), "")
		for _, call := range []string{"POST /invoices", "PUT " + path, "PATCH " + path} {
			for value, want := range map[string]string{`"` + nowhere + `"`: "unknown_reference", `"x"`: "unknown_reference", "7": "wrong_type", `"` + strings.Repeat("x", 37) + `"`: "out_of_range"} {
				a := s.Want(t, 400, s.Alice, call, `{"data":{"attributes":{"amount":12.5,"currency":"EUR","company":`+value+`}}}`)
				if a.Text("errors.0.code") != want || a.Text("errors.0.pointer") != "/data/attributes/company" {
					t.Errorf("%s with %s: %s", call, value, a.Body)
				}
			}
		}
		if a := s.Want(t, 400, s.Alice, "POST /invoices", `{"data":{"attributes":{"amount":12.5,"currency":"JPY","company":"x"}}}`); a.Text("errors.1.pointer") == "" {
			t.Errorf("not all faults at once: %s", a.Body)
		}
		s.Want(t, 400, s.Alice, "PATCH "+path, `{"data":{"relationships":{"company":{"data":{"type":"company","id":"`+acme+`"}}}}}`)
		s.Want(t, 200, s.Alice, "PATCH "+path, `{"data":{"attributes":{"status":"published","company":"`+beta+`"}}}`)
		if a := s.Want(t, 400, s.Alice, "PATCH "+path, `{"data":{"attributes":{"company":"`+acme+`"}}}`); a.Text("errors.0.code") != "read_only" {
			t.Errorf("after publishing: %s", a.Body)
		}
		for query, want := range map[string]string{"company=" + beta: "1", "company=" + acme: "0", "company=" + acme + "," + beta: "1", "company=" + nowhere: "0"} {
			if a := s.Want(t, 200, s.Alice, "GET /invoices?"+query, "", "Prefer: count=exact"); fmt.Sprint(a.Get("meta.total")) != want {
				t.Errorf("%s: %s", query, a.Body)
			}
		}
	})
}

// TestIncludedCompany shows what a reader of companies would see, and more where fields asks for it.
func TestIncludedCompany(t *testing.T) {
	apptest.Each(t, func(t *testing.T, s *apptest.Server) {
		acme := firm(t, s, ann)
		path := owed(t, s, acme)
		owed(t, s, acme)
		for query, want := range map[string]string{
			"include=company": "company name,status",
			"include=company&fields=status,company.contact_info":                    "company contact_info",
			"include=company,owner&fields=company.name,company.uuid,owner.username": "company name;user username",
		} {
			for _, at := range []string{path, "/invoices"} {
				a := s.Want(t, 200, s.Alice, "GET "+at+"?"+query, "")
				var got []string
				for _, one := range a.Get("included").([]any) {
					members := one.(map[string]any)
					var names []string
					for _, name := range []string{"username", "name", "status", "contact_info", "locations", "enterprise", "website"} {
						if _, ok := members["attributes"].(map[string]any)[name]; ok {
							names = append(names, name)
						}
					}
					got = append(got, members["type"].(string)+" "+strings.Join(names, ","))
				}
				if slices.Sort(got); strings.Join(got, ";") != want {
					t.Errorf("%s?%s: got %v, want %s", at, query, got, want)
				}
				s.Want(t, 304, s.Alice, "GET "+at+"?"+query, "", "If-None-Match: "+a.Header.Get("ETag"))
			}
		}
		before := s.Want(t, 200, s.Alice, "GET "+path+"?include=company", "")
		s.Want(t, 200, s.Admin, "PATCH /companies/"+acme, `{"company":{"name":"Acme & Sons"}}`)
		after := s.Want(t, 200, s.Alice, "GET "+path+"?include=company", "", "If-None-Match: "+before.Header.Get("ETag"))
		if after.Text("included.0.attributes.name") != "Acme & Sons" {
			t.Errorf("%s", after.Body)
		}
		if a := s.Want(t, 400, s.Alice, "GET "+path+"?include=company&fields=company.locations", ""); a.Text("errors.0.parameter") != "fields" {
			t.Errorf("%s", a.Body)
		}
	}, func(c *config.Settings) { c.LocationsURL = "http://127.0.0.1:1/locations" }) // which nobody asks
}

// TestContactOfTheCompany counts for the guard, and gets the mails.
func TestContactOfTheCompany(t *testing.T) {
	mailed(t, func(t *testing.T, s *apptest.Server, server *mailtest.Server) {
		acme := firm(t, s, "null")
		path := owed(t, s, acme, "published")
		refused := s.Want(t, 409, s.Alice, "PATCH "+path, to1("sent"))
		asked := s.Want(t, 200, s.Alice, "GET "+path+"/status?to=sent", "")
		if refused.Text("reason") != "contact_info_missing" || asked.Text("data.attributes.moves.0.reason") != "contact_info_missing" {
			t.Errorf("%s\n%s", refused.Body, asked.Body)
		}
		s.Want(t, 200, s.Admin, "PATCH /companies/"+acme, `{"company":{"contact_info":`+ann+`}}`)
		asked = s.Want(t, 200, s.Alice, "GET "+path+"/status?to=sent", "", "If-None-Match: "+asked.Header.Get("ETag"))
		if asked.Get("data.attributes.moves.0.allowed") != true || !strings.Contains(string(asked.Body), `"allowed":["draft","sent","paid"]`) {
			t.Errorf("%s", asked.Body)
		}
		s.Want(t, 200, s.Alice, "PATCH "+path, to1("sent"))
		s.Want(t, 200, s.Admin, "PATCH /companies/"+acme, `{"company":{"contact_info":null}}`)
		s.Want(t, 200, s.Alice, "PATCH "+path, to1("failed"))
		s.Work(t)
		want := []string{"ann@acme.example: Invoice INV-000001 over 12.50 EUR", "ann@acme.example: Invoice INV-000001: payment failed", "alice@example.com: Invoice INV-000001: payment failed"}
		expectMails(t, server, want...)
		s.Want(t, 200, s.Admin, "PATCH /companies/"+acme, `{"company":{"contact_info":{"email":"new@acme.example"}}}`)
		own := s.Want(t, 201, s.Alice, "POST /invoices", `{"data":{"attributes":{"amount":1,"currency":"EUR","company":"`+acme+`","contact_info":{"email":"carol@example.com"}}}}`).Text("data.id")
		s.Want(t, 200, s.Alice, "PATCH /invoices/"+own, to1("published"))
		s.Want(t, 200, s.Alice, "PATCH /invoices/"+own, to1("sent"))
		s.Work(t)
		expectMails(t, server, append(want, "carol@example.com: Invoice INV-000002 over 1.00 EUR")...)
	})
}

// TestContactIsLostMeanwhile: an invoice is sent to somebody, or not at all.
func TestContactIsLostMeanwhile(t *testing.T) {
	apptest.Each(t, func(t *testing.T, s *apptest.Server) { lostMeanwhile(t, s, s) })
	t.Run("two nodes", func(t *testing.T) {
		t.Parallel()
		s := apptest.Start(t, dbtest.Postgres(t))
		lostMeanwhile(t, s, s.Beside(t))
	})
}

func lostMeanwhile(t *testing.T, s, node *apptest.Server) {
	seen := map[int]int{}
	for range 12 {
		acme := firm(t, s, ann)
		path := owed(t, s, acme, "published")
		counts := apptest.Parallel(3, func(i int) int {
			switch i {
			case 0:
				if a := node.Call(t, s.Admin, "PATCH /companies/"+acme, `{"company":{"contact_info":null}}`); a.Status != 200 {
					t.Errorf("%d %s", a.Status, a.Body)
				}
				return 0
			default:
				return s.Call(t, s.Alice, "PATCH "+path, to1("sent")).Status
			}
		})
		delete(counts, 0)
		maps.DeleteFunc(counts, func(status, n int) bool { seen[status] += n; return status == 200 || status == 409 })
		if len(counts) > 0 {
			t.Errorf("statuses: %v", counts)
		}
		sent := s.Want(t, 200, s.Alice, "GET "+path, "").Text("data.attributes.status") == "sent"
		notices := s.Count(t, `SELECT COUNT(*) FROM notices WHERE invoice_id = ?`, path[len("/invoices/"):])
		addressed := s.Count(t, `SELECT COUNT(*) FROM notices WHERE invoice_id = ? AND address = 'ann@acme.example'`, path[len("/invoices/"):])
		if sent && addressed != 1 || !sent && notices != 0 || notices != addressed {
			t.Errorf("sent: %t, notices: %d, with an address: %d", sent, notices, addressed)
		}
		if got := s.Call(t, s.Alice, "PATCH "+path, to1("sent")).Status; got != map[bool]int{true: 200, false: 409}[sent] {
			t.Errorf("afterwards: %d", got)
		}
	}
	t.Logf("statuses of moves: %v", seen)
}

// TestCompaniesWithInvoicesStay, whatever state those are in; and a company that goes while an invoice comes leaves nothing that
// points nowhere.
func TestCompaniesWithInvoicesStay(t *testing.T) {
	apptest.Each(t, func(t *testing.T, s *apptest.Server) {
		for _, moves := range [][]string{nil, {"published"}, {"published", "sent"}, {"published", "paid"}} {
			acme := firm(t, s, ann)
			path := owed(t, s, acme, moves...)
			if a := s.Want(t, 409, s.Admin, "DELETE /companies/"+acme, ""); a.Text("code") != "still_referenced" {
				t.Errorf("%s", a.Body)
			}
			if a := s.Want(t, 200, s.Alice, "GET "+path+"?include=company", ""); a.Text("included.0.id") != acme {
				t.Errorf("%s", a.Body)
			}
			if moves == nil {
				s.Want(t, 204, s.Alice, "DELETE "+path, "")
				s.Want(t, 204, s.Admin, "DELETE /companies/"+acme, "")
			}
		}
		for range 12 {
			acme := firm(t, s, ann)
			counts := apptest.Parallel(2, func(i int) int {
				if i == 0 {
					return s.Call(t, s.Admin, "DELETE /companies/"+acme, "").Status
				}
				return s.Call(t, s.Alice, "POST /invoices", `{"data":{"attributes":{"amount":1,"currency":"EUR","company":"`+acme+`"}}}`).Status
			})
			if !maps.Equal(counts, map[int]int{204: 1, 400: 1}) && !maps.Equal(counts, map[int]int{201: 1, 409: 1}) && !maps.Equal(counts, map[int]int{204: 1, 409: 1}) {
				t.Errorf("statuses: %v", counts)
			}
		}
		if n := s.Count(t, `SELECT COUNT(*) FROM invoices WHERE company_id IS NOT NULL AND company_id NOT IN (SELECT uuid FROM companies)`); n != 0 {
			t.Errorf("%d invoices point nowhere", n)
		}
	})
}
