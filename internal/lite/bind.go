package lite

import (
	"database/sql/driver"
	"fmt"
)

// bind gives the statement its arguments. What is not among the types that a column holds is converted as database/sql would.
func (st *statement) bind(args []any) error {
	if n := st.BindParamCount(); n != len(args) {
		return fmt.Errorf("lite: a statement with %d question marks, and %d arguments", n, len(args))
	}
	for i, arg := range args {
		if st.bindOne(i+1, arg) {
			continue
		}
		value, err := driver.DefaultParameterConverter.ConvertValue(arg)
		if err != nil {
			return fmt.Errorf("lite: argument %d: %w", i+1, err)
		}
		if !st.bindOne(i+1, value) {
			return fmt.Errorf("lite: argument %d: no column can hold a %T", i+1, value)
		}
	}
	return nil
}

func (st *statement) bindOne(i int, arg any) bool {
	switch v := arg.(type) {
	case nil:
		st.BindNull(i)
	case string:
		st.BindText(i, v)
	case int64:
		st.BindInt64(i, v)
	case int:
		st.BindInt64(i, int64(v))
	case bool:
		st.BindBool(i, v)
	case float64:
		st.BindFloat(i, v)
	case []byte:
		st.BindBytes(i, v)
	default:
		return false
	}
	return true
}
