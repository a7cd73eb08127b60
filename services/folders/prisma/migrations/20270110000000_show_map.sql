-- migrate:up

-- Whether its owner offers visitors a map of the photos.
ALTER TABLE folders ADD COLUMN show_map boolean NOT NULL DEFAULT false;

-- migrate:down
ALTER TABLE folders DROP COLUMN show_map;
