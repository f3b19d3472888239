package picture_test

import (
	"image"
	"image/gif"
	"reflect"
)

// sameLook compares two decoded images by what a viewer would see.
func sameLook(a, b any) bool {
	if moving, ok := a.(*gif.GIF); ok {
		other, ok := b.(*gif.GIF)
		return ok && reflect.DeepEqual(moving, other)
	}
	first, ok := a.(image.Image)
	second, also := b.(image.Image)
	return ok && also && reflect.DeepEqual(first, second)
}
