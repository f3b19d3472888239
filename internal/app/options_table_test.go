package app_test

import (
	"bytes"
	"image"
	"image/png"
	"testing"

	"verbless/internal/apptest"
)

// optionsTable is what each may do. A line says a path, which of the situations stands in it, and for each caller the methods: with
// the code after "!" where it would be refused, with the members that PATCH may set, and after ">" what they may become.
var optionsTable = []struct {
	path, of                  string
	admin, alice, bob, nobody string
}{
	{"/articles", "", "GET POST", "GET POST", "GET POST", "401"},
	{"/articles/%s", "published", "DELETE GET PATCH(body,metadata,slug,status,tags,title) PUT status>archived", "DELETE GET PATCH(body,metadata,slug,status,tags,title) PUT status>archived", "DELETE!forbidden GET PATCH!forbidden PUT!forbidden", "401"},
	{"/articles/%s", "archived", "DELETE GET PATCH(body,metadata,slug,status,tags,title) PUT status>published", "DELETE GET PATCH(body,metadata,slug,status,tags,title) PUT status>published", "DELETE!forbidden GET PATCH!forbidden PUT!forbidden", "401"},
	{"/articles/%s", "trashed", "410", "410", "410", "401"},
	{"/articles/trashed", "", "GET", "GET", "GET", "401"},
	{"/articles/trashed/%s", "trashed", "DELETE GET PATCH(status) status>published", "DELETE GET PATCH(status) status>published", "404", "401"},
	{"/articles/%s/revisions", "published", "GET POST", "GET POST", "GET POST!forbidden", "401"},
	{"/articles/%s/revisions/1", "published", "DELETE!revision_is_current GET PATCH()", "DELETE!revision_is_current GET PATCH()", "DELETE!forbidden GET PATCH!forbidden", "401"},
	{"/articles/%s/revisions/2", "published", "DELETE GET PATCH(is_current)", "DELETE GET PATCH(is_current)", "DELETE!forbidden GET PATCH!forbidden", "401"},
	{"/users", "", "GET POST", "GET!forbidden POST!forbidden", "GET!forbidden POST!forbidden", "401"},
	{"/users/alice", "", "DELETE GET PATCH(email,metadata,name,role,username) PUT", "DELETE!forbidden GET PATCH(email,metadata,name,username) PUT", "DELETE!forbidden GET PATCH!forbidden PUT!forbidden", "401"},
	{"/users/alice/tokens", "", "GET POST", "GET POST", "404", "401"},
	{"/users/alice/tokens/%s", "token", "DELETE GET", "DELETE GET", "404", "401"},
	{"/users/bob/messages", "", "GET POST", "GET!not_found POST", "GET POST", "401"},
	{"/users/bob/messages/%s", "message", "DELETE GET PATCH(is_read,message,metadata) PUT", "DELETE GET PATCH(message,metadata) PUT", "DELETE GET PATCH(is_read) PUT", "401"},
	{"/messages", "", "GET POST", "GET POST", "GET POST", "401"},
	{"/avatars", "", "GET POST", "GET POST", "GET POST", "401"},
	{"/avatars/%s", "avatar", "DELETE GET", "DELETE GET", "DELETE!forbidden GET", "401"},
	{"/media/x.png", "", "GET", "GET", "GET", "GET"},
	{"/invoices", "", "GET POST", "GET POST", "GET POST", "401"},
	{"/invoices/%s", "draft", "DELETE GET PATCH(amount,company,contact_info,currency,description,due_on,line_items,metadata,status) PUT status>published", "DELETE GET PATCH(amount,company,contact_info,currency,description,due_on,line_items,metadata,status) PUT status>published", "404", "401"},
	{"/invoices/%s", "reopened", "DELETE!invoice_kept GET PATCH(amount,company,contact_info,currency,description,due_on,line_items,metadata,status) PUT status>published", "DELETE!invoice_kept GET PATCH(amount,company,contact_info,currency,description,due_on,line_items,metadata,status) PUT status>published", "404", "401"},
	{"/invoices/%s", "open", "DELETE!invoice_kept GET PATCH(contact_info,metadata,status) PUT status>draft,paid", "DELETE!invoice_kept GET PATCH(contact_info,metadata,status) PUT status>draft,paid", "404", "401"},
	{"/invoices/%s", "sendable", "DELETE!invoice_kept GET PATCH(contact_info,metadata,status) PUT status>draft,sent,paid", "DELETE!invoice_kept GET PATCH(contact_info,metadata,status) PUT status>draft,sent,paid", "404", "401"},
	{"/invoices/%s", "sent", "DELETE!invoice_kept GET PATCH(metadata,status) PUT status>failed,paid", "DELETE!invoice_kept GET PATCH(metadata,status) PUT status>failed,paid", "404", "401"},
	{"/invoices/%s", "paid", "DELETE!invoice_kept GET PATCH(metadata) PUT status>", "DELETE!invoice_kept GET PATCH(metadata) PUT status>", "404", "401"},
	{"/invoices/%s/status", "draft", "GET", "GET", "404", "401"},
	{"/invoices/%s/transitions", "draft", "GET", "GET", "404", "401"},
	{"/invoices/%s", "move", "GET", "GET", "404", "401"},
	{"/invoices/%s/notices", "sent", "GET", "GET", "404", "401"},
	{"/invoices/%s", "notice", "GET PATCH() status>", "GET PATCH() status>", "404", "401"},
	{"/invoices/%s/payment_attempts", "draft", "GET POST!invoice_not_payable", "GET POST!invoice_not_payable", "404", "401"},
	{"/invoices/%s/payment_attempts", "sendable", "GET POST", "GET POST", "404", "401"},
	{"/invoices/%s", "attempt", "GET", "GET", "404", "401"},
	{"/companies", "", "GET POST", "GET POST!forbidden", "GET POST!forbidden", "401"},
	{"/companies/%s", "company", "DELETE GET PATCH(contact_info,employee_count,industry,locations,metadata,name,status,website) PUT", "DELETE!forbidden GET PATCH!forbidden PUT!forbidden", "DELETE!forbidden GET PATCH!forbidden PUT!forbidden", "401"},
	{"/api/v3/companies", "", "GET POST", "GET POST!forbidden", "GET POST!forbidden", "401"},
	{"/api/v3/companies/%s", "company", "DELETE GET PATCH(contact_info,employee_count,industry,locations,metadata,name,status,website) PUT", "DELETE!forbidden GET PATCH!forbidden PUT!forbidden", "DELETE!forbidden GET PATCH!forbidden PUT!forbidden", "401"},
	{"/uploads", "", "GET POST", "GET POST", "GET POST", "401"},
	{"/uploads/%s", "upload", "DELETE GET PATCH(metadata,snippet,status)", "DELETE GET PATCH(metadata,snippet,status)", "404", "401"},
	{"/uploads/%s/content", "upload", "DELETE GET POST PUT", "DELETE GET POST PUT", "404", "401"},
	{"/", "", "GET", "GET", "GET", "GET"},
	{"/docs", "", "GET", "GET", "GET", "GET"},
	{"/docs/main.js", "", "GET", "GET", "GET", "GET"},
	{"/openapi.json", "", "GET", "GET", "GET", "GET"},
	{"/schemas/article.json", "", "GET", "GET", "GET", "GET"},
	{"/problems", "", "GET", "GET", "GET", "GET"},
	{"/problems/internal", "", "GET", "GET", "GET", "GET"},
	{"/healthz", "", "GET", "GET", "GET", "GET"},
	{"/readyz", "", "GET", "GET", "GET", "GET"},
	{"/metrics", "", "GET", "GET", "GET", "GET"},
}

// bodies are what a path takes, where an empty object would be refused before it matters who calls.
var bodies = map[string]string{
	"/invoices/{invoice}/payment_attempts": `{"invoice_number":"INV-000001","amount":1,"payment_token":"tok_ok"}`,
}

func avatarOf(t *testing.T, s *apptest.Server) string {
	t.Helper()
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewGray(image.Rect(0, 0, 1, 1))); err != nil {
		t.Fatal(err)
	}
	return s.Want(t, 201, s.Alice, "POST /avatars", picture.String(), "Content-Type: image/png").Text("avatars.id")
}
