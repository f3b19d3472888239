package lite

import (
	"database/sql"
	"fmt"
	"reflect"
	"strconv"
)

func (r *Rows) scan(dest []any) error {
	if len(dest) != r.st.columns {
		return fmt.Errorf("lite: a row of %d columns, and %d places for them", r.st.columns, len(dest))
	}
	for i, d := range dest {
		if err := r.scanOne(i, d); err != nil {
			return fmt.Errorf("lite: column %d: %w", i+1, err)
		}
	}
	return nil
}

func (r *Rows) scanOne(i int, dest any) (err error) {
	switch d := dest.(type) { // what can hold NULL
	case *any:
		*d = r.Value(i)
		return nil
	case *[]byte:
		*d = nil
		if !r.Null(i) {
			*d = []byte(r.st.ColumnText(i))
		}
		return nil
	case sql.Scanner:
		return d.Scan(r.Value(i))
	}
	if r.Null(i) {
		return scanNull(dest)
	}
	switch d := dest.(type) {
	case *string:
		*d = r.st.ColumnText(i)
	case *int64:
		*d, err = r.number(i, 64)
	case *int:
		var n int64
		n, err = r.number(i, strconv.IntSize)
		*d = int(n)
	case *bool:
		*d, err = r.truth(i)
	default:
		return r.scanKind(i, dest)
	}
	return err
}

// scanNull is for a pointer to a pointer; nothing else that is left can hold NULL.
func scanNull(dest any) error {
	v := reflect.ValueOf(dest)
	if v.Kind() != reflect.Pointer || v.IsNil() || v.Elem().Kind() != reflect.Pointer {
		return fmt.Errorf("a %T cannot hold NULL", dest)
	}
	v.Elem().SetZero()
	return nil
}

// scanKind is for types that have a name of their own, and for pointers.
func (r *Rows) scanKind(i int, dest any) error {
	v := reflect.ValueOf(dest)
	if v.Kind() != reflect.Pointer || v.IsNil() {
		return fmt.Errorf("a %T cannot hold a column", dest)
	}
	v = v.Elem()
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		return r.scanOne(i, v.Interface())
	case reflect.String:
		v.SetString(r.st.ColumnText(i))
		return nil
	case reflect.Bool:
		b, err := r.truth(i)
		v.SetBool(b)
		return err
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		n, err := r.number(i, v.Type().Bits())
		v.SetInt(n)
		return err
	case reflect.Float64:
		n, err := strconv.ParseFloat(r.st.ColumnText(i), 64)
		v.SetFloat(n)
		return err
	}
	return fmt.Errorf("a %T cannot hold a column", dest)
}

// number also takes text that spells one.
func (r *Rows) number(i, bits int) (int64, error) {
	n, ok := r.Int(i)
	if ok && bits == 64 {
		return n, nil
	}
	return strconv.ParseInt(r.st.ColumnText(i), 10, bits)
}

func (r *Rows) truth(i int) (bool, error) {
	if n, ok := r.Int(i); ok {
		return n != 0, nil
	}
	return strconv.ParseBool(r.st.ColumnText(i))
}
