-- migrate:up
-- The SHA-256 of a photo that was uploaded in parts is the claim of its client until the worker has read the file.
ALTER TABLE photos ADD COLUMN sha256_verified boolean NOT NULL DEFAULT true;

CREATE TABLE upload_sessions (
  id text PRIMARY KEY CHECK (id ~ '^[0-9a-f]{32}$'),
  user_id integer NOT NULL,
  -- What the client declared.
  name text NOT NULL,
  size bigint NOT NULL CHECK (size > 0),
  sha256 text NOT NULL CHECK (sha256 ~ '^[0-9a-f]{64}$'),
  part_bytes integer NOT NULL CHECK (part_bytes > 0),
  -- One after the other, 32 bytes each.
  part_hashes bytea NOT NULL CHECK (octet_length(part_hashes) % 32 = 0),
  description text,
  is_public boolean,
  folder_id integer,
  purpose text NOT NULL DEFAULT 'gallery' CHECK (purpose IN ('gallery', 'metadata')),
  -- At the store: the id in the key of the original, and the id of the upload, which a restart replaces.
  object_id text NOT NULL UNIQUE CHECK (object_id ~ '^[0-9a-f]{32}$'),
  upload_id text NOT NULL,
  state text NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'completing', 'completed', 'failed')),
  lease_id uuid,
  lease_until timestamptz,
  -- Of a completed one.
  photo_id integer,
  duplicate boolean,
  -- Of a failed one: status, code, message and issues of the error.
  failure jsonb,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL
);
-- A user has one open session for a file.
CREATE UNIQUE INDEX upload_sessions_open_file ON upload_sessions (user_id, sha256, purpose)
  WHERE state IN ('open', 'completing');
CREATE INDEX upload_sessions_user ON upload_sessions (user_id, created_at);
CREATE INDEX upload_sessions_photo ON upload_sessions (photo_id) WHERE photo_id IS NOT NULL;
CREATE INDEX upload_sessions_expiry ON upload_sessions (expires_at);

-- migrate:down
DROP TABLE upload_sessions;
ALTER TABLE photos DROP COLUMN sha256_verified;
