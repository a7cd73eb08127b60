-- migrate:up
CREATE EXTENSION IF NOT EXISTS pg_trgm;
CREATE EXTENSION IF NOT EXISTS btree_gin;

-- Text as it is compared in a search: without case, and one way of writing letters with accents. The collation makes
-- it the same on every server.
CREATE FUNCTION folded(value text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN lower(normalize(value, NFC) COLLATE "und-x-icu");

-- The LIKE pattern of texts that contain a term.
CREATE FUNCTION containing(term text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN '%' || replace(replace(replace(folded(term), '\', '\\'), '%', '\%'), '_', '\_') || '%';

-- What the location filter compares: 'city, state', or the one that is known.
CREATE FUNCTION place_name(city text, state text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN CASE WHEN city <> '' AND state <> '' THEN city || ', ' || state ELSE coalesce(nullif(city, ''), nullif(state, '')) END;

ALTER TABLE photos
  -- Names of the fields that the owner corrected: processing leaves them alone.
  ADD COLUMN corrected text[] NOT NULL DEFAULT '{}',
  -- 'metadata': uploaded on the metadata screen, in no list, folder or share.
  ADD COLUMN purpose text NOT NULL DEFAULT 'gallery' CHECK (purpose IN ('gallery', 'metadata')),
  -- Everything that was read, in groups; only of photos of purpose 'metadata'.
  ADD COLUMN tags jsonb,
  ADD COLUMN location text GENERATED ALWAYS AS (place_name(city, state)) STORED,
  -- What a search looks through beside the place; the parts are kept apart by a character that no term may have.
  ADD COLUMN search text GENERATED ALWAYS AS (folded(title || E'\x01' || coalesce(description, ''))) STORED,
  ADD CONSTRAINT photos_metadata_in_no_folder CHECK (purpose = 'gallery' OR folder_id IS NULL),
  -- They are keys of indexes, whose entries have a size.
  ADD CONSTRAINT photos_place_length CHECK (length(city) <= 100 AND length(state) <= 100);

DROP INDEX photos_user_id_sha256_copy_number_key;
CREATE UNIQUE INDEX photos_one_of_a_file ON photos (user_id, sha256, copy_number) WHERE purpose = 'gallery';
DROP INDEX photos_user_id_created_at_id_idx;
CREATE INDEX photos_gallery ON photos (user_id, created_at, id) WHERE purpose = 'gallery';
CREATE INDEX photos_metadata ON photos (user_id, created_at, id) WHERE purpose = 'metadata';
-- The indexes of the filters name the user by expressions that no other index has. A query that says them so can use
-- the index that is meant for it and no other, whatever statistics make the planner believe. The columns behind INCLUDE
-- let the index answer alone.
CREATE INDEX photos_location ON photos ((CASE WHEN purpose = 'gallery' THEN user_id END), location, created_at, id)
  INCLUDE (purpose, user_id) WHERE location IS NOT NULL;
-- Without a pending list, which every search would read through.
CREATE INDEX photos_search ON photos USING gin ((CASE WHEN purpose = 'gallery' THEN - user_id END), search gin_trgm_ops)
  WITH (fastupdate = off);

-- Renditions may be shared by photos that look alike.
DROP INDEX photos_thumbnail_key;
DROP INDEX photos_preview_key;
CREATE INDEX photos_thumbnail_idx ON photos (thumbnail);
CREATE INDEX photos_preview_idx ON photos (preview);

-- How many photos of the gallery each user has at each place; no place is two empty texts. Kept by the triggers below.
CREATE TABLE photo_places (
  user_id integer NOT NULL,
  city text NOT NULL,
  state text NOT NULL,
  count integer NOT NULL,
  location text GENERATED ALWAYS AS (place_name(city, state)) STORED,
  search text GENERATED ALWAYS AS (folded(city || E'\x01' || state)) STORED,
  PRIMARY KEY (user_id, city, state)
);
CREATE INDEX photo_places_location ON photo_places (user_id, location);

CREATE TYPE photo_place_change AS (user_id integer, city text, state text, count integer);

-- A user's changes wait for each other, so that no two transactions lock the same places in different orders. Whoever
-- changes several photos in a transaction locks them first, all of them and by id, and changes photos of several users
-- in one statement only.
CREATE FUNCTION change_photo_places(changes photo_place_change[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(x'706c6163'::int, user_id)
  FROM (SELECT DISTINCT user_id FROM unnest(changes) ORDER BY user_id) AS users;
  INSERT INTO photo_places AS known (user_id, city, state, count)
  SELECT user_id, city, state, count FROM unnest(changes)
  ON CONFLICT (user_id, city, state) DO UPDATE SET count = known.count + EXCLUDED.count;
  DELETE FROM photo_places AS known USING unnest(changes) AS change
  WHERE known.user_id = change.user_id AND known.city = change.city AND known.state = change.state AND known.count = 0;
END $$;

CREATE FUNCTION count_inserted_photos() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE changes photo_place_change[];
BEGIN
  SELECT array_agg(ROW(user_id, city, state, count)::photo_place_change) INTO changes FROM (
    SELECT user_id, coalesce(city, '') AS city, coalesce(state, '') AS state, count(*)::int AS count
    FROM added WHERE purpose = 'gallery' GROUP BY 1, 2, 3) AS sums;
  IF changes IS NOT NULL THEN PERFORM change_photo_places(changes); END IF;
  RETURN NULL;
END $$;

CREATE FUNCTION count_deleted_photos() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE changes photo_place_change[];
BEGIN
  SELECT array_agg(ROW(user_id, city, state, -count)::photo_place_change) INTO changes FROM (
    SELECT user_id, coalesce(city, '') AS city, coalesce(state, '') AS state, count(*)::int AS count
    FROM removed WHERE purpose = 'gallery' GROUP BY 1, 2, 3) AS sums;
  IF changes IS NOT NULL THEN PERFORM change_photo_places(changes); END IF;
  RETURN NULL;
END $$;

CREATE FUNCTION count_updated_photos() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE changes photo_place_change[];
BEGIN
  SELECT array_agg(ROW(user_id, city, state, count)::photo_place_change) INTO changes FROM (
    SELECT user_id, coalesce(city, '') AS city, coalesce(state, '') AS state, sum(count)::int AS count FROM (
      SELECT user_id, city, state, 1 AS count FROM added WHERE purpose = 'gallery'
      UNION ALL SELECT user_id, city, state, -1 FROM removed WHERE purpose = 'gallery') AS both_sides
    GROUP BY 1, 2, 3 HAVING sum(count) <> 0) AS sums;
  IF changes IS NOT NULL THEN PERFORM change_photo_places(changes); END IF;
  RETURN NULL;
END $$;

INSERT INTO photo_places (user_id, city, state, count)
SELECT user_id, coalesce(city, ''), coalesce(state, ''), count(*) FROM photos GROUP BY 1, 2, 3;

CREATE TRIGGER count_inserted AFTER INSERT ON photos REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION count_inserted_photos();
CREATE TRIGGER count_deleted AFTER DELETE ON photos REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT EXECUTE FUNCTION count_deleted_photos();
CREATE TRIGGER count_updated AFTER UPDATE ON photos REFERENCING OLD TABLE AS removed NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION count_updated_photos();

-- Names of a user's places that match a pattern.
CREATE FUNCTION places_like(of_user integer, pattern text) RETURNS SETOF text LANGUAGE sql STABLE AS $$
  SELECT DISTINCT location FROM photo_places WHERE user_id = of_user AND search LIKE pattern AND location IS NOT NULL
$$;

-- At most `most` of a user's photos whose title or description matches a pattern, elsewhere than at some places, in no
-- order and by the index of searches alone. Conditions that are null hold for all.
CREATE FUNCTION photos_like(
  of_user integer, pattern text, in_folder integer, at_location text, elsewhere_than text[], since timestamptz,
  most integer)
RETURNS TABLE (id integer, created_at timestamptz, location text) LANGUAGE sql STABLE
  SET enable_seqscan = off SET jit = off AS $$
  SELECT photos.id, photos.created_at, photos.location FROM photos
  WHERE CASE WHEN purpose = 'gallery' THEN - user_id END = - of_user AND search LIKE pattern
    AND (in_folder IS NULL OR folder_id = in_folder) AND (at_location IS NULL OR photos.location = at_location)
    AND (elsewhere_than IS NULL OR photos.location IS NULL OR photos.location <> ALL (elsewhere_than))
    AND (since IS NULL OR photos.created_at >= since)
  LIMIT most
$$;

-- migrate:down
DROP TRIGGER count_inserted ON photos;
DROP TRIGGER count_deleted ON photos;
DROP TRIGGER count_updated ON photos;
DROP FUNCTION count_inserted_photos, count_deleted_photos, count_updated_photos, change_photo_places;
DROP TYPE photo_place_change;
DROP TABLE photo_places;
DROP INDEX photos_one_of_a_file, photos_gallery, photos_metadata, photos_location, photos_search, photos_thumbnail_idx,
  photos_preview_idx;
CREATE UNIQUE INDEX photos_thumbnail_key ON photos (thumbnail);
CREATE UNIQUE INDEX photos_preview_key ON photos (preview);
DELETE FROM photos WHERE purpose = 'metadata';
ALTER TABLE photos DROP COLUMN corrected, DROP COLUMN purpose, DROP COLUMN tags, DROP COLUMN location, DROP COLUMN search,
  DROP CONSTRAINT photos_place_length;
DROP FUNCTION photos_like, places_like, containing, folded, place_name;
CREATE UNIQUE INDEX photos_user_id_sha256_copy_number_key ON photos (user_id, sha256, copy_number);
CREATE INDEX photos_user_id_created_at_id_idx ON photos (user_id, created_at, id);
