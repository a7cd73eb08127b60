-- migrate:up

-- The photo that its owner chose as the folder's picture; null: none. It stays while the photo is elsewhere.
ALTER TABLE folders ADD COLUMN cover_photo_id integer;

-- migrate:down
ALTER TABLE folders DROP COLUMN cover_photo_id;
