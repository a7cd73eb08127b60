-- migrate:up

-- What media read from the photo; only one photo at a time is shown with it.
ALTER TABLE photos ADD COLUMN metadata jsonb;

-- migrate:down

ALTER TABLE photos DROP COLUMN metadata;
