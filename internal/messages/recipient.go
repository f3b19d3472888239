package messages

import (
	"database/sql/driver"
	"fmt"
	"strconv"
	"strings"

	"verbless/internal/fault"
	"verbless/internal/field"
	"verbless/internal/ident"
	"verbless/internal/jsondoc"
)

// Recipient is the user that a message goes to. A body names it by exactly one of id and username; what is kept and shown is the id.
type Recipient struct {
	ID    int64 // 0 while only the body knows
	asked asked
}

// asked is what a body said, until it is compared with the users there are.
type asked struct {
	given    bool  // there was something, right or wrong
	id       int64 // also that of username, once it is known
	username string
}

var _ field.Reference = (*Recipient)(nil)

// To is the recipient of a message that is made without a body.
func To(user int64) Recipient { return Recipient{ID: user} }

// Number is the user's id.
func (r *Recipient) Number() *int64 { return &r.ID }

// Tree shows the id.
func (r *Recipient) Tree() any {
	return jsondoc.NewObject(jsondoc.Member{Name: "id", Value: jsondoc.Number(strconv.FormatInt(r.ID, 10))})
}

// SetTree notes what a body asks for. The id stays: a body cannot send a message elsewhere than its path says.
func (r *Recipient) SetTree(in any, at string, bad *fault.List) {
	r.asked = asked{given: true}
	names, ok := in.(*jsondoc.Object)
	if !ok {
		bad.Add(fault.New(fault.WrongType, "This must be an object with id or username.").At(at))
		return
	}
	known := 0
	for _, m := range names.Members {
		here := jsondoc.AppendPointer(at, m.Name)
		switch m.Name {
		case "id":
			r.setID(m.Value, here, bad)
			known++
		case "username":
			r.setUsername(m.Value, here, bad)
			known++
		default:
			bad.Add(fault.New(fault.UnknownField, "There is no member of this name.").At(here))
		}
	}
	switch known {
	case 0:
		bad.Add(fault.New(fault.Required, "Name the recipient by id or by username.").At(at))
	case 2:
		r.asked = asked{given: true}
		bad.Add(fault.New(fault.NotAllowedValue, "Name the recipient by id or by username, not by both.").At(at))
	}
}

func (r *Recipient) setID(in any, at string, bad *fault.List) {
	literal, ok := in.(jsondoc.Number)
	id, canonical := ident.Number(string(literal))
	switch {
	case canonical:
		r.asked.id = id
	case !ok || strings.ContainsAny(string(literal), ".eE"):
		bad.Add(fault.New(fault.WrongType, "This must be a whole number, written without fraction or exponent.").At(at))
	default:
		bad.Add(fault.New(fault.OutOfRange, "This must be a whole number from 1 on.").At(at))
	}
}

func (r *Recipient) setUsername(in any, at string, bad *fault.List) {
	name, ok := in.(string)
	switch {
	case !ok:
		bad.Add(fault.New(fault.WrongType, "This must be a string.").At(at))
	case !ident.Username(name):
		bad.Add(fault.New(fault.BadFormat, "This is not a username: 1 to 64 letters, digits, '_', '-' or '.' of ASCII.").At(at))
	default:
		r.asked.username = ident.FoldUsername(name)
	}
}

// Schema says what SetTree enforces.
func (r *Recipient) Schema() map[string]any {
	return map[string]any{
		"type": "object", "minProperties": 1, "maxProperties": 1, "additionalProperties": false,
		"properties": map[string]any{
			"id":       map[string]any{"type": "integer", "minimum": 1},
			"username": map[string]any{"type": "string", "pattern": ident.UsernamePattern},
		},
	}
}

// Value is what the column holds.
func (r Recipient) Value() (driver.Value, error) { return r.ID, nil }

// Scan reads the column.
func (r *Recipient) Scan(v any) error {
	id, ok := v.(int64)
	if !ok {
		return fmt.Errorf("messages: a recipient is no %T", v)
	}
	*r = Recipient{ID: id}
	return nil
}
