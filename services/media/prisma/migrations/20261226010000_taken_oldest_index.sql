-- migrate:up transaction:false

-- The gallery by date taken, the oldest first: photos without a date are last here too, so it is not the other index
-- read backwards.
CREATE INDEX CONCURRENTLY IF NOT EXISTS photos_taken_oldest ON photos
  ((CASE WHEN purpose = 'gallery' THEN user_id END), (coalesce(left(date_taken, 19), '~') COLLATE "C"), id);

-- migrate:down transaction:false

DROP INDEX CONCURRENTLY IF EXISTS photos_taken_oldest;
