package app

import (
	"net/http"

	"verbless/internal/db"
	"verbless/internal/rest"
)

// health says that the process lives.
func health(*db.DB) rest.Resource {
	return probe("/healthz", "getHealth", "Is the process alive?", func(*rest.Call) error { return nil })
}

// ready says that requests can be answered: the database can be read, and may be written to.
func ready(d *db.DB) rest.Resource {
	return probe("/readyz", "getReadiness", "Can requests be answered?", func(c *rest.Call) error { return d.Ping(c.Ctx) })
}

func probe(path, id, summary string, check func(*rest.Call) error) rest.Resource {
	ok := map[string]any{"type": "object", "required": []string{"status"}, "properties": map[string]any{"status": map[string]any{"const": "ok"}}}
	return rest.Route{Path: path, Public: true, Operations: []*rest.Operation{{
		Method: http.MethodGet, ID: id, Summary: summary, Answers: []rest.Response{{Status: http.StatusOK, Doc: "Yes.", Schema: ok}},
		Handle: func(c *rest.Call) (*rest.Answer, error) {
			if err := check(c); err != nil {
				return nil, err
			}
			return &rest.Answer{Status: http.StatusOK, NoStore: true, Body: []byte("{\"status\":\"ok\"}\n")}, nil
		},
	}}}
}
