-- migrate:up transaction:false

-- The same by folder; 0: photos in none.
CREATE INDEX CONCURRENTLY IF NOT EXISTS photos_map_folder ON photos
  ((CASE WHEN purpose = 'gallery' AND latitude IS NOT NULL THEN user_id END), coalesce(folder_id, 0),
    map_key(latitude, longitude), id)
  INCLUDE (purpose, user_id, folder_id, latitude, longitude) WHERE latitude IS NOT NULL;

-- migrate:down transaction:false

DROP INDEX CONCURRENTLY IF EXISTS photos_map_folder;
