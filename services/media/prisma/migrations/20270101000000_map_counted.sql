-- migrate:up

-- Whether `photo_cells` of a later migration has the user's photos. Alone in its transaction, like `hours_counted`.
ALTER TABLE user_usage ADD COLUMN map_counted boolean NOT NULL DEFAULT false;

-- migrate:down
ALTER TABLE user_usage DROP COLUMN map_counted;
