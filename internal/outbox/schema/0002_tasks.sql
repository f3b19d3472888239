-- Work that follows a change, put here in the change's own transaction. A task is due when run_at has passed; whoever takes
-- it moves run_at to the end of its lease, so a task whose node died is due again by itself.
CREATE TABLE tasks (
	id         TEXT   PRIMARY KEY,
	kind       TEXT   NOT NULL,
	key        TEXT   NOT NULL,
	run_at     BIGINT NOT NULL,
	attempts   BIGINT NOT NULL,
	problem    TEXT,
	dead_at    BIGINT,
	created_at BIGINT NOT NULL,
	UNIQUE (kind, key)
);
CREATE INDEX tasks_due ON tasks (run_at, id) WHERE dead_at IS NULL;
