-- migrate:up transaction:false

CREATE INDEX CONCURRENTLY IF NOT EXISTS photos_medium_idx ON photos (medium);

-- migrate:down transaction:false

DROP INDEX CONCURRENTLY IF EXISTS photos_medium_idx;
