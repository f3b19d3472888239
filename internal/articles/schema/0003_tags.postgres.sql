-- The tags of articles one by one, to find articles by them.
CREATE TABLE articles_tags (
	tag        TEXT NOT NULL,
	article_id TEXT NOT NULL,
	PRIMARY KEY (tag, article_id)
);
