-- migrate:up
-- As every service with erasures has it.
CREATE TABLE erasures (
  user_id integer PRIMARY KEY,
  requested_at timestamptz NOT NULL DEFAULT now(),
  waits_for text NOT NULL DEFAULT '',
  erased_at timestamptz,
  revision integer NOT NULL DEFAULT 0
);
-- What the service has of users.
CREATE TABLE belongings (user_id integer NOT NULL, name text NOT NULL);

-- migrate:down
DROP TABLE erasures, belongings;
