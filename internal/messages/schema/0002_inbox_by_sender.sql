-- An inbox by who wrote, for those who look for a rare letter among very many.
CREATE INDEX messages_inbox_sender ON messages (recipient_id, sender_id, created_at, id);
