package describe

import (
	_ "embed"
	"encoding/json"
	"strconv"
	"strings"

	"verbless/internal/fault"
)

// exampleText is made of the transcripts that tests replay, by a test of this package.
//
//go:embed examples.json
var exampleText string

// Example is one exchange of a transcript. What differs from run to run stands in it as a fixed value, and the address of the
// service as <base>.
type Example struct {
	Operation string          `json:"operation"` // "PATCH /articles/{article}"
	Title     string          `json:"title"`
	Type      string          `json:"type,omitempty"` // media type of the request
	Body      json.RawMessage `json:"body,omitempty"`
	Status    int             `json:"status"`
	Answered  string          `json:"answered,omitempty"` // media type of the answer
	Answer    json.RawMessage `json:"answer,omitempty"`
}

// examples are those of a service at its own address.
type examples struct {
	all      []Example
	problems map[fault.Code]*Example
}

func examplesFor(base string) *examples {
	e := &examples{problems: map[fault.Code]*Example{}}
	if err := json.Unmarshal([]byte(strings.ReplaceAll(exampleText, "<base>", base)), &e.all); err != nil {
		panic(err) // a test reads the file
	}
	for i := range e.all {
		var problem struct{ Code fault.Code }
		if e.all[i].Answered == problemType && json.Unmarshal(e.all[i].Answer, &problem) == nil && e.problems[problem.Code] == nil {
			e.problems[problem.Code] = &e.all[i]
		}
	}
	return e
}

// exampled adds the examples of an operation to a media type: those of its requests where status is 0, else those of its answers.
func (d *description) exampled(media map[string]any, operation, name string, status int, mediaType string) map[string]any {
	found := map[string]any{}
	for _, e := range d.examples.all {
		if e.Operation != operation {
			continue
		}
		name, value := name, e.Body
		switch {
		case status == 0 && e.Status < 400 && e.Type == mediaType && e.Body != nil:
		case status != 0 && e.Status == status && e.Answered == mediaType && e.Answer != nil:
			name, value = name+"_"+strconv.Itoa(status), e.Answer
		default:
			continue
		}
		reference := d.once(d.kept.examples, "examples", name, map[string]any{"summary": e.Title, "value": value}).(map[string]any)
		address := reference["$ref"].(string)
		found[address[strings.LastIndex(address, "/")+1:]] = reference
	}
	if len(found) > 0 {
		media["examples"] = found
	}
	return media
}

// problemExample gives the reference to the example of a code, nil when there is none.
func (d *description) problemExample(code fault.Code) any {
	e := d.examples.problems[code]
	if e == nil {
		return nil
	}
	return d.once(d.kept.examples, "examples", string(code), map[string]any{"summary": e.Title, "value": e.Answer})
}
