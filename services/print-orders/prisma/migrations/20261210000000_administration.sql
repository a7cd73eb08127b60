-- migrate:up

-- Users to erase, and erased ones: a row stays, so that nothing late brings anything back.
CREATE TABLE erasures (
  user_id integer PRIMARY KEY,
  requested_at timestamptz NOT NULL DEFAULT now(),
  -- Why it cannot be complete yet, in a sentence for administrators.
  waits_for text NOT NULL DEFAULT '',
  erased_at timestamptz,
  -- Of the events about it.
  revision integer NOT NULL DEFAULT 0
);
CREATE INDEX erasures_open ON erasures (requested_at) WHERE erased_at IS NULL;

-- migrate:down

DROP TABLE erasures;
