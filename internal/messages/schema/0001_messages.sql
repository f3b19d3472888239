-- A message refers to both its users, so a user who sent or got one can be removed only after it.
CREATE TABLE messages (
	id           TEXT    PRIMARY KEY,
	recipient_id BIGINT  NOT NULL REFERENCES users (id),
	sender_id    BIGINT  NOT NULL REFERENCES users (id),
	message      TEXT    NOT NULL,
	is_read      BOOLEAN NOT NULL,
	metadata     TEXT    NOT NULL,
	version      BIGINT  NOT NULL,
	created_at   BIGINT  NOT NULL,
	updated_at   BIGINT  NOT NULL
);
-- An inbox by time, also of what is not read yet among very many that are; and what somebody sent.
CREATE INDEX messages_inbox ON messages (recipient_id, created_at, id);
CREATE INDEX messages_unread ON messages (recipient_id, is_read, created_at, id);
CREATE INDEX messages_sent ON messages (sender_id, created_at, id);
