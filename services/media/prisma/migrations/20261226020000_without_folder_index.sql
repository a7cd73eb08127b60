-- migrate:up transaction:false

-- Photos of the gallery in no folder.
CREATE INDEX CONCURRENTLY IF NOT EXISTS photos_without_folder ON photos (user_id, created_at, id)
  WHERE folder_id IS NULL AND purpose = 'gallery';

-- migrate:down transaction:false

DROP INDEX CONCURRENTLY IF EXISTS photos_without_folder;
