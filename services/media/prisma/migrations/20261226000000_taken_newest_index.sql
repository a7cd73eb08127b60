-- migrate:up transaction:false

-- The gallery by date taken, the newest first: by the camera's clock, photos without a date last. Names the user by an
-- expression, like the other indexes of the lists.
CREATE INDEX CONCURRENTLY IF NOT EXISTS photos_taken_newest ON photos
  ((CASE WHEN purpose = 'gallery' THEN user_id END), (coalesce(left(date_taken, 19), '') COLLATE "C"), id);

-- migrate:down transaction:false

DROP INDEX CONCURRENTLY IF EXISTS photos_taken_newest;
