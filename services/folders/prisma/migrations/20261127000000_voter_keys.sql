-- migrate:up

-- The voter keys of this installation, told apart by a hash, in the order in which it came to know them.
CREATE TABLE voter_keys (
  id text PRIMARY KEY,
  seq integer GENERATED ALWAYS AS IDENTITY UNIQUE,
  known_since timestamptz NOT NULL DEFAULT now()
);

-- migrate:down

DROP TABLE voter_keys;
