package articles

import (
	"testing"
	"time"

	"verbless/internal/change"
	"verbless/internal/fault"
)

var at = time.Date(2026, 1, 31, 9, 30, 0, 0, time.UTC)

// TestEveryPairOfStates walks what a PATCH of status may do, outside the trash and inside it.
func TestEveryPairOfStates(t *testing.T) {
	allowed := map[[2]string]bool{{published, archived}: true, {archived, published}: true, {trashed, published}: true}
	states := []string{published, archived, trashed}
	for _, from := range states {
		for _, to := range states {
			c := &change.Change[Article]{Was: &Article{Status: from}, Now: &Article{Status: to}, At: at}
			err := rule(c)
			if want := from == to || allowed[[2]string{from, to}]; (err == nil) != want {
				t.Errorf("%s to %s: %v", from, to, err)
			}
			if err != nil && !fault.Is(err, fault.TransitionRefused) {
				t.Errorf("%s to %s: %v", from, to, err)
			}
		}
	}
	for to, want := range map[string]bool{published: true, trashed: true, archived: false} {
		c := &change.Change[Trashed]{Was: &Trashed{Status: trashed}, Now: &Trashed{Status: to, TrashedAt: &at}, At: at}
		if err := trashRule(c); (err == nil) != want {
			t.Errorf("trashed to %s: %v", to, err)
		}
		if to == published && c.Now.TrashedAt != nil {
			t.Error("a restored article still has the time it was thrown away")
		}
	}
}

func TestRemoval(t *testing.T) {
	thrown := &change.Change[Article]{Was: &Article{ID: "a", Status: published}, At: at}
	if err := rule(thrown); err != nil || thrown.Dying() || thrown.Now.Status != trashed || !thrown.Now.TrashedAt.Equal(at) {
		t.Errorf("a published article is thrown away: %+v %v", thrown.Now, err)
	}
	if thrown.Was.Status != published {
		t.Error("the rule changed what was")
	}
	for _, c := range []*change.Change[Article]{{Was: &Article{Status: archived}, At: at}} {
		if err := rule(c); err != nil || !c.Dying() {
			t.Errorf("an archived article goes for good: %+v %v", c.Now, err)
		}
	}
	if c := (&change.Change[Trashed]{Was: &Trashed{Status: trashed}, At: at}); trashRule(c) != nil || !c.Dying() {
		t.Error("a trashed article goes for good")
	}
}

func TestTimesOfStates(t *testing.T) {
	earlier := at.Add(-time.Hour)
	tests := []struct {
		name                string
		was, now            *Article
		published, archived *time.Time
	}{
		{"born published", nil, &Article{Status: published}, &at, nil},
		{"born archived", nil, &Article{Status: archived}, nil, &at},
		{"archived", &Article{Status: published, Published: &earlier}, &Article{Status: archived, Published: &earlier}, &earlier, &at},
		{"published again", &Article{Status: archived, Published: &earlier, Archived: &earlier}, &Article{Status: published, Published: &earlier, Archived: &earlier}, &earlier, nil},
		{"published for the first time", &Article{Status: archived, Archived: &earlier}, &Article{Status: published, Archived: &earlier}, &at, nil},
		{"unmoved", &Article{Status: archived, Archived: &earlier}, &Article{Status: archived, Archived: &earlier}, nil, &earlier},
	}
	same := func(a, b *time.Time) bool { return a == nil && b == nil || a != nil && b != nil && a.Equal(*b) }
	for _, test := range tests {
		c := &change.Change[Article]{Was: test.was, Now: test.now, At: at}
		if err := rule(c); err != nil || !same(c.Now.Published, test.published) || !same(c.Now.Archived, test.archived) {
			t.Errorf("%s: published %v archived %v, %v", test.name, c.Now.Published, c.Now.Archived, err)
		}
	}
}

func TestSlugs(t *testing.T) {
	for title, want := range map[string]string{
		"Hello, world":                         "hello-world",
		"  --Ärger & Öl!":                      "arger-ol",
		"日本語":                                  "article",
		"Trashed":                              "article",
		"0197a0c4-5f0e-7cc3-9a3b-2f2d8f9d6a11": "article",
		"x":                                    "x",
		"ﬁne Ⅳ":                                "fine-iv",
	} {
		if got := slugOf(title); got != want || !slugPattern.MatchString(got) {
			t.Errorf("slugOf(%q) = %q, want %q", title, got, want)
		}
	}
	for _, slug := range []string{"trashed", "0197a0c4-5f0e-7cc3-9a3b-2f2d8f9d6a11"} {
		if rule(&change.Change[Article]{Now: &Article{Status: published, Slug: slug}, At: at}) == nil {
			t.Errorf("the slug %q would be taken for something else", slug)
		}
	}
}

func FuzzSlug(f *testing.F) {
	f.Add("Hello, world")
	f.Add("\u0130\u200d日本 -- É")
	f.Fuzz(func(t *testing.T, title string) {
		if slug := slugOf(title); !slugPattern.MatchString(slug) || len(slug) > 100 || reservedSlug(slug) {
			t.Errorf("slugOf(%q) = %q", title, slug)
		}
	})
}

func TestHistoryDoesNotChange(t *testing.T) {
	text := Revision{Title: "t", Body: "b"}
	with := func(edit func(*Revision)) *Revision {
		r := text
		edit(&r)
		return &r
	}
	current := func(r *Revision) { r.Current = true }
	same := func(*Revision) {}
	tests := []struct {
		name     string
		was, now *Revision
		code     fault.Code
	}{
		{"made", nil, with(same), ""},
		{"made current", nil, with(current), ""},
		{"gone back to", with(same), with(current), ""},
		{"left alone", with(same), with(same), ""},
		{"current left alone", with(current), with(current), ""},
		{"steps down", with(current), with(same), fault.RevisionIsCurrent},
		{"removed", with(same), nil, ""},
		{"removed while current", with(current), nil, fault.RevisionIsCurrent},
		{"another title", with(same), with(func(r *Revision) { r.Title = "x" }), fault.ValidationFailed},
		{"another body", with(same), with(func(r *Revision) { r.Body = "x" }), fault.ValidationFailed},
	}
	for _, test := range tests {
		err := revisionRule(&change.Change[Revision]{Was: test.was, Now: test.now, At: at})
		if test.code == "" && err != nil || test.code != "" && !fault.Is(err, test.code) {
			t.Errorf("%s: %v", test.name, err)
		}
	}
}

func TestOnlyStatusChangesInTheTrash(t *testing.T) {
	was := Trashed{Article: Article{Slug: "s", Title: "t", Body: "b", Tags: []string{"x"}}, Status: trashed}
	for name, edit := range map[string]func(*Trashed){
		"slug": func(a *Trashed) { a.Slug = "y" }, "title": func(a *Trashed) { a.Title = "y" }, "body": func(a *Trashed) { a.Body = "y" },
		"tags": func(a *Trashed) { a.Tags = nil }, "metadata": func(a *Trashed) { a.Metadata = []byte(`{"a":1}`) },
	} {
		now := was
		edit(&now)
		err := trashRule(&change.Change[Trashed]{Was: &was, Now: &now, At: at})
		if f := fault.As(err); f.Code != fault.ValidationFailed || f.Parts[0].Pointer != "/"+name {
			t.Errorf("%s: %v", name, err)
		}
	}
}
