-- migrate:up

-- Whether `photo_taken_days` of the next migration has the user's photos. Alone in its transaction, like `hours_counted`.
ALTER TABLE user_usage ADD COLUMN taken_counted boolean NOT NULL DEFAULT false;

-- migrate:down
ALTER TABLE user_usage DROP COLUMN taken_counted;
