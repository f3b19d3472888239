package db

import "database/sql"

// pgRows adds to the rows of database/sql the columns one by one. A row is taken apart only when they are asked for.
type pgRows struct {
	*sql.Rows
	values  []any
	targets []any // pointers to values
	taken   bool  // values are those of this row
	ended   bool
	err     error
}

// pgAnswer keeps the nil of an error from becoming rows.
func pgAnswer(rows *sql.Rows, err error) (Rows, error) {
	if err != nil {
		return nil, err
	}
	return &pgRows{Rows: rows}, nil
}

func (r *pgRows) Next() bool {
	r.taken = false
	if !r.Rows.Next() {
		r.ended = true
		return false
	}
	return true
}

func (r *pgRows) Close() error {
	r.ended = true
	return r.Rows.Close()
}

func (r *pgRows) Over() bool { return r.ended }

func (r *pgRows) Err() error {
	if r.err != nil {
		return r.err
	}
	return r.Rows.Err()
}

// Value keeps an error for Err: it can only be that there is no row.
func (r *pgRows) Value(i int) any {
	if r.taken {
		return r.values[i]
	}
	if r.values == nil {
		names, err := r.Rows.Columns()
		if err != nil {
			r.err = err
			return nil
		}
		r.values, r.targets = make([]any, len(names)), make([]any, len(names))
		for i := range r.values {
			r.targets[i] = &r.values[i]
		}
	}
	if err := r.Rows.Scan(r.targets...); err != nil {
		r.err = err
		return nil
	}
	r.taken = true
	return r.values[i]
}

func (r *pgRows) Null(i int) bool { return r.Value(i) == nil }

func (r *pgRows) Int(i int) (int64, bool) {
	switch v := r.Value(i).(type) {
	case int64:
		return v, true
	case bool:
		if v {
			return 1, true
		}
		return 0, true
	}
	return 0, false
}

func (r *pgRows) Text(i int) (string, bool) {
	switch v := r.Value(i).(type) {
	case string:
		return v, true
	case []byte:
		return string(v), true
	}
	return "", false
}
