-- migrate:up transaction:false

-- Photos that lack sizes, for the worker.
CREATE INDEX CONCURRENTLY IF NOT EXISTS photos_lack_sizes ON photos (id) WHERE rendition_set < 2 AND status = 'ready';

-- migrate:down transaction:false

DROP INDEX CONCURRENTLY IF EXISTS photos_lack_sizes;
