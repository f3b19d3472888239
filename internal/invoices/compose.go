package invoices

import (
	"bytes"
	"embed"
	"errors"
	htmltemplate "html/template"
	"strings"
	texttemplate "text/template"

	"verbless/internal/mail"
	"verbless/internal/money"
)

//go:embed templates
var templateFiles embed.FS

var (
	texts = texttemplate.Must(texttemplate.ParseFS(templateFiles, "templates/notices.txt"))
	pages = htmltemplate.Must(htmltemplate.ParseFS(templateFiles, "templates/notices.html"))
)

// letter is what the templates know.
type letter struct {
	Name, Number, Amount, Currency, Description, Due, Contact, Link string
	Items                                                           []LineItem
}

// compose writes the mail of a notice, in text and in HTML. Its subject holds nothing that people typed.
func (b *Book) compose(n *Notice, i *Invoice) (mail.Message, error) {
	i.Items.See(i)
	l := letter{Name: n.Name, Number: *i.Number, Amount: money.Of(i.Amount.Minor(), i.Currency).String(), Currency: i.Currency, Description: i.Description, Items: i.Items, Link: b.Base + "/invoices/" + i.ID}
	if i.Due != nil {
		l.Due = *i.Due
	}
	if contact := i.contact(); contact != nil {
		l.Contact = contact.Email
	}
	about := n.Event + "_" + n.Recipient
	var subject, text, page bytes.Buffer
	err := errors.Join(texts.ExecuteTemplate(&subject, about+"_subject", l), texts.ExecuteTemplate(&text, about, l), pages.ExecuteTemplate(&page, about, l))
	if err != nil {
		return mail.Message{}, err
	}
	return mail.Message{ID: n.ID, ToName: n.Name, ToAddress: *n.Address, Subject: strings.TrimSpace(subject.String()),
		Text: strings.TrimSpace(text.String()) + "\n", HTML: page.String(), Date: n.Created}, nil
}
