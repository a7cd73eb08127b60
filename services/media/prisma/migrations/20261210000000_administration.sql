-- migrate:up

-- CRC-32 of the original, by which archives are made without reading it; null: uploaded before this column was added.
ALTER TABLE photos ADD COLUMN crc32 bigint;

-- Whose object it is, for the user's erasure; null: of nobody who is known. Without an index: the table is small, and only
-- erasures look for a user's rows.
ALTER TABLE object_removals ADD COLUMN user_id integer;

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

-- print-orders has erased the user: no order needs the print images any more.
CREATE TABLE erased_orders (
  user_id integer PRIMARY KEY
);

-- Exports of users. An archive is never stored: it is made from the entries while it is sent.
CREATE TABLE exports (
  -- 128 random bits in hex: the last part of its URL.
  id text PRIMARY KEY CHECK (id ~ '^[0-9a-f]{32}$'),
  user_id integer NOT NULL,
  status text NOT NULL DEFAULT 'preparing' CHECK (status IN ('preparing', 'ready', 'failed')),
  -- Why it failed.
  status_message text,
  -- Preparing: how far it is, and who is at it until when.
  progress jsonb NOT NULL DEFAULT '{}',
  attempts integer NOT NULL DEFAULT 0,
  lease_id uuid,
  lease_until timestamptz,
  -- Of the archive when it is ready: its bytes, its files, where its directory begins, and the directory's bytes.
  size bigint,
  entry_count integer,
  directory_offset bigint,
  directory_bytes bigint,
  -- When the user requested exports of which one was prepared, this one included: the latest only.
  requests timestamptz[] NOT NULL DEFAULT '{}',
  created_at timestamptz NOT NULL DEFAULT now(),
  ready_at timestamptz,
  expires_at timestamptz NOT NULL
);
-- One export at a time for each user.
CREATE UNIQUE INDEX exports_one_of_a_user ON exports (user_id);
CREATE INDEX exports_preparing ON exports (created_at) WHERE status = 'preparing';
CREATE INDEX exports_expiry ON exports (expires_at);

-- The files of an archive, in their order.
CREATE TABLE export_entries (
  export_id text NOT NULL REFERENCES exports ON DELETE CASCADE,
  position integer NOT NULL,
  -- Of the entry's local header in the archive.
  archive_offset bigint,
  path text NOT NULL,
  -- Of an original. Without it the archive cannot be made any more.
  photo_id integer,
  -- Key of the object with its bytes.
  key text NOT NULL,
  size bigint NOT NULL,
  crc32 bigint NOT NULL,
  modified_at timestamptz NOT NULL,
  PRIMARY KEY (export_id, position)
);
CREATE UNIQUE INDEX export_entries_offset ON export_entries (export_id, archive_offset);
-- Objects that belong to an export alone, which the sweep looks up.
CREATE INDEX export_entries_own_object ON export_entries (key) WHERE photo_id IS NULL;

-- migrate:down

DROP TABLE export_entries, exports, erased_orders, erasures;
ALTER TABLE object_removals DROP COLUMN user_id;
ALTER TABLE photos DROP COLUMN crc32;
