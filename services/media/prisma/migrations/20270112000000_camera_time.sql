-- migrate:up

-- Its exception handler begins a subtransaction, which PostgreSQL refuses in a parallel query.
ALTER FUNCTION camera_time(text) PARALLEL UNSAFE;

-- migrate:down
ALTER FUNCTION camera_time(text) PARALLEL SAFE;
