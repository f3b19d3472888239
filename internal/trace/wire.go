package trace

import (
	"encoding/binary"
)

// This file writes opentelemetry-proto's ExportTraceServiceRequest by hand: one message of few fields, where the library for all
// of them would be a tenth of the program. The tests read it back with that library.

// Kinds of fields in protobuf's encoding.
const (
	varint  = 0
	fixed64 = 1
	length  = 2
	fixed32 = 5
)

func tag(out []byte, field, kind int) []byte {
	return binary.AppendUvarint(out, uint64(field<<3|kind))
}

func appendText(out []byte, field int, text string) []byte {
	if text == "" {
		return out
	}
	out = binary.AppendUvarint(tag(out, field, length), uint64(len(text)))
	return append(out, text...)
}

func appendNumber(out []byte, field int, v uint64) []byte {
	return binary.AppendUvarint(tag(out, field, varint), v)
}

// appendMessage writes a message whose length is known only when it is written.
func appendMessage(out []byte, field int, write func([]byte) []byte) []byte {
	inner := write(nil)
	out = binary.AppendUvarint(tag(out, field, length), uint64(len(inner)))
	return append(out, inner...)
}

func appendAttribute(out []byte, field int, a attribute) []byte {
	return appendMessage(out, field, func(out []byte) []byte {
		out = appendText(out, 1, a.key)
		return appendMessage(out, 2, func(out []byte) []byte {
			if a.isNumber {
				return appendNumber(out, 3, uint64(a.number))
			}
			out = binary.AppendUvarint(tag(out, 1, length), uint64(len(a.text))) // also when it is empty: else it would have no type
			return append(out, a.text...)
		})
	})
}

// Flags of a span, beside those of W3C in its lowest byte.
const (
	flagSampled     = 0x001
	flagRemoteKnown = 0x100
	flagRemote      = 0x200
)

func (s *Span) append(out []byte) []byte {
	out = appendText(out, 1, string(s.trace[:]))
	out = appendText(out, 2, string(s.id[:]))
	out = appendText(out, 3, s.state)
	if s.parent != [8]byte{} {
		out = appendText(out, 4, string(s.parent[:]))
	}
	out = appendText(out, 5, s.name)
	out = appendNumber(out, 6, uint64(s.kind))
	out = binary.LittleEndian.AppendUint64(tag(out, 7, fixed64), uint64(s.start.UnixNano()))
	// By the clock that never jumps: an end before its start would be thrown away.
	out = binary.LittleEndian.AppendUint64(tag(out, 8, fixed64), uint64(s.start.UnixNano()+int64(s.end.Sub(s.start))))
	for _, a := range s.attributes {
		out = appendAttribute(out, 9, a)
	}
	if s.failed != "" {
		const failed = 2
		out = appendMessage(out, 15, func(out []byte) []byte { return appendNumber(out, 3, failed) })
	}
	flags := uint32(flagSampled | flagRemoteKnown)
	if s.remote {
		flags |= flagRemote
	}
	return binary.LittleEndian.AppendUint32(tag(out, 16, fixed32), flags)
}

// encode writes a batch of spans of one process.
func encode(resource []attribute, version string, spans []*Span) []byte {
	return appendMessage(nil, 1, func(out []byte) []byte {
		out = appendMessage(out, 1, func(out []byte) []byte {
			for _, a := range resource {
				out = appendAttribute(out, 1, a)
			}
			return out
		})
		return appendMessage(out, 2, func(out []byte) []byte {
			out = appendMessage(out, 1, func(out []byte) []byte { return appendText(appendText(out, 1, "verbless"), 2, version) })
			for _, s := range spans {
				out = appendMessage(out, 2, s.append)
			}
			return out
		})
	})
}
