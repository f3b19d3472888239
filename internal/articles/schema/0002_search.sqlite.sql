-- Words of articles. Rows of the index have numbers, so each article has one that never changes. The tokenizer only parts
-- at what is not a letter or digit of ASCII, because words come here ready made.
CREATE TABLE articles_docs (
	n  INTEGER PRIMARY KEY,
	id TEXT NOT NULL UNIQUE
);
CREATE VIRTUAL TABLE articles_words USING fts5 (head, text, content = '', contentless_delete = 1, detail = 'column', tokenize = 'ascii');
