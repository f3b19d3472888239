// Package articles is pieces of writing: published, archived, thrown away, restored, and removed for good.
//
// An article in the trash is absent from /articles under any filter and lives only under /articles/trashed.
package articles

import (
	"time"

	"verbless/internal/change"
	"verbless/internal/db"
	"verbless/internal/fault"
	"verbless/internal/field"
	"verbless/internal/ident"
	"verbless/internal/query"
	"verbless/internal/rest"
	"verbless/internal/search"
)

// Article is one piece of writing. It looks the same coming in as going out.
type Article struct {
	ID        string       `json:"id" db:"id,key" readOnly:"true"`
	Slug      string       `json:"slug" db:"slug" pattern:"^[a-z0-9]+(-[a-z0-9]+)*$" maxLength:"100" api:"filter" examples:"hello-world" doc:"Unique, and good for addresses. Made from the title when left out."`
	Title     string       `json:"title" db:"title" required:"true" minLength:"1" maxLength:"200" api:"sort,filter" examples:"Hello, world"`
	Body      string       `json:"body" db:"body" maxLength:"500000" default:"" doc:"Markdown, kept as given."`
	Status    string       `json:"status" db:"status" enum:"published,archived" default:"published" api:"filter"`
	Author    int64        `json:"-" db:"author_id" link:"author" api:"owner,filter"`
	Tags      []string     `json:"tags" db:"tags" minLength:"1" maxLength:"50" maxItems:"20" uniqueItems:"true" api:"filter"`
	Metadata  field.Object `json:"metadata" db:"metadata" doc:"A free object of the client's own, 16 KiB at most."`
	Version   int64        `json:"-" db:"version,version"`
	Created   time.Time    `json:"created_at" db:"created_at,born" readOnly:"true" api:"sort,filter"`
	Updated   time.Time    `json:"updated_at" db:"updated_at,touch" readOnly:"true" api:"sort,filter"`
	Published *time.Time   `json:"published_at" db:"published_at" readOnly:"true" api:"filter"`
	Archived  *time.Time   `json:"archived_at" db:"archived_at" readOnly:"true" api:"filter"`
	TrashedAt *time.Time   `json:"-" db:"trashed_at"`
	Current   int64        `json:"-" db:"current_revision"`
	Last      int64        `json:"-" db:"last_revision"` // the highest number a revision ever had
	Relevance int64        `json:"-" db:"relevance,derived"`
}

// Trashed is an article in the trash. Its status says so, and setting it to published restores the article.
type Trashed struct {
	Article
	Status    string     `json:"status" db:"status" enum:"trashed,published" default:"trashed" api:"filter"`
	TrashedAt *time.Time `json:"trashed_at" db:"trashed_at" readOnly:"true" api:"filter"`
}

var (
	author  = rest.Relation{Name: "author", To: "users", Via: "author_id", At: "id", Doc: "Who wrote it."}
	history = rest.Relation{Name: "revisions", To: "revisions", Via: "id", At: "article_id", Many: true, Doc: "Its history, the newest 100."}
)

// New is the resource, with its trash beside it.
func New(d *db.DB) rest.Resource {
	return rest.Collection[Article]{
		Name: "articles", One: "article", Shape: rest.Bare("articles"), Store: Live(d), Key: byIDOrSlug, KeyDoc: keyDoc,
		Refuses:   []fault.Code{fault.TransitionRefused, fault.ArticleTrashed, fault.ArticleRemoved},
		Relations: []rest.Relation{author, history}, Beside: []rest.Resource{trash(d)}, Under: []rest.Resource{revisions(d)}, Words: search.Words, Now: rest.Now(now),
		Doc: "A piece of writing. {article} is its id or its slug.",
	}
}

func trash(d *db.DB) rest.Resource {
	return rest.Collection[Trashed]{
		Name: "trashed", One: "trashed_article", Path: "/trashed", Shape: rest.Bare("articles"), Store: bin(d), Key: byIDOrSlug, KeyDoc: keyDoc,
		Refuses:   []fault.Code{fault.TransitionRefused, fault.ArticleRemoved},
		Relations: []rest.Relation{author}, Methods: "GET PATCH DELETE", Now: rest.Now(trashedNow),
		Doc: "An article in the trash. PATCH its status to published to restore it.",
	}
}

const keyDoc = "The id or the slug of the article."

// byIDOrSlug reads {article}. No slug looks like an id, so one text means one article.
func byIDOrSlug(_ change.Actor, text string) (query.Cond, bool) {
	if ident.Valid(text) {
		return query.Is("id", text), true
	}
	return query.Is("slug", text), slugPattern.MatchString(text)
}
