// Package messages is what users send each other, singly and in batches.
//
// A message belongs to two: its recipient lists it and marks it as read, its sender lists it among the sent ones and may
// change its text; both may read and remove it. It has one address, below its recipient.
package messages

import (
	"time"

	"verbless/internal/db"
	"verbless/internal/field"
	"verbless/internal/rest"
)

// Message is one text from one user to another. It looks the same coming in as going out.
type Message struct {
	ID       string       `json:"id" db:"id,key" readOnly:"true"`
	User     Recipient    `json:"user" db:"recipient_id" api:"owner,parent" examples:"{\"username\": \"bob\"}" doc:"The recipient, by id or by username; always shown by id. It never changes, and needs not be sent where the path names it."`
	Message  string       `json:"message" db:"message" required:"true" minLength:"1" maxLength:"10000" examples:"Lunch?" doc:"Changed by the sender alone."`
	Read     bool         `json:"is_read" db:"is_read" api:"filter" doc:"Changed by the recipient alone."`
	Metadata field.Object `json:"metadata" db:"metadata" doc:"A free object of the sender's own, 16 KiB at most."`
	Sender   int64        `json:"-" db:"sender_id,fixed" link:"sender" api:"owner,filter"`
	Version  int64        `json:"-" db:"version,version"`
	Created  time.Time    `json:"created_at" db:"created_at,born" readOnly:"true" api:"sort,filter"`
	Updated  time.Time    `json:"updated_at" db:"updated_at,touch" readOnly:"true"`
}

// maxBatchBody is enough for some hundred messages of the longest kind.
const maxBatchBody = 8 << 20

const doc = "A text from one user to another. Both may read and remove it; the sender changes its text, the recipient marks it as read."

var relations = []rest.Relation{
	{Name: "recipient", To: "users", Via: "recipient_id", At: "id", Doc: "Who got it."},
	{Name: "sender", To: "users", Via: "sender_id", At: "id", Doc: "Who sent it."},
}

// Inbox is the resource below a user: what was sent to them.
func Inbox(d *db.DB) rest.Resource {
	return rest.Collection[Message]{
		Name: "messages", One: "message", Now: rest.Now(now), Shape: rest.Bare("messages"), Store: Store(d), Relations: relations, Doc: doc,
	}
}

// New is the resource at the top: what the caller sent, and many sent at once. Each message has its address in an inbox.
func New(d *db.DB, maxBatch int) rest.Resource {
	return rest.Collection[Message]{
		Name: "sent", One: "message", Path: "/messages", Shape: rest.Bare("messages"), Store: Store(d), Relations: relations, Doc: doc,
		Methods: "GET POST", ListOnly: true, Mine: "sender_id",
		Batch: &rest.Batch{ID: "createMessages", Summary: "Send many at once, all or none", Max: maxBatch, MaxBody: maxBatchBody, Required: []string{"user"}},
	}
}
