package jsondoc

import (
	"errors"
	"fmt"
	"strconv"
)

var errScalar = errors.New("part of it leads into a value that is neither an array nor an object")

// find gives the value at tokens.
func find(v any, tokens []string) (any, error) {
	for _, token := range tokens {
		var err error
		if v, err = child(v, token); err != nil {
			return nil, err
		}
	}
	return v, nil
}

func child(parent any, token string) (any, error) {
	switch parent := parent.(type) {
	case *Object:
		i, err := parent.position(token)
		if err != nil {
			return nil, err
		}
		return parent.Members[i].Value, nil
	case []any:
		i, err := index(token, len(parent)-1, len(parent))
		if err != nil {
			return nil, err
		}
		return parent[i], nil
	default:
		return nil, errScalar
	}
}

func (o *Object) position(name string) (int, error) {
	i := o.find(name)
	if i < 0 {
		return 0, fmt.Errorf("the object has no member %s", quote(name))
	}
	return i, nil
}

// index reads token as an index of an array with length elements, at most last.
func index(token string, last, length int) (int, error) {
	if token == "-" {
		return 0, errors.New(`there is no element at "-", which is the place after the last`)
	}
	if token == "" || (token[0] == '0' && token != "0") {
		return 0, notIndex(token)
	}
	for _, c := range []byte(token) {
		if c < '0' || c > '9' {
			return 0, notIndex(token)
		}
	}
	i, err := strconv.Atoi(token)
	if err != nil || i > last {
		return 0, fmt.Errorf("the array has %d elements, and index %s is beyond them", length, quote(token))
	}
	return i, nil
}

func notIndex(token string) error { return fmt.Errorf("%s is not an index of an array", quote(token)) }
