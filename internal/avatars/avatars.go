// Package avatars is pictures of users, given by their bytes or by an address to fetch them from.
//
// It promises: a picture that was acknowledged is durable, and is one that was decoded, without its metadata; equal pictures are
// stored once, and go with the last avatar that shows them; what an address leads to is fetched by package fetch's rules
// and kept here, so that nobody is sent to a stranger's server. The bytes are served by /media, to anybody who knows a name.
package avatars

import (
	"log/slog"
	"time"

	"verbless/internal/blob"
	"verbless/internal/db"
	"verbless/internal/fault"
	"verbless/internal/fetch"
	"verbless/internal/picture"
	"verbless/internal/rest"
)

// Avatar is a picture of a user. image_url is where to fetch it from coming in, and where we keep it going out.
type Avatar struct {
	ID      string    `json:"id" db:"id,key" readOnly:"true"`
	Image   string    `json:"image_url" db:"image_url,derived" required:"true" format:"uri" maxLength:"2048" examples:"https://example.com/me.png" doc:"Where the picture is. An address that is sent is fetched once, and our own copy is shown."`
	User    int64     `json:"-" db:"user_id,fixed" link:"user" api:"owner,filter"`
	Hash    string    `json:"-" db:"hash,fixed"` // of what the file holds
	File    string    `json:"-" db:"file,fixed"`
	Version int64     `json:"-" db:"version,version"`
	Created time.Time `json:"-" db:"created_at,born"`
}

// Options is what avatars need from outside.
type Options struct {
	Files   blob.Area
	Fetch   *fetch.Client
	Judge   *picture.Judge
	Address string // of the pictures, without a slash at its end
	Max     int64  // bytes of a picture
	Log     *slog.Logger
}

// Avatars is the resource and its files.
type Avatars struct {
	Options
	db *db.DB
}

// New makes it.
func New(d *db.DB, o Options) *Avatars { return &Avatars{o, d} }

// Resource is the collection.
func (a *Avatars) Resource() rest.Resource {
	return rest.Collection[Avatar]{
		Name: "avatars", One: "avatar", Shape: rest.Keyed("avatars", "avatars").OrBare(), Store: a.store(), Methods: "GET POST DELETE",
		Relations: []rest.Relation{{Name: "user", To: "users", Via: "user_id", At: "id", Doc: "Whose picture it is."}},
		Raw:       &rest.Raw{Types: picture.Types(), Max: a.Max, TooLarge: fault.AvatarTooLarge}, Receive: a.receive,
		Refuses: []fault.Code{fault.ImageMismatch, fault.ImageCorrupt, fault.ImageTooManyPixels, fault.ImageNotFetched},
		Doc:     "A picture of a user. POST takes the bytes of a JPEG, PNG or GIF image, or the address of one.",
	}
}
