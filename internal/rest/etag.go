package rest

// keyed makes a short tag of the parts that nobody without the secret can make or read.
func (a *API) keyed(size int, parts ...string) string { return a.secret.Tag(size, nil, parts...) }

// keyedBody makes a tag of a body, too.
func (a *API) keyedBody(size int, body []byte, parts ...string) string {
	return a.secret.Tag(size, body, parts...)
}

// An ETag is "state.view". The state stands for what is stored, the view for how it is shown.
func etag(state, view string) string { return `"` + state + "." + view + `"` }
