package rest_test

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"verbless/internal/change"
	"verbless/internal/describe"
	"verbless/internal/fault"
	"verbless/internal/field"
	"verbless/internal/ident"
	"verbless/internal/query"
	"verbless/internal/rest"
	"verbless/internal/trip"
)

// Note is the toy resource: a member of every kind.
type Note struct {
	ID       string       `json:"id" db:"id,key" readOnly:"true"`
	Title    string       `json:"title" db:"title" required:"true" minLength:"1" maxLength:"20" api:"sort,filter" doc:"What it is about."`
	Subtitle *string      `json:"subtitle" db:"subtitle" maxLength:"20" api:"filter"`
	Kind     string       `json:"kind" db:"kind" enum:"plain,list" default:"plain" api:"filter"`
	Rank     int64        `json:"rank" db:"rank" minimum:"0" maximum:"100" default:"5" api:"sort,filter"`
	Pinned   bool         `json:"pinned" db:"pinned" api:"sort,filter"`
	Due      time.Time    `json:"due_at" db:"due_at" default:"2030-01-01 00:00:00Z" api:"sort,filter"`
	Done     *time.Time   `json:"done_at" db:"done_at" api:"filter"`
	Tags     []string     `json:"tags" db:"tags" minLength:"1" maxLength:"10" maxItems:"3" uniqueItems:"true"`
	Extra    field.Object `json:"extra" db:"extra" maxBytes:"200"`
	Secret   string       `json:"secret" db:"secret" default:"" api:"private"`
	Folder   *string      `json:"folder_id" db:"folder_id"`
	Owner    int64        `json:"-" db:"owner_id" link:"owner" api:"owner,filter"`
	Version  int64        `json:"-" db:"version,version"`
	Created  time.Time    `json:"created_at" db:"created_at" readOnly:"true" api:"sort,filter"`
	Updated  time.Time    `json:"updated_at" db:"updated_at" readOnly:"true"`
}

// Folder is only its owner's, and has the Keyed shape.
type Folder struct {
	ID      string    `json:"id" db:"id,key" readOnly:"true"`
	Name    string    `json:"name" db:"name" required:"true" minLength:"1"`
	Size    int64     `json:"size" db:"size" readOnly:"true"`
	Owner   int64     `json:"-" db:"owner_id" api:"owner"`
	Version int64     `json:"-" db:"version,version"`
	Created time.Time `json:"created_at" db:"created_at" readOnly:"true"`
}

// Line lies under a note.
type Line struct {
	ID      string `json:"id" db:"id,key" readOnly:"true"`
	Text    string `json:"text" db:"text" required:"true" api:"sort"`
	Note    string `json:"-" db:"note_id" link:"note" api:"parent"`
	Version int64  `json:"-" db:"version,version"`
}

// Edition lies under a note and belongs to the note's owner. Its id is a number, its key is not shown.
type Edition struct {
	Row     string `json:"-" db:"id,key"`
	Number  int64  `json:"id" also:"number" db:"number" api:"id,sort,filter" minimum:"1"`
	Note    string `json:"-" db:"note_id" api:"parent"`
	Version int64  `json:"-" db:"version,version"`
}

// Person has a number for its key, and can only be read and searched.
type Person struct {
	ID        int64   `json:"id" db:"id,key" readOnly:"true" api:"owner"`
	Name      string  `json:"name" db:"name" api:"sort"`
	Email     *string `json:"email" db:"email" api:"private"`
	Relevance int64   `json:"-" db:"relevance"`
	Version   int64   `json:"-" db:"version,version"`
}

const base = "https://api.test"

// The people who call; each one's token is the name.
const (
	admin = "admin"
	alice = "alice"
	bob   = "bob"
)

var actors = map[string]change.Actor{
	admin: {ID: 1, Username: admin, Role: change.Admin},
	alice: {ID: 2, Username: alice, Role: change.Member},
	bob:   {ID: 3, Username: bob, Role: change.Member},
}

func identify(_ context.Context, token string) (change.Actor, error) {
	switch token {
	case "expired":
		return change.Actor{}, fault.New(fault.TokenExpired, "This token has expired.")
	case "down":
		return change.Actor{}, fault.New(fault.Unavailable, "Nobody can be looked up.")
	}
	by, ok := actors[token]
	if !ok {
		return by, fault.New(fault.InvalidToken, "This token is not one of ours.")
	}
	return by, nil
}

