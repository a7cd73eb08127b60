-- migrate:up

-- Which aircraft took the photo: a hash of its serial number; null where the file names none, and for photos of the time
-- before this until they are processed again. Alone in its transaction, which therefore holds no other lock.
ALTER TABLE photos ADD COLUMN aircraft text;

-- migrate:down
ALTER TABLE photos DROP COLUMN aircraft;
