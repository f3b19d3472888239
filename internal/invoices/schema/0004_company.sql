-- A company that invoices point at cannot be removed: they would lose who was to pay.
ALTER TABLE invoices ADD COLUMN company_id TEXT REFERENCES companies (uuid);
CREATE INDEX invoices_company ON invoices (company_id, created_at, id);
