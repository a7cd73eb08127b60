-- migrate:up transaction:false

CREATE INDEX CONCURRENTLY IF NOT EXISTS users_username_skeletons ON users USING gin (username_skeletons) WITH (fastupdate = off);

-- migrate:down transaction:false

DROP INDEX CONCURRENTLY IF EXISTS users_username_skeletons;
