package lite

import "strings"

// Script runs several statements one after the other, up to the first that fails.
func (c *Conn) Script(text string) error {
	for text = skipBlanks(text); text != ""; {
		st, rest, err := c.PrepareTransient(text)
		if err != nil {
			return failure(err)
		}
		for more := true; more && err == nil; {
			more, err = st.Step()
		}
		st.Finalize()
		if err != nil {
			return failure(err)
		}
		text = skipBlanks(text[len(text)-rest:])
	}
	return nil
}

// skipBlanks leaves out the spaces, comments and empty statements that text begins with: SQLite makes no statement of them.
func skipBlanks(text string) string {
	for {
		text = strings.TrimLeft(text, " \t\r\n\f;")
		switch {
		case strings.HasPrefix(text, "--"):
			_, text, _ = strings.Cut(text, "\n")
		case strings.HasPrefix(text, "/*"):
			_, text, _ = strings.Cut(text[2:], "*/")
		default:
			return text
		}
	}
}
