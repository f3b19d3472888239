package rest

import (
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"verbless/internal/cursor"
	"verbless/internal/field"
	"verbless/internal/header"
	"verbless/internal/jsondoc"
	"verbless/internal/lend"
)

// view reads the parameters that say what is shown.
func (c *collection) view(call *Call) *view {
	if len(call.Query) == 0 {
		return c.brief
	}
	base := c.opened(call.Query)
	if !call.Query.Has("fields") && (len(c.relations) == 0 || !call.Query.Has("include")) {
		return base
	}
	var include []string
	if len(c.relations) > 0 { // else it is an unknown parameter
		include = commas(call.Query, "include")
	}
	return newView(base, commas(call.Query, "fields"), include, &call.bad)
}

// state is the first half of a row's ETag.
func (c *collection) state(row reflect.Value) string {
	return c.api.keyed(9, "state", c.name, field.Text(c.model.Key.Of(row)), strconv.FormatInt(c.model.Version.Of(row).Int(), 36))
}

// viewTag is the second half: how the row is shown, to whom and, where other rows are shown with it, what they hold.
func (c *collection) viewTag(call *Call, v *view, row reflect.Value, body []byte) string {
	private := ""
	if c.hasPrivate && c.seesPrivate(call.By, row) {
		private = "private"
	}
	if v.borrows() {
		return c.api.keyedBody(6, body, "view", call.mediaType, v.signature, private, c.basis)
	}
	key := viewKey{call.mediaType, private, v.signature}
	known := v == c.plain || v == c.brief // of other views there are as many as callers can think of
	if tag, ok := c.viewTags.Load(key); ok && known {
		return tag.(string)
	}
	tag := c.api.keyed(6, "view", call.mediaType, v.signature, private, c.basis)
	if known {
		c.viewTags.Store(key, tag)
	}
	return tag
}

type viewKey struct{ mediaType, private, signature string }

// get answers GET of one. With If-None-Match it compares versions before it reads the rest.
func (c *collection) get(call *Call) (*Answer, error) {
	v := c.view(call)
	if err := call.bad.Err(); err != nil {
		return nil, err
	}
	if len(call.Request.Header["If-None-Match"]) > 0 && !v.borrows() {
		row, err := c.find(call, c.always)
		if err != nil {
			return nil, err
		}
		if tag := etag(c.state(row), c.viewTag(call, v, row, nil)); header.Unchanged(call.Request.Header, tag) {
			return &Answer{Status: http.StatusNotModified, ETag: tag, NoStore: c.noStore}, nil
		}
	}
	columns := v.columns()
	if c.shape.Kind != "" {
		columns = nil // which links are shown may depend on any of them
	}
	row, err := c.find(call, columns)
	if err != nil {
		return nil, err
	}
	return c.show(call, v, row, http.StatusOK)
}

// show makes the answer that holds one row.
func (c *collection) show(call *Call, v *view, row reflect.Value, status int) (*Answer, error) {
	if err := v.load(call.Ctx, call.By, []reflect.Value{row}); err != nil {
		return nil, err
	}
	warnings := v.fetch(call.Ctx, []reflect.Value{row})
	lent := isRead(call) // what a write answers may be kept
	var body []byte
	if lent {
		body = lend.Lend()
	}
	body = append(c.writeOne(slices.Grow(body, 1024), call, v, row, warnings), '\n')
	answer := &Answer{Status: status, Body: body, lent: lent, ETag: etag(c.state(row), c.viewTag(call, v, row, body)), NoStore: c.noStore || len(warnings) > 0}
	if status == http.StatusOK && v.borrows() && isRead(call) && header.Unchanged(call.Request.Header, answer.ETag) {
		answer.Status, answer.Body = http.StatusNotModified, nil
	}
	return answer, nil
}

func isRead(call *Call) bool {
	return call.Request.Method == http.MethodGet || call.Request.Method == http.MethodHead
}

// list answers GET of many.
func (c *collection) list(call *Call) (*Answer, error) {
	above, err := c.above(call)
	if err != nil {
		return nil, err
	}
	scope, err := c.scope(call, above)
	if err != nil {
		return nil, err
	}
	v, q := c.view(call), c.readList(call, above)
	if err := call.bad.Err(); err != nil {
		return nil, err
	}
	q.Where = append(q.Where, scope...)
	if q.Columns = v.columns(); q.Columns != nil {
		q.Columns = append(q.Columns, q.Sort)
	}
	rows, more, total, err := c.store.list(call.Ctx, q.List)
	if err != nil {
		return nil, err
	}
	if err := v.load(call.Ctx, call.By, rows); err != nil {
		return nil, err
	}
	return c.showMany(call, v, q, rows, more, total, v.fetch(call.Ctx, rows)), nil
}

