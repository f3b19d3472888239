package rest

import (
	"net/http"
	"net/url"
	"reflect"
	"strconv"
	"strings"

	"verbless/internal/field"
	"verbless/internal/jsondoc"
)

// view reads the parameters that say what is shown.
func (c *collection) view(call *Call) *view {
	if len(call.Query) == 0 || !call.Query.Has("fields") && !call.Query.Has("include") {
		return c.plain
	}
	var include []string
	if len(c.relations) > 0 { // else it is an unknown parameter
		include = commas(call.Query, "include")
	}
	return newView(c, commas(call.Query, "fields"), include, &call.bad)
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
	if len(v.includes) > 0 {
		return c.api.keyedBody(6, body, "view", call.mediaType, v.signature, private)
	}
	key := viewKey{call.mediaType, private}
	if tag, ok := c.viewTags.Load(key); ok && v == c.plain {
		return tag.(string)
	}
	tag := c.api.keyed(6, "view", call.mediaType, v.signature, private)
	if v == c.plain { // of other views there are as many as callers can think of
		c.viewTags.Store(key, tag)
	}
	return tag
}

type viewKey struct{ mediaType, private string }

// get answers GET of one. With If-None-Match it compares versions before it reads the rest.
func (c *collection) get(call *Call) (*Answer, error) {
	v := c.view(call)
	if err := call.bad.Err(); err != nil {
		return nil, err
	}
	if len(call.Request.Header["If-None-Match"]) > 0 && len(v.includes) == 0 {
		row, err := c.find(call, c.always)
		if err != nil {
			return nil, err
		}
		if tag := etag(c.state(row), c.viewTag(call, v, row, nil)); unchanged(call.Request.Header, tag) {
			return &Answer{Status: http.StatusNotModified, ETag: tag, NoStore: c.noStore}, nil
		}
	}
	columns := v.columns()
	if c.shape.kind != "" {
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
	body := append(c.writeOne(make([]byte, 0, 1024), call, v, row), '\n')
	answer := &Answer{Status: status, Body: body, ETag: etag(c.state(row), c.viewTag(call, v, row, body)), NoStore: c.noStore}
	if status == http.StatusOK && len(v.includes) > 0 && isRead(call) && unchanged(call.Request.Header, answer.ETag) {
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
	v, q := c.view(call), c.readList(call, above)
	if err := call.bad.Err(); err != nil {
		return nil, err
	}
	scope, err := c.scope(call.By)
	if err != nil {
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
	return c.showMany(call, v, q, rows, more, total), nil
}

func (c *collection) showMany(call *Call, v *view, q *listQuery, rows []reflect.Value, more bool, total int64) *Answer {
	links := c.pageLinks(call, q, rows, more)
	body := make([]byte, 0, c.size.Load()+512) // as long as the last one, most likely
	body = append(jsondoc.AppendString(append(body, '{'), c.shape.many), ":["...)
	for i, row := range rows {
		if i > 0 {
			body = append(body, ',')
		}
		if c.shape.kind != "" {
			body = v.writeResource(body, row, call.By)
		} else {
			body = v.write(body, row, call.By)
		}
	}
	body = append(body, `],"links":{`...)
	header := ""
	for i, link := range links {
		if i > 0 {
			body, header = append(body, ','), header+", "
		}
		body = jsondoc.AppendString(append(jsondoc.AppendString(body, link.rel), ':'), link.href)
		header += "<" + link.href + `>; rel="` + link.rel + `"`
	}
	body = append(body, '}')
	if c.shape.kind != "" {
		body = v.writeIncluded(body, rows, call.By)
	}
	answer := (&Answer{Status: http.StatusOK, NoStore: c.noStore}).Set("Link", header)
	if q.Count {
		body = append(strconv.AppendInt(append(body, `,"meta":{"total":`...), total, 10), '}')
		answer.Set("Preference-Applied", "count=exact")
	}
	answer.Body = append(body, "}\n"...)
	c.size.Store(int64(len(answer.Body)))
	answer.ETag = etag(c.api.keyedBody(9, answer.Body, "list"), c.api.keyed(6, "view", call.mediaType, v.signature))
	if unchanged(call.Request.Header, answer.ETag) {
		answer.Status, answer.Body = http.StatusNotModified, nil
	}
	return answer
}

type pageLink struct{ rel, href string }

// pageLinks lead to this page and to its neighbours, where they exist.
func (c *collection) pageLinks(call *Call, q *listQuery, rows []reflect.Value, more bool) []pageLink {
	link := func(rel, cursor string) pageLink {
		values := url.Values{}
		for name, value := range call.Query {
			values[name] = value
		}
		if cursor != "" {
			values.Set("cursor", cursor)
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
		return c.api.cursorFor(q.fingerprint, before, q.by.Of(row), c.model.Key.Of(row))
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
