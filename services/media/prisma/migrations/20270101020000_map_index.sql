-- migrate:up transaction:false

-- The gallery by place on the map. Names the user by an expression that no other index has; the columns behind INCLUDE let
-- the index answer alone.
CREATE INDEX CONCURRENTLY IF NOT EXISTS photos_map ON photos
  ((CASE WHEN purpose = 'gallery' AND latitude IS NOT NULL THEN user_id END), map_key(latitude, longitude), id)
  INCLUDE (purpose, user_id, folder_id, latitude, longitude) WHERE latitude IS NOT NULL;

-- migrate:down transaction:false

DROP INDEX CONCURRENTLY IF EXISTS photos_map;
