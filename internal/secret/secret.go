// Package secret is what one random key of the service is used for: short tags that nobody else can make or read, and
// seals that hide bytes from whoever reads the store.
package secret

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"hash"
	"sync"
)

// Key makes tags and seals. It is safe for concurrent use.
type Key struct {
	key  []byte
	macs sync.Pool // of keyed hashes, which are costly to make
}

// New uses random bytes that every node shares.
func New(key []byte) *Key {
	k := &Key{key: key}
	k.macs.New = func() any { return hmac.New(sha256.New, key) }
	return k
}

// Tag makes a tag of so many bytes, as text, of a body and the parts.
func (k *Key) Tag(size int, body []byte, parts ...string) string {
	mac := k.macs.Get().(hash.Hash)
	defer k.macs.Put(mac)
	mac.Reset()
	mac.Write(body)
	text := make([]byte, 0, 256) // one write instead of many; most fit without growing
	for _, part := range parts {
		text = append(append(text, part...), 0)
	}
	mac.Write(text)
	return base64.RawURLEncoding.EncodeToString(mac.Sum(text[:0])[:size])
}

// Seal hides bytes from anyone who does not know both the key and the parts.
func (k *Key) Seal(parts ...string) cipher.AEAD {
	mac := hmac.New(sha256.New, k.key)
	mac.Write([]byte("seal"))
	for _, part := range parts {
		mac.Write([]byte{0})
		mac.Write([]byte(part))
	}
	block, err := aes.NewCipher(mac.Sum(nil))
	if err != nil {
		panic(err) // the key always has 32 bytes
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		panic(err)
	}
	return aead
}
