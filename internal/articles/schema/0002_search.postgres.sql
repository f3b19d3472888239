-- Words of articles, ready made: no parser or dictionary of the server's comes between.
CREATE TABLE articles_words (
	id    TEXT PRIMARY KEY,
	head  TSVECTOR NOT NULL,
	words TSVECTOR NOT NULL
);
CREATE INDEX articles_words_words ON articles_words USING gin (words);
