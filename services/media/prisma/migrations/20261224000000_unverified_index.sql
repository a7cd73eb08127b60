-- migrate:up transaction:false

-- Photos whose SHA-256 the worker has not verified: few, for a short time.
CREATE INDEX CONCURRENTLY IF NOT EXISTS photos_unverified ON photos (id) WHERE NOT sha256_verified;

-- migrate:down transaction:false

DROP INDEX CONCURRENTLY IF EXISTS photos_unverified;
