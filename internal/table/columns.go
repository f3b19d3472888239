package table

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	"verbless/internal/cell"
	"verbless/internal/db"
)

// column is one db-tagged field, with all that reflection can find out beforehand.
type column struct {
	name     string
	quoted   string
	path     []int  // through embedded structs
	selected string // as a SELECT names it: quoted or, when derived, its expression
	nullable bool
	managed  bool     // key, version, born, touch, fixed and derived: an edit does not change them
	derived  bool     // computed by SQL and never written
	members  *Members // where its items stand one by one
	cell.Codec
}

func (c *column) field(row reflect.Value) reflect.Value {
	for _, i := range c.path {
		row = row.Field(i)
	}
	return row
}

// layout is how a struct lies in its table.
type layout struct {
	columns      []column
	byName       map[string]int
	key, version int // -1: there is none
	born, touch  int
	all          []int // every column
}

var timeType = reflect.TypeFor[time.Time]()

var identifier = regexp.MustCompile(`^[a-z_][a-z0-9_]*$`)

// layOut reads the tags of t. It panics on what a program must not contain.
func layOut(t reflect.Type) *layout {
	l := &layout{byName: map[string]int{}, key: -1, version: -1, born: -1, touch: -1}
	if t.Kind() != reflect.Struct {
		panic(fmt.Sprintf("table: %s is not a struct", t))
	}
	l.addFields(t, nil)
	if l.key < 0 {
		panic(fmt.Sprintf("table: %s has no key", t))
	}
	return l
}

// addFields takes the fields of t, then those of the structs it embeds: what is further out shadows what is further in.
func (l *layout) addFields(t reflect.Type, path []int) {
	here := map[string]bool{}
	for i := range t.NumField() {
		f := t.Field(i)
		tag := f.Tag.Get("db")
		if tag == "" || tag == "-" {
			continue
		}
		name, options, _ := strings.Cut(tag, ",")
		if here[name] {
			panic(fmt.Sprintf("table: %s.%s: column %q is there twice", t, f.Name, name))
		}
		here[name] = true
		if _, shadowed := l.byName[name]; !shadowed {
			l.add(t, f, name, options, slices.Concat(path, []int{i}))
		}
	}
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Anonymous && f.Type.Kind() == reflect.Struct && f.Tag.Get("db") == "" && f.Type != timeType {
			l.addFields(f.Type, slices.Concat(path, []int{i}))
		}
	}
}

func (l *layout) add(t reflect.Type, f reflect.StructField, name, options string, path []int) {
	at := len(l.columns)
	bad := func(why string) { panic(fmt.Sprintf("table: %s.%s: %s", t, f.Name, why)) }
	if !identifier.MatchString(name) || !f.IsExported() {
		bad("not a column: " + name)
	}
	c := column{name: name, quoted: `"` + name + `"`, path: path, managed: options != ""}
	c.selected = c.quoted
	var ok bool
	if c.Codec, c.nullable, ok = cell.For(f.Type); !ok {
		bad("no column can hold a " + f.Type.String())
	}
	kind := f.Type.Kind()
	for option := range strings.SplitSeq(options, ",") {
		switch {
		case option == "" || option == "fixed":
		case option == "derived":
			c.derived = true
		case option == "key" && l.key < 0 && (kind == reflect.String || kind == reflect.Int64):
			l.key = at
		case option == "version" && l.version < 0 && kind == reflect.Int64:
			l.version = at
		case option == "born" && l.born < 0 && f.Type == timeType:
			l.born = at
		case option == "touch" && l.touch < 0 && f.Type == timeType:
			l.touch = at
		default:
			bad("option " + option + " cannot be used here")
		}
	}
	l.columns = append(l.columns, c)
	l.byName[name] = at
	l.all = append(l.all, at)
}

// quoted are the names of all columns as SQL takes them.
func (l *layout) selected() []string {
	names := make([]string, len(l.columns))
	for i := range l.columns {
		names[i] = l.columns[i].selected
	}
	return names
}

// column finds a column by name; one that the table does not have is a mistake of the program.
func (l *layout) column(name string) *column { return &l.columns[l.index(name)] }

func (l *layout) index(name string) int {
	i, ok := l.byName[name]
	if !ok {
		panic("table: no column " + name)
	}
	return i
}

// derive gives the derived columns their SQL.
func (l *layout) derive(expressions map[string]string) {
	for i := range l.columns {
		c := &l.columns[i]
		if expression, ok := expressions[c.name]; ok != c.derived {
			panic("table: column " + c.name + " must be derived in its tag and have an expression, or neither")
		} else if ok {
			c.quoted = "(" + expression + ")"
			c.selected = c.quoted + ` AS "` + c.name + `"`
		}
	}
}

// pick gives the columns named, all when none are; key and version are always among them.
func (l *layout) pick(names []string) []int {
	if len(names) == 0 {
		return l.all
	}
	picked := make([]int, 0, len(names)+2)
	add := func(i int) {
		if i >= 0 && !slices.Contains(picked, i) {
			picked = append(picked, i)
		}
	}
	add(l.key)
	add(l.version)
	for _, name := range names {
		add(l.index(name))
	}
	return picked
}

// values are what the columns of row hold, as the driver takes them. All of them can be compared with ==.
func (l *layout) values(row reflect.Value) ([]any, error) {
	values := make([]any, len(l.columns))
	for i := range l.columns {
		c := &l.columns[i]
		v, err := c.Get(c.field(row))
		if err != nil {
			return nil, fmt.Errorf("column %s: %w", c.name, err)
		}
		values[i] = db.Plain(v)
	}
	return values, nil
}

// stamp sets a time column of row, if the table has it.
func (l *layout) stamp(row reflect.Value, at int, t time.Time) {
	if at >= 0 {
		l.columns[at].field(row).Set(reflect.ValueOf(t))
	}
}
