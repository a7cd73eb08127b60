-- migrate:up
-- How a username looks, in the forms that src/accounts/username-skeletons.ts makes; empty: the worker has not made them yet.
ALTER TABLE users ADD COLUMN username_skeletons text[] NOT NULL DEFAULT '{}';

-- migrate:down
ALTER TABLE users DROP COLUMN username_skeletons;
