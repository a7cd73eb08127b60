-- migrate:up

-- How far `photo_cells` of a later migration has the user's photos: up to this key of the map and, at this key, this id.
-- Alone in its transaction, like `hours_counted`.
ALTER TABLE user_usage ADD COLUMN map_counted_key bigint NOT NULL DEFAULT 0, ADD COLUMN map_counted_id integer NOT NULL DEFAULT 0;

-- migrate:down
ALTER TABLE user_usage DROP COLUMN map_counted_key, DROP COLUMN map_counted_id;
