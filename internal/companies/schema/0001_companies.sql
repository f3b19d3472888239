CREATE TABLE companies (
	uuid           TEXT   PRIMARY KEY,
	name           TEXT   NOT NULL,
	status         TEXT   NOT NULL CHECK (status IN ('prospect', 'active', 'inactive')),
	contact_info   TEXT,
	locations      TEXT   NOT NULL,
	website        TEXT,
	industry       TEXT,
	employee_count BIGINT CHECK (employee_count >= 0),
	metadata       TEXT   NOT NULL,
	version        BIGINT NOT NULL,
	created_at     BIGINT NOT NULL,
	updated_at     BIGINT NOT NULL
);
CREATE INDEX companies_created ON companies (created_at, uuid);
CREATE INDEX companies_status ON companies (status, created_at, uuid);
CREATE INDEX companies_name ON companies (name, uuid);
CREATE INDEX companies_status_name ON companies (status, name, uuid);
