package rest

import (
	"encoding/json"
	"net/http"
	"strings"

	"verbless/internal/fault"
)

// describe answers OPTIONS: what this path takes, and which of it this caller may do.
// It finds the resource first, so that it tells nobody of what they may not see.
func (rt *route) describe(c *Call) (*Answer, error) {
	own := true
	if rt.find != nil {
		var err error
		if own, err = rt.find(c); err != nil {
			return nil, err
		}
	}
	answer := (&Answer{Status: http.StatusNoContent, Type: jsonType}).Set("Allow", rt.allow)
	for method, op := range rt.operations {
		if len(op.Takes) > 0 {
			answer.Set(AcceptHeader(method), strings.Join(op.Takes, ", "))
		}
	}
	if rt.api.Describe == nil {
		return answer, nil
	}
	description := rt.api.Describe(c, func(op *Operation) fault.Code {
		switch {
		case rt.public || op.Open || permits(op.who, c.By, own):
			return ""
		case op.Lists() && op.resource.whole(): // somebody else's
			return fault.NotFoundCode
		}
		return fault.ForbiddenCode
	})
	if rt.extend != nil {
		if err := rt.extend(c, description); err != nil {
			return nil, err
		}
	}
	body, err := json.Marshal(description)
	if err != nil {
		return nil, err
	}
	answer.Status, answer.Body = http.StatusOK, append(body, '\n')
	return answer, nil
}

// AcceptHeader is the header that lists the types that a method takes.
func AcceptHeader(method string) string {
	switch method {
	case http.MethodPatch:
		return "Accept-Patch"
	case http.MethodPost:
		return "Accept-Post"
	}
	return "Accept"
}
