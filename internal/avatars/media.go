package avatars

import (
	"net/http"
	"path"

	"verbless/internal/fault"
	"verbless/internal/picture"
	"verbless/internal/rest"
)

// forever is for what never changes under its name.
const forever = "public, max-age=31536000, immutable"

// Media serves the pictures to anybody, as pictures and nothing else.
func (a *Avatars) Media() rest.Resource {
	var answers []rest.Response
	for _, status := range []int{http.StatusOK, http.StatusPartialContent} {
		for _, mediaType := range picture.Types() {
			answers = append(answers, rest.Response{Status: status, Doc: "The picture, or the part asked for.", Type: mediaType, Headers: confined})
		}
	}
	part := rest.Param{Name: "name", Doc: "The end of an avatar's image_url.", Schema: map[string]any{"type": "string", "maxLength": 100}}
	return rest.Route{Path: "/media/{name}", Public: true, Parts: []rest.Param{part}, Operations: []*rest.Operation{{
		Method: http.MethodGet, ID: "getMedia", Summary: "Show a picture", Handle: a.show, Offers: picture.Types(),
		Answers: append(answers, rest.Response{Status: http.StatusNotModified, Doc: "Nothing has changed.", Headers: confined}),
	}}}
}

// confined are the headers that keep a browser from making more of a picture than a picture.
var confined = []rest.Header{{Name: "Content-Security-Policy", Doc: "Nothing runs, and nothing is loaded.", Always: true}, {Name: "Content-Disposition", Doc: "To be shown where it is asked for.", Always: true}}

func (a *Avatars) show(c *rest.Call) (*rest.Answer, error) {
	name := c.Param("name")
	mediaType := ""
	for of, extension := range extensions {
		if path.Ext(name) == extension {
			mediaType = of
		}
	}
	if mediaType == "" {
		return nil, fault.NotFound()
	}
	file, err := a.Files.Open(c.Ctx, name)
	if err != nil {
		return nil, err
	}
	answer := &rest.Answer{Status: http.StatusOK, Type: mediaType, Content: file, ETag: `"` + name + `"`, Public: forever}
	// Whatever a browser might take it for, it runs nothing and loads nothing.
	return answer.Set("Content-Security-Policy", "sandbox; default-src 'none'").Set("Content-Disposition", "inline"), nil
}
