// Package interop holds no code of the service: its tests send files to the real binary with clients that others wrote.
//
// It is a module of its own, so that those clients are no dependency of the service.
package interop
