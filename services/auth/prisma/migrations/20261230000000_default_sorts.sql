-- migrate:up
ALTER TABLE users
  DROP CONSTRAINT users_sort_check,
  ADD CONSTRAINT users_sort_check CHECK (sort IN ('newest', 'oldest', 'taken-newest', 'taken-oldest')) NOT VALID;

-- migrate:down
ALTER TABLE users
  DROP CONSTRAINT users_sort_check,
  ADD CONSTRAINT users_sort_check CHECK (sort IN ('newest', 'oldest')) NOT VALID;
