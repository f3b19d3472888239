package invoices

import (
	"net/http"
	"slices"
	"strings"

	"verbless/internal/fault"
	"verbless/internal/jsondoc"
	"verbless/internal/rest"
)

// status is the state of an invoice and what may become of it, for clients that want to know before they ask.
func (b *Book) status() rest.Resource {
	state := map[string]any{"type": "string", "enum": states}
	object := func(properties map[string]any) map[string]any {
		return map[string]any{"type": "object", "required": sortedNames(properties), "additionalProperties": false, "properties": properties}
	}
	text := map[string]any{"type": []string{"string", "null"}}
	address := map[string]any{"type": "string", "format": "uri"}
	schema := object(map[string]any{
		"data": object(map[string]any{
			"type": map[string]any{"const": "invoice_status"}, "id": map[string]any{"type": "string"},
			"attributes": object(map[string]any{
				"status": state, "allowed": map[string]any{"type": "array", "items": state, "description": "The states it may move to now."},
				"moves": map[string]any{"type": "array", "items": object(map[string]any{
					"to": state, "allowed": map[string]any{"type": "boolean"}, "message": text,
					"reason": map[string]any{"enum": []any{nil, notInTable, contactMissing, paymentPending}},
				})},
			}),
		}),
		"links": object(map[string]any{"self": address, "invoice": address}),
	})
	return rest.Route{Path: "/status", Operations: []*rest.Operation{{
		Method: http.MethodGet, ID: "getInvoiceStatus", Summary: "The state of an invoice, and which moves are allowed", Handle: b.showStatus,
		Params:  []rest.Param{{Name: "to", Doc: "Only whether the invoice may move to this state.", Schema: state}},
		Answers: []rest.Response{{Status: http.StatusOK, Doc: "As it is.", Schema: schema}, {Status: http.StatusNotModified, Doc: "Nothing has changed."}},
	}}}
}

func sortedNames(m map[string]any) []string {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func (b *Book) showStatus(c *rest.Call) (*rest.Answer, error) {
	to := states
	if c.Query.Has("to") {
		to = []string{c.Query.Get("to")}
		if !slices.Contains(states, to[0]) {
			return nil, fault.New(fault.InvalidParameter, "This takes one of: %s.", strings.Join(states, ", ")).In("to")
		}
	}
	invoice, err := rest.Above[Invoice](c)
	if err != nil {
		return nil, err
	}
	if err := meet(c.Ctx, b.DB.Reader(c.Ctx), invoice); err != nil {
		return nil, err
	}
	type member = jsondoc.Member
	list := []any{}
	for _, state := range to {
		reason, message := invoice.refusal(state)
		move := jsondoc.NewObject(member{Name: "to", Value: state}, member{Name: "allowed", Value: reason == ""}, member{Name: "reason"}, member{Name: "message"})
		if reason != "" {
			move.Set("reason", reason)
			move.Set("message", message)
		}
		list = append(list, move)
	}
	allowed := []any{}
	for _, state := range invoice.allowed() {
		allowed = append(allowed, state)
	}
	self, query := c.Self(), ""
	if c.Query.Has("to") {
		query = "?to=" + to[0]
	}
	body := jsondoc.NewObject(
		member{Name: "data", Value: jsondoc.NewObject(member{Name: "type", Value: "invoice_status"}, member{Name: "id", Value: invoice.ID},
			member{Name: "attributes", Value: jsondoc.NewObject(member{Name: "status", Value: invoice.Status}, member{Name: "allowed", Value: allowed}, member{Name: "moves", Value: list})})},
		member{Name: "links", Value: jsondoc.NewObject(member{Name: "self", Value: self + query}, member{Name: "invoice", Value: strings.TrimSuffix(self, "/status")})},
	)
	return c.Fresh(jsondoc.Append(nil, body)), nil
}