// toy is an API over an empty world.
type toy struct {
	*rest.API
	world    *world
	keys     *keys
	notes    *memory[Note]
	folders  *memory[Folder]
	lines    *memory[Line]
	editions *memory[Edition]
	people   *memory[Person]
	log      *logbook
}

// serve starts a toy. Its first note will have the id nth(1) and be made at 09:30:00.
func serve(t testing.TB, adjust ...func(*rest.Options)) *toy {
	t.Helper()
	w := &world{clock: time.Date(2026, 1, 31, 9, 30, 0, 250_000_000, time.UTC)}
	s := &toy{world: w, keys: newKeys(w), notes: newMemory[Note](w, "note"), folders: newMemory[Folder](w, "folder"),
		lines: newMemory[Line](w, "line"), editions: newMemory[Edition](w, "edition"), people: newMemory[Person](w, "person"), log: &logbook{}}
	s.people.rate = ratePerson
	options := rest.Options{Base: base + "/", Secret: []byte("a secret of the tests"), Identify: identify, Policy: toyPolicy(), Atomic: w, Keys: s.keys,
		Log: slog.New(trip.Log(slog.NewTextHandler(s.log, nil))), MaxBody: 4096, Version: "test"}
	for _, f := range adjust {
		f(&options)
	}
	s.API = describe.New(options, s.resources()...)
	return s
}

func toyPolicy() rest.Policy {
	const everyone, owners = rest.Everyone, rest.Owners
	return rest.Policy{
		"notes":    {List: everyone, Read: everyone, Create: everyone, Change: owners, Remove: owners},
		"folders":  {List: owners, Read: owners, Create: everyone, Change: owners, Remove: rest.Nobody},
		"lines":    {List: everyone, Read: everyone, Create: everyone, Change: everyone, Remove: rest.Admins},
		"editions": {List: everyone, Read: everyone, Create: owners, Change: owners, Remove: owners},
		"people":   {List: rest.Admins, Read: everyone},
	}
}

func (s *toy) resources() []rest.Resource {
	number := func(_ change.Actor, text string) (query.Cond, bool) {
		id, ok := ident.Number(text)
		return query.Is("id", id), ok
	}
	editions := rest.Collection[Edition]{Name: "editions", One: "edition", Shape: rest.Bare("editions"), Store: s.editions, Newest: "number", NoStore: true,
		Key: func(_ change.Actor, text string) (query.Cond, bool) {
			n, ok := ident.Number(text)
			return query.Is("number", n), ok
		}}
	lines := rest.Collection[Line]{Name: "lines", One: "line", Shape: rest.Bare("lines"), Store: s.lines,
		Relations: []rest.Relation{{Name: "note", To: "notes", Via: "note_id", At: "id"}}}
	return []rest.Resource{
		rest.Collection[Note]{Name: "notes", One: "note", Shape: rest.Bare("notes"), Store: s.notes, Under: []rest.Resource{lines, editions}, Doc: "A note.",
			Relations: []rest.Relation{{Name: "folder", To: "folders", Via: "folder_id", At: "id"}, {Name: "owner", To: "people", Via: "owner_id", At: "id"},
				{Name: "lines", To: "lines", Via: "id", At: "note_id", Many: true}}},
		rest.Collection[Folder]{Name: "folders", One: "folder", Shape: rest.Keyed("folder", "folders"), Store: s.folders,
			Relations: []rest.Relation{{Name: "notes", To: "notes", Via: "id", At: "folder_id", Many: true}}},
		rest.Collection[Person]{Name: "people", One: "person", Shape: rest.Bare("people"), Store: s.people, Key: number, Methods: "GET", Version: 3, Words: strings.Fields},
	}
}

// ratePerson finds a person by parts of the name, and likes best whose name starts with the first of them.
func ratePerson(p *Person, words []string) *Person {
	found := *p
	for _, word := range words {
		if !strings.Contains(p.Name, word) {
			return nil
		}
	}
	if strings.HasPrefix(p.Name, words[0]) {
		found.Relevance = 1
	}
	return &found
}

// note makes a note of alice's with a title and all else as delivered.
func (s *toy) note(title string, change ...func(*Note)) *Note {
	n := Note{Title: title, Kind: "plain", Rank: 5, Due: time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC), Owner: 2}
	for _, f := range change {
		f(&n)
	}
	return s.notes.add(n)
}
