-- Who a user is to an outside issuer. The row outlives the user: who was removed here is not made again.
CREATE TABLE identities (
	issuer     TEXT   NOT NULL,
	subject    TEXT   NOT NULL,
	user_id    BIGINT REFERENCES users (id) ON DELETE SET NULL,
	created_at BIGINT NOT NULL,
	PRIMARY KEY (issuer, subject)
);
CREATE INDEX identities_user ON identities (user_id);
