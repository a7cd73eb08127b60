-- migrate:up
CREATE TABLE outbox (
  seq bigserial PRIMARY KEY,
  id uuid NOT NULL UNIQUE,
  subject text NOT NULL,
  payload bytea NOT NULL,
  headers jsonb NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  published_at timestamptz
);
CREATE INDEX outbox_pending ON outbox (seq) WHERE published_at IS NULL;

-- A projection as every service keeps them, and each time that a handler ran.
CREATE TABLE photos (id integer PRIMARY KEY, title text NOT NULL, revision integer NOT NULL, deleted boolean NOT NULL);
CREATE TABLE handled (photo_id integer NOT NULL, revision integer NOT NULL, at timestamptz NOT NULL DEFAULT now());

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
