package uploads

import (
	"fmt"
	"mime"
	"net/http"
	"strings"
	"unicode"

	"verbless/internal/fault"
	"verbless/internal/rest"
)

// contentRoute is the bytes of an upload: to read for those who may see it, to send for those who have the capability.
func (u *Uploads) contentRoute() rest.Resource {
	capability := []rest.Param{{Name: "upload_id", Doc: "The capability in the address that POST /uploads answered with.", Schema: map[string]any{"type": "string"}}}
	sends := func(method, id string) *rest.Operation {
		return &rest.Operation{Method: method, ID: id, Summary: "Send a file, or go on with it", Takes: []string{rest.Any}, Params: capability, Loose: true, Open: true, Streams: true, Handle: u.send,
			Answers: []rest.Response{
				{Status: http.StatusOK, Doc: "All of it is here: this is the upload. With X-Http-Status-Code-Override: 308, and no body, it is not.", Schema: rest.Ref("upload"), Headers: []rest.Header{tagged, ranged, override}},
				{Status: http.StatusPermanentRedirect, Doc: "More is to come. Range says what is here; without it nothing is.", Headers: []rest.Header{ranged}},
				{Status: statusCancelled, Doc: "It was cancelled."},
			},
			Refuses: []fault.Code{fault.ChecksumMismatch, fault.UploadEnded, fault.UploadGap, fault.UploadOvertaken, fault.UploadTooLarge, fault.Unauthenticated}}
	}
	return rest.Route{Path: "/content", Operations: []*rest.Operation{
		{Method: http.MethodGet, ID: "getUploadContent", Summary: "Read the file", Guests: true, Offers: []string{rest.Any}, Handle: u.show, Answers: []rest.Response{
			{Status: http.StatusOK, Doc: "The file.", Type: rest.Any, Headers: confined},
			{Status: http.StatusPartialContent, Doc: "The part asked for.", Type: rest.Any, Headers: confined},
			{Status: http.StatusNotModified, Doc: "Nothing has changed.", Headers: confined},
		}},
		sends(http.MethodPut, "sendUploadContent"),
		sends(http.MethodPost, "postUploadContent"),
		{Method: http.MethodDelete, ID: "cancelUpload", Summary: "Cancel an upload", Params: capability, Loose: true, Open: true, Handle: u.cancel,
			Answers: []rest.Response{{Status: statusCancelled, Doc: "It is cancelled, which is what the clients of this protocol expect."}}, Refuses: []fault.Code{fault.UploadEnded, fault.UploadOvertaken, fault.Unauthenticated}},
	}}
}

// What the answers say beside what all say.
var (
	tagged   = rest.Header{Name: "ETag", Doc: "The version of the upload."}
	ranged   = rest.Header{Name: "Range", Doc: "The bytes that are here."}
	override = rest.Header{Name: "X-Http-Status-Code-Override", Doc: "308: more is to come, for clients that asked for no 308."}
	confined = []rest.Header{{Name: "Content-Security-Policy", Doc: "Nothing runs, and nothing is loaded.", Always: true}, {Name: "Content-Disposition", Doc: "Whether to show or to save it, and under which name.", Always: true}}
)

// forever is for what never changes under its address.
const forever = "public, max-age=31536000, immutable"

// show answers GET of the content.
func (u *Uploads) show(c *rest.Call) (*rest.Answer, error) {
	upload, err := rest.Above[Upload](c)
	if fault.Is(err, fault.NotFoundCode) && c.By.Role == "" {
		return nil, fault.New(fault.Unauthenticated, "Send Authorization: Bearer followed by a token; only public files can be read without.").On("Authorization")
	}
	if err != nil {
		return nil, err
	}
	if upload.Content == nil {
		return nil, fault.NotFound()
	}
	file, err := u.Files.Open(c.Ctx, upload.File)
	if err != nil {
		return nil, err
	}
	answer := &rest.Answer{Status: http.StatusOK, Type: upload.Content.Type, Content: file, ETag: tag(upload)}
	if upload.Status == Public {
		answer.Public = forever
	}
	// It is saved and not shown; whatever a browser might take it for, it runs nothing and loads nothing.
	return answer.Set("Content-Security-Policy", "sandbox; default-src 'none'").Set("Content-Disposition", disposition(upload)), nil
}

// tag is the same as long as the bytes are.
func tag(u *Upload) string {
	return fmt.Sprintf(`"%s-%x"`, strings.TrimRight(u.Content.Checksum.CRC32C, "="), u.Content.Size)
}

// disposition names the file as its title does, as far as that is safe.
func disposition(u *Upload) string {
	name := strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || strings.ContainsRune(`/\:*?"<>|`, r) || unicode.Is(unicode.Cf, r) {
			return '_'
		}
		return r
	}, u.Snippet.Title)
	name = strings.TrimLeft(strings.TrimSpace(name), ".")
	if name == "" {
		name = u.ID
	}
	if text := mime.FormatMediaType("attachment", map[string]string{"filename": name}); text != "" {
		return text
	}
	return "attachment"
}
