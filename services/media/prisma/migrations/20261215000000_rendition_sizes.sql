-- migrate:up

-- Names of further renditions, about 320 and 1,280 pixels wide; null where the photo is not wider than they would be.
ALTER TABLE photos ADD COLUMN small text;
ALTER TABLE photos ADD COLUMN medium text;
-- Which set of renditions the photo has: 1 has thumbnail and preview only, 2 has all. The previous release makes 1.
ALTER TABLE photos ADD COLUMN rendition_set smallint NOT NULL DEFAULT 1;

-- migrate:down

ALTER TABLE photos DROP COLUMN small, DROP COLUMN medium, DROP COLUMN rendition_set;
