package rest_test

import (
	"context"
	"maps"

	"verbless/internal/onetime"
)

// keys is a onetime.Store in the world's transaction.
type keys struct {
	kept map[string]onetime.Kept
	busy bool // another node holds every key
}

func newKeys(w *world) *keys {
	k := &keys{kept: map[string]onetime.Kept{}}
	w.tables = append(w.tables, k)
	return k
}

func (k *keys) keep() func() {
	was := maps.Clone(k.kept)
	return func() { k.kept = was }
}

func (k *keys) Claim(_ context.Context, _ int64, key, fingerprint string) (*onetime.Kept, error) {
	if k.busy {
		return nil, onetime.InProgress()
	}
	if kept, ok := k.kept[key]; ok {
		return &kept, nil
	}
	k.kept[key] = onetime.Kept{Fingerprint: fingerprint}
	return nil, nil
}

func (k *keys) Keep(_ context.Context, _ int64, key string, answer []byte) error {
	kept := k.kept[key]
	kept.Answer = answer
	k.kept[key] = kept
	return nil
}
