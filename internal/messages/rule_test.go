package messages

import (
	"fmt"
	"testing"

	"verbless/internal/auth"
	"verbless/internal/change"
	"verbless/internal/fault"
	"verbless/internal/jsondoc"
)

const sender, recipient, stranger = 2, 3, 4

var parties = map[string]change.Actor{
	"sender":    {ID: sender, Role: change.Member},
	"recipient": {ID: recipient, Role: change.Member},
	"stranger":  {ID: stranger, Role: change.Member},
	"admin":     {ID: 1, Role: change.Admin},
	"system":    change.System,
}

func letter(change ...func(*Message)) *Message {
	m := &Message{ID: "id", User: To(recipient), Sender: sender, Message: "Hi", Metadata: []byte("{}")}
	for _, f := range change {
		f(m)
	}
	return m
}

// verdict lists the faults of a rule as "code pointer".
func verdict(err error) (list string) {
	if err == nil {
		return ""
	}
	for _, part := range fault.As(err).Parts {
		list += fmt.Sprintf("%s %s;", part.Code, part.Pointer)
	}
	return list
}

// TestWhoMayChangeWhat walks every member and every party, one change at a time and all at once.
func TestWhoMayChangeWhat(t *testing.T) {
	text := func(m *Message) { m.Message = "Ho" }
	metadata := func(m *Message) { m.Metadata = []byte(`{"a":1}`) }
	read := func(m *Message) { m.Read = true }
	elsewhere := func(m *Message) { m.User.asked = asked{given: true, id: stranger} }
	same := func(m *Message) { m.User.asked = asked{given: true, id: recipient, username: "bob"} }
	for _, test := range []struct {
		name                 string
		change               []func(*Message)
		ofSender, ofReceiver string // faults; a stranger has both, admins none
	}{
		{"nothing", nil, "", ""},
		{"text", []func(*Message){text}, "", "forbidden /message;"},
		{"metadata", []func(*Message){metadata}, "", "forbidden /metadata;"},
		{"mark", []func(*Message){read}, "forbidden /is_read;", ""},
		{"all", []func(*Message){text, metadata, read}, "forbidden /is_read;", "forbidden /message;forbidden /metadata;"},
		{"the same recipient", []func(*Message){same}, "", ""},
	} {
		for name, by := range parties {
			want := map[string]string{"sender": test.ofSender, "recipient": test.ofReceiver, "stranger": test.ofReceiver + test.ofSender}[name]
			c := &change.Change[Message]{Was: letter(), Now: letter(test.change...), By: by}
			if got := verdict(rule(c)); got != want {
				t.Errorf("%s by %s: %q, want %q", test.name, name, got, want)
			}
			c = &change.Change[Message]{Was: letter(), Now: letter(append(test.change, elsewhere)...), By: by}
			if got := verdict(rule(c)); got != "read_only /user;"+want {
				t.Errorf("%s and the recipient by %s: %q", test.name, name, got)
			}
			if err := rule(&change.Change[Message]{Was: letter(test.change...), By: by}); err != nil {
				t.Errorf("removal by %s: %v", name, err) // the policy has judged already
			}
		}
	}
}

func TestBirths(t *testing.T) {
	read := func(m *Message) { m.Read = true }
	for name, by := range parties {
		if err := rule(&change.Change[Message]{Now: letter(), By: by}); err != nil {
			t.Errorf("%s sends: %v", name, err)
		}
		want := map[string]string{"sender": "forbidden /is_read;", "stranger": "forbidden /is_read;"}[name]
		if got := verdict(rule(&change.Change[Message]{Now: letter(read), By: by})); got != want {
			t.Errorf("%s sends what is read: %q", name, got)
		}
		astray := letter(func(m *Message) { m.User.asked = asked{given: true, id: stranger} })
		if got := verdict(rule(&change.Change[Message]{Now: astray, By: by})); got != "not_allowed_value /user;" {
			t.Errorf("%s sends elsewhere than the path says: %q", name, got)
		}
	}
}

