package picture

import "encoding/binary"

// upright is the orientation of an image that needs no turning.
const upright = 1

// orientation finds how an image wants to be turned in a TIFF block, the form of EXIF.
func orientation(tiff []byte) int {
	if len(tiff) < 8 {
		return upright
	}
	var order binary.ByteOrder
	switch string(tiff[:4]) {
	case "II*\x00":
		order = binary.LittleEndian
	case "MM\x00*":
		order = binary.BigEndian
	default:
		return upright
	}
	at := int64(order.Uint32(tiff[4:]))
	if at < 8 || at+2 > int64(len(tiff)) {
		return upright
	}
	entries := tiff[at+2:]
	for range order.Uint16(tiff[at:]) {
		if len(entries) < 12 {
			break
		}
		const tag, short = 0x0112, 3
		if order.Uint16(entries) == tag && order.Uint16(entries[2:]) == short && order.Uint32(entries[4:]) == 1 {
			if way := int(order.Uint16(entries[8:])); way >= 1 && way <= 8 {
				return way
			}
			break
		}
		entries = entries[12:]
	}
	return upright
}

// onlyOrientation is a TIFF block that says nothing else.
func onlyOrientation(way int) []byte {
	return []byte{'M', 'M', 0, '*', 0, 0, 0, 8, // big endian, the directory follows
		0, 1, // one entry
		0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, byte(way), 0, 0,
		0, 0, 0, 0} // no further directory
}
