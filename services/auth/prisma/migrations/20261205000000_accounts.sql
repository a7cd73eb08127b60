-- migrate:up
ALTER TABLE users
  ADD COLUMN email_confirmed boolean NOT NULL DEFAULT false,
  -- The address was set after the registration: only its confirmation with the password counts.
  ADD COLUMN email_changed boolean NOT NULL DEFAULT false,
  -- The address that was confirmed last, while a new one is not confirmed yet.
  ADD COLUMN former_email text,
  -- Bytes; null: the installation's default.
  ADD COLUMN quota bigint CHECK (quota >= 0),
  ADD COLUMN units text NOT NULL DEFAULT 'metric' CHECK (units IN ('metric', 'imperial')),
  ADD COLUMN sort text NOT NULL DEFAULT 'newest' CHECK (sort IN ('newest', 'oldest')),
  ADD COLUMN view text NOT NULL DEFAULT 'grid' CHECK (view IN ('grid', 'list')),
  -- Of the events about the user; 0: none was published yet.
  ADD COLUMN revision integer NOT NULL DEFAULT 0;

-- An address as it is compared. The collation makes it the same on every server.
CREATE FUNCTION address_key(address text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN lower(normalize(address, NFC) COLLATE "und-x-icu");

-- The address of each user that was confirmed last, as it is compared: who gets the mail for a forgotten password. A table
-- beside users, whose rows and index need no lock on users while they are made. Kept by the trigger.
CREATE TABLE confirmed_addresses (
  user_id integer PRIMARY KEY REFERENCES users ON DELETE CASCADE,
  address text NOT NULL,
  key text NOT NULL GENERATED ALWAYS AS (address_key(address)) STORED
);
CREATE INDEX confirmed_addresses_key ON confirmed_addresses (key, user_id);

CREATE FUNCTION keep_confirmed_address() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE confirmed text := CASE WHEN NEW.email_confirmed THEN NEW.email ELSE NEW.former_email END;
BEGIN
  IF confirmed IS NULL THEN
    DELETE FROM confirmed_addresses WHERE user_id = NEW.id;
  ELSE
    INSERT INTO confirmed_addresses (user_id, address) VALUES (NEW.id, confirmed)
    ON CONFLICT (user_id) DO UPDATE SET address = EXCLUDED.address;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER keep_confirmed_address AFTER INSERT OR UPDATE OF email, email_confirmed, former_email ON users
  FOR EACH ROW EXECUTE FUNCTION keep_confirmed_address();

-- Tokens of links in mails. Only their SHA-256 is stored.
CREATE TABLE account_tokens (
  hash bytea PRIMARY KEY,
  purpose text NOT NULL CHECK (purpose IN ('confirm-email', 'reset-password', 'revert-email')),
  user_id integer NOT NULL REFERENCES users ON DELETE CASCADE,
  -- confirm-email: the address to confirm; revert-email: the one to restore; reset-password: where the link was sent.
  address text NOT NULL,
  -- `seq` of the mail that carries the link. A mail that is sent again carries a new token beside the earlier ones.
  mail_seq bigint NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL
);
CREATE INDEX account_tokens_user ON account_tokens (user_id, purpose);
CREATE INDEX account_tokens_expiry ON account_tokens (expires_at);

-- Mails to send, committed with the change that they are about.
CREATE TABLE mails (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  -- Of the mails of a user, whose row is locked when they are requested: the order of the changes that they are about.
  seq bigserial NOT NULL,
  kind text NOT NULL CHECK (kind IN
    ('confirm-email', 'reset-password', 'password-changed', 'email-changed', 'photos-failed', 'order-ready')),
  -- Of a notice about an event: an event that is delivered twice is one mail.
  event_key text UNIQUE,
  -- Null for a requested reset: whose the address is, is looked up when the mail is sent.
  user_id integer REFERENCES users ON DELETE CASCADE,
  -- Null: the user's confirmed address when the mail is sent. Emptied afterwards.
  address text,
  data jsonb NOT NULL DEFAULT '{}',
  created_at timestamptz NOT NULL DEFAULT now(),
  status text NOT NULL DEFAULT 'waiting' CHECK (status IN ('waiting', 'sent', 'dropped', 'failed')),
  attempts integer NOT NULL DEFAULT 0,
  -- Of these: how often the server rejected the mail for good.
  rejections integer NOT NULL DEFAULT 0,
  -- Of a waiting mail: when it is due.
  due_at timestamptz NOT NULL DEFAULT now(),
  lease_id uuid,
  lease_until timestamptz,
  finished_at timestamptz
);
CREATE INDEX mails_due ON mails (due_at) WHERE status = 'waiting';
CREATE INDEX mails_finished ON mails (finished_at) WHERE finished_at IS NOT NULL;

-- Sessions to end, committed with the change that ends them; a row is deleted when Redis has ended them.
CREATE TABLE session_endings (
  id bigserial PRIMARY KEY,
  user_id integer NOT NULL,
  -- Hash of the one session that stays.
  kept_session text,
  created_at timestamptz NOT NULL DEFAULT now()
);

-- Projection of media's usage.
CREATE TABLE user_usage (
  user_id integer PRIMARY KEY,
  photos integer NOT NULL,
  locations integer NOT NULL,
  bytes bigint NOT NULL,
  revision bigint NOT NULL,
  -- In a rebuild: no event has confirmed the row yet.
  doubted boolean NOT NULL DEFAULT false
);

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

-- migrate:down
DROP TRIGGER keep_confirmed_address ON users;
DROP FUNCTION keep_confirmed_address;
DROP TABLE confirmed_addresses, outbox, user_usage, session_endings, mails, account_tokens;
ALTER TABLE users DROP COLUMN email_confirmed, DROP COLUMN email_changed, DROP COLUMN former_email,
  DROP COLUMN quota, DROP COLUMN units, DROP COLUMN sort, DROP COLUMN view, DROP COLUMN revision;
DROP FUNCTION address_key;