// TestRecipientOfABody: exactly one of id and username, each in its only form.
func TestRecipientOfABody(t *testing.T) {
	for body, want := range map[string]struct {
		asked asked
		fault string
	}{
		`{"id":3}`:                            {asked{true, 3, ""}, ""},
		`{"id":9223372036854775807}`:          {asked{true, 9223372036854775807, ""}, ""},
		`{"username":"bob"}`:                  {asked{true, 0, "bob"}, ""},
		`{"username":"BoB"}`:                  {asked{true, 0, "bob"}, ""},
		`{}`:                                  {asked{given: true}, "required /user;"},
		`{"id":3,"username":"bob"}`:           {asked{given: true}, "not_allowed_value /user;"},
		`{"id":0,"username":"bob"}`:           {asked{given: true}, "out_of_range /user/id;not_allowed_value /user;"},
		`{"id":3,"name":"bob"}`:               {asked{true, 3, ""}, "unknown_field /user/name;"},
		`{"ID":3}`:                            {asked{given: true}, "unknown_field /user/ID;required /user;"},
		`{"id":null}`:                         {asked{given: true}, "wrong_type /user/id;"},
		`{"id":"3"}`:                          {asked{given: true}, "wrong_type /user/id;"},
		`{"id":3.0}`:                          {asked{given: true}, "wrong_type /user/id;"},
		`{"id":3e0}`:                          {asked{given: true}, "wrong_type /user/id;"},
		`{"id":0}`:                            {asked{given: true}, "out_of_range /user/id;"},
		`{"id":-0}`:                           {asked{given: true}, "out_of_range /user/id;"},
		`{"id":-3}`:                           {asked{given: true}, "out_of_range /user/id;"},
		`{"id":9223372036854775808}`:          {asked{given: true}, "out_of_range /user/id;"},
		`{"username":3}`:                      {asked{given: true}, "wrong_type /user/username;"},
		`{"username":null}`:                   {asked{given: true}, "wrong_type /user/username;"},
		`{"username":""}`:                     {asked{given: true}, "bad_format /user/username;"},
		`{"username":"me"}`:                   {asked{given: true}, "bad_format /user/username;"},
		`{"username":"3"}`:                    {asked{given: true}, "bad_format /user/username;"},
		`"bob"`:                               {asked{given: true}, "wrong_type /user;"},
		`3`:                                   {asked{given: true}, "wrong_type /user;"},
		`null`:                                {asked{given: true}, "wrong_type /user;"},
		`[{"id":3}]`:                          {asked{given: true}, "wrong_type /user;"},
		`{"username":"\u212aate"}`:            {asked{given: true}, "bad_format /user/username;"}, // the sign of Kelvin is a small k without case
		`{"username":"b\u043eb"}`:             {asked{given: true}, "bad_format /user/username;"},
		`{"username":"\uff42\uff4f\uff42"}`:   {asked{given: true}, "bad_format /user/username;"},
		`{"username":"bo\u200db"}`:            {asked{given: true}, "bad_format /user/username;"},
		`{"username":"\u202ebob"}`:            {asked{given: true}, "bad_format /user/username;"},
		`{"username":"bob\u0000"}`:            {asked{given: true}, "bad_format /user/username;"},
		`{"username":"bo\u0062"}`:             {asked{true, 0, "bob"}, ""}, // the same letter, written otherwise
		`{"username":"\u0130brahim"}`:         {asked{given: true}, "bad_format /user/username;"},
		`{"username":"jos\u00e9"}`:            {asked{given: true}, "bad_format /user/username;"},
		`{"username":"jose\u0301"}`:           {asked{given: true}, "bad_format /user/username;"},
		`{"username":"\u0661"}`:               {asked{given: true}, "bad_format /user/username;"},
		`{"username":"bob","username2":null}`: {asked{true, 0, "bob"}, "unknown_field /user/username2;"},
	} {
		doc, err := jsondoc.Parse([]byte(body))
		if err != nil {
			t.Fatalf("%s: %v", body, err)
		}
		to, bad := To(7), fault.List{}
		to.SetTree(doc, "/user", &bad)
		if got := verdict(bad.Err()); got != want.fault || to.asked != want.asked || to.ID != 7 {
			t.Errorf("%s: %q %+v", body, got, to)
		}
	}
}

func TestSettle(t *testing.T) {
	found := auth.Found{Numbered: map[int64]bool{3: true}, Named: map[string]int64{"bob": 3}}
	for _, test := range []struct {
		was   Recipient
		id    int64
		fault string
	}{
		{Recipient{}, 0, "required /user;"},
		{Recipient{ID: 3}, 3, ""},
		{Recipient{asked: asked{given: true}}, 0, ""}, // what is wrong with it was said already
		{Recipient{asked: asked{true, 3, ""}}, 3, ""},
		{Recipient{asked: asked{true, 0, "bob"}}, 3, ""},
		{Recipient{asked: asked{true, 4, ""}}, 0, "unknown_reference /user/id;"},
		{Recipient{asked: asked{true, 0, "carol"}}, 0, "unknown_reference /user/username;"},
		{Recipient{ID: 5, asked: asked{true, 0, "bob"}}, 5, ""}, // the rule compares the two
	} {
		to := test.was
		if got := verdict(to.settle(found)); got != test.fault || to.ID != test.id {
			t.Errorf("%+v: %q %+v", test.was, got, to)
		}
	}
}