// showMany makes the answer that holds a page. Its tag stands for the versions of the rows, so a page that has not changed
// is not written at all; only what is included has to be.
func (c *collection) showMany(call *Call, v *view, q *listQuery, rows []reflect.Value, more bool, total int64, warnings []Warning) *Answer {
	answer := &Answer{Status: http.StatusOK, NoStore: c.noStore || len(warnings) > 0}
	end := c.endOfPage(answer, c.pageLinks(call, q, rows, more), q, total, warnings)
	if !v.borrows() {
		answer.ETag = c.pageTag(call, v, c.versions(call, rows, end))
		if header.Unchanged(call.Request.Header, answer.ETag) {
			answer.Status = http.StatusNotModified
			return answer
		}
	}
	body := slices.Grow(lend.Lend(), int(c.size.Load())+512) // as long as the last one, most likely
	if c.shape.Kind == "" {
		body = c.shape.WriteMany(body, len(rows), func(dst []byte, i int) []byte { return v.write(dst, rows[i], call.By) })
	} else {
		body = c.shape.WriteMany(body, len(rows), func(dst []byte, i int) []byte { return v.writeResource(dst, rows[i], call.By) })
		body = v.writeIncluded(body, rows, call.By)
	}
	answer.Body, answer.lent = append(body, end...), true
	c.size.Store(int64(len(answer.Body)))
	if v.borrows() {
		answer.ETag = c.pageTag(call, v, answer.Body)
		if header.Unchanged(call.Request.Header, answer.ETag) {
			answer.Status, answer.Body = http.StatusNotModified, nil
		}
	}
	return answer
}

// endOfPage is what follows the rows: links and, when it was asked for, the total. The links go into a header too.
func (c *collection) endOfPage(answer *Answer, links []pageLink, q *listQuery, total int64, warnings []Warning) []byte {
	end := []byte(`,"links":{`)
	header := ""
	for i, link := range links {
		if i > 0 {
			end, header = append(end, ','), header+", "
		}
		end = jsondoc.AppendString(append(jsondoc.AppendString(end, link.rel), ':'), link.href)
		header += "<" + link.href + `>; rel="` + link.rel + `"`
	}
	end = append(end, '}')
	answer.Set("Link", header)
	if q.Count {
		end = strconv.AppendInt(append(end, `,"meta":{"total":`...), total, 10)
		end = append(appendWarnings(end, ",", warnings, ""), '}')
		answer.Set("Preference-Applied", "count=exact")
	} else {
		end = appendWarnings(end, `,"meta":{`, warnings, "}")
	}
	return append(end, "}\n"...)
}

// versions is everything that the bytes of a page depend on, but for its view.
func (c *collection) versions(call *Call, rows []reflect.Value, end []byte) []byte {
	text := make([]byte, 0, len(rows)*44+len(end)+32)
	for _, row := range rows {
		text = append(append(text, field.Text(c.model.Key.Of(row))...), ' ')
		text = append(strconv.AppendInt(text, c.model.Version.Of(row).Int(), 10), ' ')
	}
	if c.hasPrivate { // some members are shown to some
		text = append(strconv.AppendInt(text, call.By.ID, 10), call.By.Role...)
	}
	return append(text, end...)
}

func (c *collection) pageTag(call *Call, v *view, content []byte) string {
	return etag(c.api.keyedBody(9, content, "list", c.name), c.api.keyed(6, "view", call.mediaType, v.signature, c.basis))
}

type pageLink struct{ rel, href string }

// pageLinks lead to this page and to its neighbours, where they exist.
func (c *collection) pageLinks(call *Call, q *listQuery, rows []reflect.Value, more bool) []pageLink {
	link := func(rel, at string) pageLink {
		values := url.Values{}
		for name, value := range call.Query {
			values[name] = value
		}
		c.canonical(values)
		if at != "" {
			values.Set("cursor", at)
		}
		href := c.api.Base + call.Request.URL.EscapedPath()
		if len(values) > 0 {
			href += "?" + strings.ReplaceAll(values.Encode(), "%2C", ",") // commas need no escape, and people read links
		}
		return pageLink{rel, href}
	}
	links := []pageLink{link("self", "")}
	if len(rows) == 0 {
		return links
	}
	edge := func(row reflect.Value, before bool) string {
		return cursor.Make(c.api.keyed, q.fingerprint, before, q.by.Of(row), c.model.Key.Of(row))
	}
	backwards := q.Edge != nil && q.Edge.Before
	if backwards || more {
		links = append(links, link("next", edge(rows[len(rows)-1], false)))
	}
	if q.Edge != nil && !backwards || backwards && more {
		links = append(links, link("prev", edge(rows[0], true)))
	}
	return links
}
