-- migrate:up transaction:false

CREATE INDEX CONCURRENTLY IF NOT EXISTS photos_small_idx ON photos (small);

-- migrate:down transaction:false

DROP INDEX CONCURRENTLY IF EXISTS photos_small_idx;
