package field

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"verbless/internal/fault"
	"verbless/internal/jsondoc"
)

// mood says for itself how it looks in JSON.
type mood struct{ good bool }

func (m *mood) Tree() any { return map[bool]string{true: "good", false: "bad"}[m.good] }

func (m *mood) SetTree(in any, at string, bad *fault.List) {
	if in != "good" && in != "bad" {
		bad.Add(fault.New(fault.NotAllowedValue, "This is good or bad.").At(at))
		return
	}
	m.good = in == "good"
}

func (m *mood) Schema() map[string]any {
	return map[string]any{"type": "string", "enum": []any{"good", "bad"}}
}

// thing has a member of every kind, with every word on one of them.
type thing struct {
	ID      string     `json:"id" db:"id,key" readOnly:"true"`
	Name    string     `json:"name" db:"name" required:"true" minLength:"1" maxLength:"5" api:"sort,filter" doc:"How it is called." examples:"Box"`
	Nick    *string    `json:"nick" db:"nick" pattern:"^[a-zé]*$" api:"filter"`
	Color   string     `json:"color" db:"color" enum:"red,blue" default:"red" api:"filter"`
	Shade   *string    `json:"shade" db:"shade" enum:"light,dark"`
	Mail    string     `json:"mail" db:"mail" format:"email" default:"a@b.c"`
	Size    int64      `json:"size" db:"size" minimum:"-5" maximum:"50" api:"sort,filter"`
	Count   int        `json:"count" db:"count" default:"3"`
	Weight  *int64     `json:"weight" db:"weight" minimum:"1"`
	On      bool       `json:"on" db:"on_" api:"filter"`
	Off     *bool      `json:"off" db:"off_"`
	At      time.Time  `json:"at" db:"at_" default:"2030-01-01 00:00:00Z" api:"sort,filter"`
	Until   *time.Time `json:"until" db:"until" api:"filter"`
	Tags    []string   `json:"tags" db:"tags" minLength:"1" maxLength:"3" maxItems:"3" uniqueItems:"true"`
	Words   []string   `json:"words" db:"words" enum:"one,two" default:"[\"one\"]"`
	Free    Object     `json:"free" db:"free" maxBytes:"60"`
	Mood    mood       `json:"mood" db:"mood" default:"good"`
	Hidden  string     `json:"secret" db:"secret" default:"" api:"private"`
	Owner   int64      `json:"-" db:"owner_id" link:"owner" api:"owner,filter"`
	Other   *string    `json:"-" db:"other_id" link:"other"`
	Version int64      `json:"-" db:"version,version"`
	Made    time.Time  `json:"made_at" db:"made_at" readOnly:"true"`
}

var things = NewModel("thing", reflect.TypeFor[thing]())

// must parses text that has to be right.
func must(t testing.TB, text string) any {
	t.Helper()
	doc, err := jsondoc.Parse([]byte(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return doc
}

func text(doc any) string { return string(jsondoc.Append(nil, doc)) }

// born fills a new thing.
func born(t testing.TB, doc any) (*thing, error) {
	t.Helper()
	var row thing
	err := fill(things, reflect.ValueOf(&row).Elem(), nil, doc, "", false)
	return &row, err
}

// sample is a thing with something in every member.
func sample(t testing.TB) *thing {
	t.Helper()
	row, err := born(t, must(t, `{"name":"Box","nick":"é","color":"blue","shade":"dark","mail":"x@y.z","size":7,"count":-9,"weight":2,"on":true,"off":false,"at":"2026-01-31T10:30:00.123456+01:00",
		"until":"2026-02-01 00:00:00Z","tags":["a","b"],"words":["two"],"free":{"z":1.0,"a":{}},"mood":"bad","secret":"s"}`))
	if err != nil {
		t.Fatal(err)
	}
	row.ID, row.Owner, row.Version, row.Made = "id", 7, 3, time.Date(2026, 1, 1, 0, 0, 0, 5000, time.UTC)
	return row
}

// faults lists an error's parts as "code pointer".
func faults(err error) string {
	if err == nil {
		return ""
	}
	f := fault.As(err)
	if len(f.Parts) == 0 {
		return string(f.Code) + " " + f.Pointer
	}
	parts := make([]string, len(f.Parts))
	for i, part := range f.Parts {
		parts[i] = string(part.Code) + " " + part.Pointer
	}
	return strings.Join(parts, ", ")
}

const sampleText = `{"id":"id","name":"Box","nick":"é","color":"blue","shade":"dark","mail":"x@y.z","size":7,"count":-9,"weight":2,"on":true,"off":false,"at":"2026-01-31 09:30:00Z",` +
	`"until":"2026-02-01 00:00:00Z","tags":["a","b"],"words":["two"],"free":{"z":1.0,"a":{}},"mood":"bad","secret":"s","made_at":"2026-01-01 00:00:00Z","links":{"owner":"7","other":null}}`

// fill is Fill with its faults as one error.
func fill(m *Model, row reflect.Value, was *jsondoc.Object, doc any, at string, patched bool) error {
	var bad fault.List
	m.Fill(row, was, doc, at, patched, &bad)
	return bad.Err()
}
