package messages

import (
	"bytes"

	"verbless/internal/change"
	"verbless/internal/fault"
)

// rule is what may happen to a message: its text is the sender's, the mark that it was read the recipient's.
// Admins stand for both. Who may remove it is a matter of the policy alone.
func rule(c *change.Change[Message]) error {
	if c.Dying() {
		return nil
	}
	var bad fault.List
	if f := judgeRecipient(c); f != nil {
		bad.Add(f)
	}
	was := c.Was
	if c.Born() {
		was = &Message{Sender: c.Now.Sender, Message: c.Now.Message, Metadata: c.Now.Metadata} // a birth changes the mark alone
	}
	only := func(party int64, name, who string, same bool) {
		if !same && !c.By.IsAdmin() && c.By.ID != party {
			bad.Add(fault.New(fault.ForbiddenCode, "Only the %s may change this.", who).At("/" + name))
		}
	}
	only(c.Now.Sender, "message", "sender", was.Message == c.Now.Message)
	only(c.Now.Sender, "metadata", "sender", bytes.Equal(was.Metadata, c.Now.Metadata))
	only(c.Now.User.ID, "is_read", "recipient", was.Read == c.Now.Read)
	return bad.Err()
}

// now is what may become of a message: its text is the sender's, the mark that it was read the recipient's.
func now(by change.Actor, m *Message) change.Now {
	now := change.Now{Fixed: []string{"user"}}
	if !by.IsAdmin() && by.ID != m.Sender {
		now.Fixed = append(now.Fixed, "message", "metadata")
	}
	if !by.IsAdmin() && by.ID != m.User.ID {
		now.Fixed = append(now.Fixed, "is_read")
	}
	return now
}

// judgeRecipient compares what a body asked for with where the message is.
func judgeRecipient(c *change.Change[Message]) *fault.Fault {
	to := c.Now.User
	switch {
	case to.asked.id == 0 || to.asked.id == to.ID:
		return nil
	case c.Born():
		return fault.New(fault.NotAllowedValue, "The path names another user.").At("/user")
	}
	return fault.New(fault.ReadOnly, "The recipient of a message never changes.").At("/user")
}
