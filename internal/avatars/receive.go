package avatars

import (
	"context"
	"io"
	"mime"
	"strings"

	"verbless/internal/blob"
	"verbless/internal/fault"
	"verbless/internal/fetch"
	"verbless/internal/picture"
	"verbless/internal/rest"
)

// extensions name the files, so that they have the right type wherever they are served from.
var extensions = map[string]string{picture.JPEG: ".jpg", picture.PNG: ".png", picture.GIF: ".gif"}

// receive takes a picture in, from the body or from the address that the body names. When it returns, the file is durable, and
// no row knows of it yet: if none ever does, it is swept.
func (a *Avatars) receive(c *rest.Call, row *Avatar) error {
	mediaType, data := c.BodyType(), c.Body
	if extensions[mediaType] == "" {
		var err error
		if mediaType, data, err = a.fetch(c.Ctx, row.Image, c.At+"/image_url"); err != nil {
			return err
		}
	}
	clean, err := a.Judge.Clean(c.Ctx, mediaType, data)
	if err != nil {
		return err
	}
	row.Hash = blob.Hash(clean.Data)
	row.File = blob.Name(row.Hash, extensions[clean.Type])
	return a.Files.Put(c.Ctx, row.File, clean.Data)
}

// fetch gets a picture from an address. Whatever goes wrong on the way, the answer is the same.
func (a *Avatars) fetch(ctx context.Context, address, at string) (mediaType string, data []byte, err error) {
	if name, ours := strings.CutPrefix(address, a.Address+"/"); ours {
		return a.own(ctx, name, at)
	}
	if err := fetch.Check(address); err != nil {
		return "", nil, fault.Invalid(fault.NotAllowedValue, at, "This must be an http or https address, without user and password.")
	}
	found, err := a.Fetch.Get(ctx, address, a.Max)
	if err != nil {
		if ctx.Err() != nil {
			return "", nil, ctx.Err()
		}
		return "", nil, a.notFetched(at, err)
	}
	mediaType = picture.Sniff(found.Body)
	// A server that calls a picture by another name would have it taken for something else elsewhere.
	if said, _, err := mime.ParseMediaType(found.Type); found.Type != "" && said != "application/octet-stream" && (err != nil || said != mediaType) {
		return "", nil, fault.New(fault.ImageMismatch, "What the address leads to is no JPEG, PNG or GIF image, or is called something else.").At(at)
	}
	return mediaType, found.Body, nil
}

// own takes a picture that is here already, so that an avatar that was read can be sent again.
func (a *Avatars) own(ctx context.Context, name, at string) (mediaType string, data []byte, err error) {
	file, err := a.Files.Open(ctx, name)
	if fault.Is(err, fault.NotFoundCode) {
		return "", nil, a.notFetched(at, err)
	}
	if err != nil {
		return "", nil, err
	}
	defer file.Close()
	data, err = io.ReadAll(io.LimitReader(file, a.Max))
	return picture.Sniff(data), data, err
}

func (a *Avatars) notFetched(at string, err error) error {
	return fault.New(fault.ImageNotFetched, "The image could not be fetched. The address must lead to a public JPEG, PNG or GIF image of at most %d bytes.", a.Max).
		At(at).Because(err)
}
