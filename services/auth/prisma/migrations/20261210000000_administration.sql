-- migrate:up
ALTER TABLE users ADD COLUMN disabled boolean NOT NULL DEFAULT false;

ALTER TABLE mails
  DROP CONSTRAINT mails_kind_check,
  ADD CONSTRAINT mails_kind_check CHECK (kind IN
    ('confirm-email', 'reset-password', 'password-changed', 'email-changed', 'photos-failed', 'order-ready',
     'deletion-scheduled', 'deletion-revoked', 'export-ready')) NOT VALID;

-- What the list of users is searched, filtered and sorted by. A table beside users, whose rows and indexes need no lock on
-- users while they are made. Kept by the trigger.
CREATE EXTENSION IF NOT EXISTS pg_trgm;

-- Text as it is compared in a search, as in media.
CREATE FUNCTION folded(value text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN lower(normalize(value, NFC) COLLATE "und-x-icu");

-- The pattern of LIKE for a term in such a text.
CREATE FUNCTION containing(term text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN '%' || replace(replace(replace(folded(term), '\', '\\'), '%', '\%'), '_', '\_') || '%';

CREATE FUNCTION user_search(username text, email text, first_name text, last_name text)
  RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN folded(username || E'\x01' || coalesce(email, '') || E'\x01' || coalesce(first_name, '') || ' ' || coalesce(last_name, ''));

CREATE TABLE listed_users (
  user_id integer PRIMARY KEY REFERENCES users ON DELETE CASCADE,
  created_at timestamptz NOT NULL,
  is_admin boolean NOT NULL,
  search text NOT NULL
);

-- How many users there are of each role. Kept by the trigger.
CREATE TABLE user_counts (
  is_admin boolean PRIMARY KEY,
  users integer NOT NULL
);
INSERT INTO user_counts VALUES (false, 0), (true, 0);

CREATE FUNCTION keep_listed_user() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'DELETE' THEN
    INSERT INTO listed_users (user_id, created_at, is_admin, search)
    VALUES (NEW.id, NEW.created_at, NEW.is_admin, user_search(NEW.username, NEW.email, NEW.first_name, NEW.last_name))
    ON CONFLICT (user_id) DO UPDATE SET is_admin = EXCLUDED.is_admin, search = EXCLUDED.search;
  END IF;
  -- In the order of the roles, so that two changes never wait for each other.
  IF TG_OP = 'INSERT' OR TG_OP = 'DELETE' OR OLD.is_admin <> NEW.is_admin THEN
    UPDATE user_counts SET users = users + change.count FROM (
      SELECT role, sum(count)::integer AS count FROM (VALUES
        (CASE WHEN TG_OP <> 'INSERT' THEN OLD.is_admin END, -1), (CASE WHEN TG_OP <> 'DELETE' THEN NEW.is_admin END, 1)
      ) AS changes (role, count) WHERE role IS NOT NULL GROUP BY role ORDER BY role) AS change
    WHERE user_counts.is_admin = change.role;
  END IF;
  RETURN NULL;
END $$;

-- Nobody changes users until the list is complete and its trigger holds.
LOCK TABLE users IN SHARE ROW EXCLUSIVE MODE;
INSERT INTO listed_users (user_id, created_at, is_admin, search)
SELECT id, created_at, is_admin, user_search(username, email, first_name, last_name) FROM users;
UPDATE user_counts SET users = (SELECT count(*) FROM users WHERE users.is_admin = user_counts.is_admin);
CREATE TRIGGER keep_listed_user AFTER INSERT OR DELETE OR UPDATE OF username, email, first_name, last_name, is_admin ON users
  FOR EACH ROW EXECUTE FUNCTION keep_listed_user();
CREATE INDEX listed_users_newest ON listed_users (created_at, user_id);
CREATE INDEX listed_users_role ON listed_users (is_admin, created_at, user_id);
CREATE INDEX listed_users_search ON listed_users USING gin (search gin_trgm_ops) WITH (fastupdate = off);

-- The users of a role, or of both, whose text matches, at most `most`. By the index of texts, which the planner would not
-- choose where it expects many matches.
CREATE FUNCTION users_like(pattern text, of_role boolean, most integer)
RETURNS TABLE (user_id integer, created_at timestamptz) LANGUAGE plpgsql STABLE
  SET enable_seqscan = off SET jit = off SET plan_cache_mode = force_custom_plan AS $$
BEGIN
  RETURN QUERY SELECT listed.user_id, listed.created_at FROM listed_users AS listed
  WHERE listed.search LIKE pattern AND (of_role IS NULL OR listed.is_admin::integer = of_role::integer)
  LIMIT most;
END $$;

-- When a user last signed in or sent a request; late by a minute at most.
CREATE TABLE user_activity (
  user_id integer PRIMARY KEY,
  last_active_at timestamptz NOT NULL
);
CREATE INDEX user_activity_last ON user_activity (last_active_at);

-- The figures of the installation at the end of each day (UTC); today's as of the last minute.
CREATE TABLE daily_statistics (
  day date PRIMARY KEY,
  measured_at timestamptz NOT NULL,
  users integer NOT NULL,
  photos bigint NOT NULL,
  bytes bigint NOT NULL,
  -- Users of the last 30 days.
  active integer NOT NULL
);

-- Accounts to delete. The row stays when all is erased, with ids only, so that it can be published again after a restore.
CREATE TABLE account_deletions (
  -- Outlives the user.
  user_id integer PRIMARY KEY,
  requested_at timestamptz NOT NULL DEFAULT now(),
  -- Requested by an administrator, so that only an administrator may revoke it.
  by_admin boolean NOT NULL,
  deletes_at timestamptz NOT NULL,
  -- Since then it cannot be revoked, and every service erases.
  erasing_since timestamptz,
  -- When the event was last published.
  published_at timestamptz,
  erased_at timestamptz
);
CREATE INDEX account_deletions_due ON account_deletions (deletes_at) WHERE erasing_since IS NULL;
CREATE INDEX account_deletions_erasing ON account_deletions (erasing_since) WHERE erasing_since IS NOT NULL AND erased_at IS NULL;

-- How far each service is, from its events.
CREATE TABLE service_erasures (
  user_id integer NOT NULL,
  service text NOT NULL,
  complete boolean NOT NULL,
  waits_for text NOT NULL DEFAULT '',
  revision integer NOT NULL,
  changed_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (user_id, service)
);

-- What administrators did to the data of others, in all services. Entries name users by id only.
CREATE TABLE audit_log (
  id uuid PRIMARY KEY,
  seq bigserial NOT NULL,
  at timestamptz NOT NULL,
  actor_id integer,
  action text NOT NULL,
  owner_id integer,
  subject_id integer,
  detail text NOT NULL DEFAULT ''
);
CREATE INDEX audit_log_at ON audit_log (at, seq);
-- A search names the actions that it may find. So each index has the entries of one action in the order of the list, and a page
-- is read from its beginning, however many entries match.
CREATE INDEX audit_log_action ON audit_log (action, at, seq);
CREATE INDEX audit_log_actor ON audit_log (actor_id, action, at, seq) WHERE actor_id IS NOT NULL;
CREATE INDEX audit_log_owner ON audit_log (owner_id, action, at, seq) WHERE owner_id IS NOT NULL;
CREATE INDEX audit_log_subject ON audit_log (subject_id, action, at, seq) WHERE subject_id IS NOT NULL;
CREATE INDEX audit_log_no_actor ON audit_log (action, at, seq) WHERE actor_id IS NULL;

-- Nothing is changed, and nothing recent is removed, by mistake or by who gets hold of the service's statements.
CREATE FUNCTION keep_audit_log() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' AND OLD.at < now() - interval '30 days' THEN RETURN OLD; END IF;
  RAISE EXCEPTION 'The audit log is append-only.';
END $$;
CREATE TRIGGER keep_audit_log BEFORE UPDATE OR DELETE ON audit_log FOR EACH ROW EXECUTE FUNCTION keep_audit_log();
CREATE TRIGGER keep_audit_log_whole BEFORE TRUNCATE ON audit_log FOR EACH STATEMENT EXECUTE FUNCTION keep_audit_log();

-- migrate:down
DROP TABLE audit_log, service_erasures, account_deletions, daily_statistics, user_activity;
DROP FUNCTION keep_audit_log;
DROP TRIGGER keep_listed_user ON users;
DROP FUNCTION keep_listed_user;
DROP TABLE user_counts, listed_users;
DROP FUNCTION users_like, user_search, containing, folded;
DELETE FROM mails WHERE kind IN ('deletion-scheduled', 'deletion-revoked', 'export-ready');
ALTER TABLE mails DROP CONSTRAINT mails_kind_check, ADD CONSTRAINT mails_kind_check CHECK (kind IN
  ('confirm-email', 'reset-password', 'password-changed', 'email-changed', 'photos-failed', 'order-ready'));
ALTER TABLE users DROP COLUMN disabled;
