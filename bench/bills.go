package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync/atomic"

	"verbless/internal/change"
	"verbless/internal/db"
	"verbless/internal/field"
	"verbless/internal/ident"
	"verbless/internal/invoices"
	"verbless/internal/money"
	"verbless/internal/outbox"
	"verbless/internal/query"
)

const (
	billsPath  = "/invoices"
	payShare   = 3  // one of so many invoices is published, and can be paid
	billsMoved = 16 // most drafts that each worker moves there and back
)

// bill is an invoice that can be paid.
type bill struct{ id, number, amount string }

// seedBills makes invoices of one owner, some of them published.
func (s *store) seedBills(ctx context.Context, d *db.DB, owner int64, n int) error {
	log := slog.New(slog.DiscardHandler)
	book := invoices.Open(invoices.Options{DB: d, Queue: outbox.NewQueue(d, log, 0), Log: log})
	writing, keep := newText(5), book.Store()
	for done := 0; done < n; done += seedBatch {
		err := d.Do(ctx, func(ctx context.Context) error {
			for i := done; i < min(done+seedBatch, n); i++ {
				if err := s.addBill(ctx, keep, writing, owner, i); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *store) addBill(ctx context.Context, keep change.Store[invoices.Invoice], t text, owner int64, n int) error {
	amount := money.Of(int64(100+t.IntN(1_000_000)), "EUR")
	made, err := keep.Change(ctx, change.System, nil, func(*invoices.Invoice) (*invoices.Invoice, error) {
		return &invoices.Invoice{Amount: money.Price{Amount: amount}, Currency: "EUR", Description: t.note(), Owner: owner, Metadata: field.Object("{}"),
			Contact: &invoices.Contact{Name: t.word(), Email: t.word() + "@example.com"}, Items: invoices.LineItems{{Description: t.note(), Amount: amount}}}, nil
	})
	if err != nil {
		return err
	}
	if n%payShare > 0 {
		s.drafted = append(s.drafted, made.Now.ID)
		return nil
	}
	moved, err := keep.Change(ctx, change.System, []query.Cond{query.Is("id", made.Now.ID)}, func(was *invoices.Invoice) (*invoices.Invoice, error) {
		now := *was
		now.Status = "published"
		return &now, nil
	})
	if err == nil {
		s.payable = append(s.payable, bill{made.Now.ID, *moved.Now.Number, amount.String()})
	}
	return err
}

func (q *requests) bills(_, _ int) []byte { return q.billed }

// charge makes an invoice.
func (q *requests) charge(worker, n int) []byte {
	body := fmt.Sprintf(`{"data":{"attributes":{"amount":%d.50,"currency":"EUR","description":"Number %d: %s","line_items":[{"description":"All of it","amount":%d.50}]}}}`, n, n, q.notes[n%len(q.notes)], n)
	q.buffers[worker] = q.append(q.buffers[worker][:0], "POST", billsPath, "Content-Type: application/json\r\n", "", body)
	return q.buffers[worker]
}

// mover publishes drafts and takes them back, in turns. No two workers ever move the same one.
func (q *requests) mover() maker {
	var turns [writers]int
	own := min(billsMoved, len(q.drafted)/writers)
	return func(worker, _ int) []byte {
		turn := turns[worker]
		turns[worker]++
		state := []string{"published", "draft"}[turn/own%2]
		id := q.drafted[worker*own+turn%own]
		q.buffers[worker] = q.append(q.buffers[worker][:0], "PATCH", billsPath+"/"+id, "Content-Type: application/json\r\n", "", `{"data":{"attributes":{"status":"`+state+`"}}}`)
		return q.buffers[worker]
	}
}

// pay pays an invoice that nobody has paid yet.
func (q *requests) pay(worker, _ int) []byte {
	b := q.payable[int(q.paid.Add(1)-1)%len(q.payable)]
	body := `{"invoice_number":"` + b.number + `","amount":` + b.amount + `,"payment_token":"tok_ok"}`
	q.buffers[worker] = q.append(q.buffers[worker][:0], "POST", billsPath+"/"+b.id+"/payment_attempts", "Content-Type: application/json\r\n", "", body)
	return q.buffers[worker]
}

// account is what the requests know of invoices.
type account struct {
	billed  []byte
	drafted []string
	payable []bill
	paid    atomic.Int64
}

// ledger is the limit of writes to invoices: one row, and nothing beside it.
type ledger struct {
	bills     *template
	move, pay *sql.Stmt
}

func newLedger(pool *sql.DB) (l ledger, err error) {
	if l.bills, err = learnTable(pool, "invoices", "id", "number", "status", "amount", "description", "published_at", "created_at", "updated_at"); err != nil {
		return l, err
	}
	if l.move, err = pool.Prepare(`UPDATE invoices SET status = ?, number = COALESCE(number, id), version = version + 1, updated_at = ? WHERE id = ?`); err != nil {
		return l, err
	}
	l.pay, err = pool.Prepare(`UPDATE invoices SET status = 'paid', paid_at = ?, payment_received_at = ?, version = version + 1, updated_at = ? WHERE id = ?`)
	return l, err
}

// name says which row of the table a request belongs to; empty: it is not about invoices.
func (ledger) name(r *http.Request) string {
	switch {
	case !strings.HasPrefix(r.URL.Path, billsPath):
		return ""
	case r.Method == http.MethodPatch:
		return "move"
	case strings.HasSuffix(r.URL.Path, "/payment_attempts"):
		return "pay"
	}
	return "charge"
}

// write makes the one change that the request is about.
func (l ledger) write(name string, r *http.Request, now int64) error {
	var in struct {
		Data struct {
			Attributes struct {
				Status, Description string
				Amount              json.Number
			}
		}
	}
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		return err
	}
	id, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, billsPath+"/"), "/")
	var err error
	switch name {
	case "charge":
		_, err = l.bills.insert.Exec(l.bills.values(ident.New(), nil, "draft", 100, in.Data.Attributes.Description, nil, now, now)...)
	case "move":
		_, err = l.move.Exec(in.Data.Attributes.Status, now, id)
	default:
		_, err = l.pay.Exec(now, now, now, id)
	}
	return err
}
