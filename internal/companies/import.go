package companies

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"slices"

	"github.com/google/uuid"

	"verbless/internal/change"
	"verbless/internal/db"
	"verbless/internal/fault"
	"verbless/internal/field"
	"verbless/internal/ident"
	"verbless/internal/jsondoc"
	"verbless/internal/query"
)

// batchRows is how many rows are judged and written at once.
const batchRows = 512

// Import is one loading of a file. Bad and Step may be nil.
type Import struct {
	Options
	Bad  func(line int, why string) // told of every fault of every row
	Step func(read, written int64)  // told now and then how far it is
}

// Result is what came of a file.
type Result struct{ Read, Bad, Written int64 }

// Run loads a file: all of it or nothing. A row whose uuid is known changes that company, one without makes a new one. All rows
// are judged before the first is written; meanwhile they wait in a file of our own, so that neither the size of the file nor a
// transaction that has to begin anew matters.
func (m Import) Run(ctx context.Context, d *db.DB, in io.Reader) (Result, error) {
	var done Result
	rows, err := open(in)
	if err != nil {
		return done, err
	}
	spool, err := os.CreateTemp("", "verbless-import-*")
	if err != nil {
		return done, err
	}
	defer os.Remove(spool.Name())
	defer spool.Close()
	if err := m.judge(ctx, rows, spool, &done); err != nil {
		return done, err
	}
	if done.Bad > 0 {
		return done, fmt.Errorf("%d of %d rows are bad; nothing was imported", done.Bad, done.Read)
	}
	return done, d.Write(ctx, func(ctx context.Context, _ *db.Tx) error {
		if _, err := spool.Seek(0, io.SeekStart); err != nil {
			return err
		}
		done.Written = 0
		return m.write(ctx, d, spool, &done)
	})
}

// spooled is a row that waits to be written, with what its own JSON does not show.
type spooled struct {
	Company
	Metadata json.RawMessage `json:"metadata"`
}

func (m Import) judge(ctx context.Context, rows source, spool io.Writer, done *Result) error {
	out := bufio.NewWriterSize(spool, 256<<10)
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false) // metadata stays as it was given
	model := field.NewModel("company", reflect.TypeFor[Company]())
	seen := map[uuid.UUID]struct{}{}
	for {
		row, err := rows()
		if errors.Is(err, io.EOF) {
			return out.Flush()
		}
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		done.Read++
		if m.Step != nil && done.Read%1000 == 0 {
			m.Step(done.Read, 0)
		}
		company, faults := judgeRow(model, row, seen)
		for _, why := range faults {
			if m.Bad != nil {
				m.Bad(row.line, why)
			}
		}
		if len(faults) > 0 {
			done.Bad++
		} else if done.Bad == 0 {
			if err := encoder.Encode(spooled{*company, json.RawMessage(company.Metadata)}); err != nil {
				return err
			}
		}
	}
}

// ignored are the members that an export or an answer shows, but no row can set.
var ignored = []string{"enterprise", "created_at", "updated_at"}

// judgeRow makes a company of a row, by the rules that hold for a body.
func judgeRow(model *field.Model, row record, seen map[uuid.UUID]struct{}) (*Company, []string) {
	if row.err != nil {
		return nil, []string{row.err.Error()}
	}
	company := new(Company)
	var faults []string
	if doc, ok := row.doc.(*jsondoc.Object); ok {
		if id, given := doc.Get("uuid"); given {
			if why := takeUUID(company, id, seen); why != "" {
				faults = append(faults, "/uuid: "+why)
			}
		}
		doc.Members = slices.DeleteFunc(doc.Members, func(m jsondoc.Member) bool { return m.Name == "uuid" || slices.Contains(ignored, m.Name) })
	}
	var bad fault.List
	model.Fill(reflect.ValueOf(company).Elem(), nil, row.doc, "", false, &bad)
	if bad.Len() > 0 {
		for _, part := range fault.As(bad.Err()).Parts {
			if part.Pointer == "" {
				faults = append(faults, part.Message)
			} else {
				faults = append(faults, part.Pointer+": "+part.Message)
			}
		}
	}
	return company, faults
}

func takeUUID(company *Company, id any, seen map[uuid.UUID]struct{}) (why string) {
	text, ok := id.(string)
	if !ok || !ident.Valid(text) {
		return "This must be a UUID in lower case."
	}
	key := uuid.MustParse(text)
	if _, twice := seen[key]; twice {
		return "An earlier row has the same."
	}
	seen[key] = struct{}{}
	company.UUID = text
	return ""
}

func (m Import) write(ctx context.Context, d *db.DB, spool io.Reader, done *Result) error {
	store := Store(d, m.Options)
	decoder := json.NewDecoder(bufio.NewReaderSize(spool, 256<<10))
	for more := true; more; {
		batch := make([]*Company, 0, batchRows)
		for len(batch) < batchRows {
			var row spooled
			err := decoder.Decode(&row)
			if more = !errors.Is(err, io.EOF); !more {
				break
			}
			if err != nil {
				return err
			}
			row.Company.Metadata = field.Object(row.Metadata)
			batch = append(batch, &row.Company)
		}
		n, err := store.Put(ctx, change.System, batch)
		if err != nil {
			return err
		}
		done.Written += n
		if m.Step != nil {
			m.Step(done.Read, done.Written)
		}
	}
	return nil
}

// Export writes all companies as JSON lines, oldest first, in a form that Import takes.
func Export(ctx context.Context, d *db.DB, o Options, out io.Writer) error {
	store, model := Store(d, o), field.NewModel("company", reflect.TypeFor[Company]())
	w := bufio.NewWriterSize(out, 64<<10)
	for q := (query.List{Sort: "created_at", Limit: batchRows}); ; {
		page, err := store.List(ctx, q)
		if err != nil {
			return err
		}
		for _, row := range page.Rows {
			doc := model.Tree(reflect.ValueOf(row).Elem(), true)
			if _, err := w.Write(append(jsondoc.Append(nil, doc), '\n')); err != nil {
				return err
			}
		}
		if !page.More {
			return w.Flush()
		}
		last := page.Rows[len(page.Rows)-1]
		q.Edge = &query.Edge{Value: last.Created.UnixMicro(), Key: last.UUID}
	}
}
