-- migrate:up

-- Whether `photo_hours` of the next migration has the user's photos. Alone in its transaction, which therefore holds no other
-- lock: uploads read `user_usage` before they write photos, and write it afterwards.
ALTER TABLE user_usage ADD COLUMN hours_counted boolean NOT NULL DEFAULT false;

-- migrate:down
ALTER TABLE user_usage DROP COLUMN hours_counted;
