package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
)

const (
	spread    = 1000 // articles that are read, taken from all over the store
	writers   = 64   // most writers at once
	bodiesOf  = 64   // different bodies of new articles
	batchesOf = 8    // different batches
	listQuery = "/articles?status=published&sort=created_at&sort-dir=desc"
	inboxPath = "/users/me/messages"
	batchSize = 300

	companiesQuery = "/companies?status=active&sort=name"
	locatedQuery   = "/companies?partials=locations&limit=10"
)

// requests makes the bytes that the clients send.
type requests struct {
	token   string
	ids     []string // to be read
	mine    []string // to be changed
	reads   [][]byte
	same    [][]byte
	many    []byte
	mail    []byte
	listed  []byte
	drafts  []string        // members of new articles, but for the title
	notes   []string        // texts of messages
	batches []string        // bodies of 300 messages, each to another user
	buffers [writers][]byte // one for each worker
	picture []byte
	uploads [writers][]byte // requests with the picture, one for each worker
	image   []byte          // request for the picture
	account
}

func newRequests(s *store) *requests {
	q := &requests{token: s.token, mine: s.mine, account: account{drafted: s.drafted, payable: s.payable}}
	random := rand.New(rand.NewPCG(2, 0))
	for range spread {
		q.ids = append(q.ids, s.read[random.IntN(len(s.read))])
	}
	for _, id := range q.ids {
		q.reads = append(q.reads, q.bytes("GET", "/articles/"+id, "", ""))
	}
	q.many = q.bytes("GET", listQuery, "", "")
	q.mail = q.bytes("GET", inboxPath, "", "")
	q.listed = q.bytes("GET", companiesQuery, "", "")
	q.billed = q.bytes("GET", billsPath, "", "")
	writing := newText(3)
	for range bodiesOf {
		members, err := json.Marshal(map[string]any{"body": writing.body(), "tags": writing.tags()})
		if err != nil {
			panic(err) // strings only
		}
		q.drafts = append(q.drafts, string(members[1:]))
	}
	for range bodiesOf {
		q.notes = append(q.notes, writing.note())
	}
	for range batchesOf {
		items := make([]map[string]any, batchSize)
		for i := range items {
			items[i] = map[string]any{"user": map[string]any{"username": readerName(i)}, "message": writing.note()}
		}
		body, err := json.Marshal(items)
		if err != nil {
			panic(err) // strings only
		}
		q.batches = append(q.batches, string(body))
	}
	return q
}

// bytes writes a request. more is further header lines.
func (q *requests) bytes(method, path, more, body string) []byte {
	return q.append(nil, method, path, more, "", body)
}

// append writes a request whose body comes in two parts.
func (q *requests) append(dst []byte, method, path, more, body, rest string) []byte {
	dst = fmt.Appendf(dst, "%s %s HTTP/1.1\r\nHost: localhost\r\nAccept: application/json\r\nAuthorization: Bearer %s\r\n%s", method, path, q.token, more)
	if n := len(body) + len(rest); n > 0 {
		dst = fmt.Appendf(dst, "Content-Length: %d\r\n", n)
	}
	dst = append(dst, "\r\n"...)
	return append(append(dst, body...), rest...)
}

func (q *requests) one(_, n int) []byte { return q.reads[n%len(q.reads)] }

func (q *requests) unchanged(_, n int) []byte { return q.same[n%len(q.same)] }

func (q *requests) list(_, _ int) []byte { return q.many }

// coded asks for the list in a content coding.
func (q *requests) coded(coding string) maker {
	request := q.bytes("GET", listQuery, "Accept-Encoding: "+coding+"\r\n", "")
	return func(_, _ int) []byte { return request }
}

// create makes an article with a title of its own.
func (q *requests) create(worker, n int) []byte {
	title := fmt.Sprintf(`{"title":"A new article, number %d",`, n)
	q.buffers[worker] = q.append(q.buffers[worker][:0], "POST", "/articles", "Content-Type: application/json\r\n", title, q.drafts[n%len(q.drafts)])
	return q.buffers[worker]
}

// patch changes one member. No two workers ever change the same article.
func (q *requests) patch(worker, n int) []byte {
	own := len(q.mine) / writers
	id := q.mine[worker*own+n%own]
	body := fmt.Sprintf(`{"title":"A changed article, change %d"}`, n)
	q.buffers[worker] = q.append(q.buffers[worker][:0], "PATCH", "/articles/"+id, "Content-Type: application/merge-patch+json\r\n", "", body)
	return q.buffers[worker]
}

func (q *requests) inbox(_, _ int) []byte { return q.mail }

func (q *requests) companies(_, _ int) []byte { return q.listed }

// send makes a message to one of many users.
func (q *requests) send(worker, n int) []byte {
	body := fmt.Sprintf(`{"message":"Number %d: %s"}`, n, q.notes[n%len(q.notes)])
	q.buffers[worker] = q.append(q.buffers[worker][:0], "POST", "/users/"+readerName(n%batchSize)+"/messages", "Content-Type: application/json\r\n", "", body)
	return q.buffers[worker]
}

// batch makes 300 messages at once.
func (q *requests) batch(worker, n int) []byte {
	q.buffers[worker] = q.append(q.buffers[worker][:0], "POST", "/messages", "Content-Type: application/json\r\n", "", q.batches[n%len(q.batches)])
	return q.buffers[worker]
}

// learn asks the real server once for all that the limits and the conditional reads must know.
func (q *requests) learn(address string, number int) (answers, error) {
	c, err := dial(address)
	if err != nil {
		return nil, err
	}
	defer c.close()
	kept := answers{}
	ask := func(name string, request []byte, status int) {
		var a answer
		if err != nil {
			return
		}
		if a, err = c.ask(request); err == nil && a.Status != status {
			err = fmt.Errorf("%s answered %d, not %d: %s", name, a.Status, status, a.Body)
		}
		kept[name] = a
	}
	for i, id := range q.ids {
		ask("get", q.reads[i], 200)
		q.same = append(q.same, q.bytes("GET", "/articles/"+id, "If-None-Match: "+kept["get"].header("ETag")+"\r\n", ""))
	}
	ask("304", q.same[0], 304)
	ask("list", q.many, 200)
	ask("list-gzip", q.coded("gzip")(0, 0), 200)
	ask("list-zstd", q.coded("zstd")(0, 0), 200)
	ask("create", q.create(0, number), 201)
	ask("patch", q.patch(0, number), 200)
	ask("inbox", q.mail, 200)
	ask("history", q.history(0, 0), 200)
	ask("history-long", q.longHistory(0, 0), 200)
	ask("search", q.search(0, 0), 200)
	ask("search-common", q.searchCommon(0, 0), 200)
	ask("companies", q.listed, 200)
	ask("send", q.send(0, number), 201)
	ask("batch", q.batch(0, number), 201)
	ask("bills", q.billed, 200)
	ask("charge", q.charge(0, number), 201)
	ask("move", q.mover()(writers-1, number), 200)
	ask("pay", q.pay(0, number), 201)
	if err == nil {
		err = q.learnImages(ask, kept, number)
	}
	return kept, err
}
