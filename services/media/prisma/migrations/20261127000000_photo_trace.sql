-- migrate:up

-- Of a photo that waits: the trace of its upload, which its processing belongs to.
ALTER TABLE photos ADD COLUMN trace text;

-- migrate:down

ALTER TABLE photos DROP COLUMN trace;
