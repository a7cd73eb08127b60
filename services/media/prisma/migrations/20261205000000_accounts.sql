-- migrate:up

-- Nobody changes photos until the sums below are complete and their triggers hold.
LOCK TABLE photos IN SHARE ROW EXCLUSIVE MODE;

-- What each user's photos amount to. Kept by the triggers below; a row stays when the last photo is deleted.
CREATE TABLE user_usage (
  user_id integer PRIMARY KEY,
  -- Photos of the gallery, and their different places.
  photos integer NOT NULL,
  locations integer NOT NULL,
  -- Of the originals of all photos, those of the metadata screen included.
  bytes bigint NOT NULL,
  -- Grows with every change of the above.
  revision bigint NOT NULL,
  -- The last one for which an event was committed.
  published_revision bigint NOT NULL DEFAULT 0
);
CREATE INDEX user_usage_unpublished ON user_usage (user_id) WHERE revision > published_revision;

-- The same by purpose, folder (0: none) and year. Kept by the triggers below; no row has no photos.
CREATE TABLE photo_sums (
  user_id integer NOT NULL,
  purpose text NOT NULL,
  folder_id integer NOT NULL,
  year integer NOT NULL,
  photos integer NOT NULL,
  bytes bigint NOT NULL,
  PRIMARY KEY (user_id, purpose, folder_id, year)
);

-- What media knows of users, from auth's events. A deleted user stays as a tombstone.
CREATE TABLE users (
  id integer PRIMARY KEY,
  public_by_default boolean NOT NULL,
  -- Bytes that the user's photos may take; null: as the installation says.
  quota bigint,
  revision integer NOT NULL,
  deleted boolean NOT NULL DEFAULT false
);

-- A failure of the processing that waits or runs is reported to the owner: true after an upload, false when the owner
-- asked for the processing. Photos of the time before this are not reported.
ALTER TABLE photos ADD COLUMN report_failure boolean NOT NULL DEFAULT false;
ALTER TABLE photos ALTER COLUMN report_failure SET DEFAULT true;

-- Photos that failed after their upload and were not reported yet. The photo may be deleted or ready meanwhile.
CREATE TABLE failed_uploads (
  user_id integer NOT NULL,
  photo_id integer NOT NULL,
  failed_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (user_id, photo_id)
);

-- The year that a photo counts for.
CREATE FUNCTION photo_year(date_taken text, created_at timestamptz) RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN coalesce(substring(date_taken from '^\d{4}')::integer, extract(year FROM created_at AT TIME ZONE 'UTC')::integer);

-- How many photos and bytes come (or go) where.
CREATE TYPE photo_change AS (
  user_id integer, purpose text, folder_id integer, year integer, city text, state text, photos integer, bytes bigint);

-- A user's changes wait for each other, so that no two transactions lock the same rows in different orders. Whoever
-- changes several photos in a transaction locks them first, all of them and by id, and changes photos of several users
-- in one statement only.
CREATE FUNCTION change_photo_sums(changes photo_change[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE is_place_empty boolean; is_sum_empty boolean;
BEGIN
  PERFORM pg_advisory_xact_lock(x'706c6163'::int, user_id)
  FROM (SELECT DISTINCT user_id FROM unnest(changes) ORDER BY user_id) AS users;

  WITH place_changes AS (
    SELECT user_id, city, state, sum(photos)::int AS count FROM unnest(changes)
    WHERE purpose = 'gallery' GROUP BY 1, 2, 3 HAVING sum(photos) <> 0
  ), places AS (
    INSERT INTO photo_places AS known (user_id, city, state, count) SELECT * FROM place_changes
    ON CONFLICT (user_id, city, state) DO UPDATE SET count = known.count + EXCLUDED.count
    RETURNING user_id, city, state, count, location
  ), parts AS (
    SELECT user_id, coalesce(sum(photos) FILTER (WHERE purpose = 'gallery'), 0) AS photos, 0 AS locations,
      sum(bytes) AS bytes
    FROM unnest(changes) GROUP BY 1
    UNION ALL
    -- A place is new when all of its photos are, and gone without photos.
    SELECT user_id, 0, CASE places.count WHEN 0 THEN -1 ELSE 1 END, 0
    FROM places JOIN place_changes USING (user_id, city, state)
    WHERE location IS NOT NULL AND places.count IN (0, place_changes.count)
  ), sums AS (
    SELECT user_id, sum(photos)::int AS photos, sum(locations)::int AS locations, sum(bytes)::bigint AS bytes
    FROM parts GROUP BY 1
  ), usage AS (
    INSERT INTO user_usage AS known (user_id, photos, locations, bytes, revision)
    SELECT user_id, photos, locations, bytes, 1 FROM sums WHERE photos <> 0 OR locations <> 0 OR bytes <> 0
    ON CONFLICT (user_id) DO UPDATE SET photos = known.photos + EXCLUDED.photos,
      locations = known.locations + EXCLUDED.locations, bytes = known.bytes + EXCLUDED.bytes,
      revision = known.revision + 1
  )
  SELECT bool_or(count = 0) INTO is_place_empty FROM places;
  IF is_place_empty THEN
    DELETE FROM photo_places AS known USING unnest(changes) AS change
    WHERE known.user_id = change.user_id AND known.city = change.city AND known.state = change.state AND known.count = 0;
  END IF;

  WITH sums AS (
    INSERT INTO photo_sums AS known (user_id, purpose, folder_id, year, photos, bytes)
    SELECT user_id, purpose, folder_id, year, sum(photos), sum(bytes) FROM unnest(changes)
    GROUP BY 1, 2, 3, 4 HAVING sum(photos) <> 0 OR sum(bytes) <> 0
    ON CONFLICT (user_id, purpose, folder_id, year) DO UPDATE
    SET photos = known.photos + EXCLUDED.photos, bytes = known.bytes + EXCLUDED.bytes
    RETURNING photos
  )
  SELECT bool_or(photos = 0) INTO is_sum_empty FROM sums;
  IF is_sum_empty THEN
    DELETE FROM photo_sums AS known USING unnest(changes) AS change
    WHERE known.user_id = change.user_id AND known.purpose = change.purpose AND known.folder_id = change.folder_id
      AND known.year = change.year AND known.photos = 0;
  END IF;
END $$;

CREATE OR REPLACE FUNCTION count_inserted_photos() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE changes photo_change[];
BEGIN
  SELECT array_agg(sums::photo_change) INTO changes FROM (
    SELECT user_id, purpose, coalesce(folder_id, 0), photo_year(date_taken, created_at), coalesce(city, ''),
      coalesce(state, ''), count(*)::int, sum(filesize)::bigint
    FROM added GROUP BY 1, 2, 3, 4, 5, 6) AS sums;
  IF changes IS NOT NULL THEN PERFORM change_photo_sums(changes); END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION count_deleted_photos() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE changes photo_change[];
BEGIN
  SELECT array_agg(sums::photo_change) INTO changes FROM (
    SELECT user_id, purpose, coalesce(folder_id, 0), photo_year(date_taken, created_at), coalesce(city, ''),
      coalesce(state, ''), -count(*)::int, -sum(filesize)::bigint
    FROM removed GROUP BY 1, 2, 3, 4, 5, 6) AS sums;
  IF changes IS NOT NULL THEN PERFORM change_photo_sums(changes); END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION count_updated_photos() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE changes photo_change[];
BEGIN
  SELECT array_agg(sums::photo_change) INTO changes FROM (
    SELECT user_id, purpose, coalesce(folder_id, 0), photo_year(date_taken, created_at), coalesce(city, ''),
      coalesce(state, ''), sum(photos)::int, sum(photos * filesize::bigint)::bigint
    FROM (
      SELECT user_id, purpose, folder_id, date_taken, created_at, city, state, filesize, 1 AS photos FROM added
      UNION ALL
      SELECT user_id, purpose, folder_id, date_taken, created_at, city, state, filesize, -1 FROM removed
    ) AS both_sides
    GROUP BY 1, 2, 3, 4, 5, 6 HAVING sum(photos) <> 0 OR sum(photos * filesize::bigint) <> 0) AS sums;
  IF changes IS NOT NULL THEN PERFORM change_photo_sums(changes); END IF;
  RETURN NULL;
END $$;

INSERT INTO photo_sums (user_id, purpose, folder_id, year, photos, bytes)
SELECT user_id, purpose, coalesce(folder_id, 0), photo_year(date_taken, created_at), count(*), sum(filesize)
FROM photos GROUP BY 1, 2, 3, 4;

INSERT INTO user_usage (user_id, photos, locations, bytes, revision)
SELECT user_id, coalesce(sum(photos) FILTER (WHERE purpose = 'gallery'), 0),
  (SELECT count(*) FROM photo_places AS place WHERE place.user_id = sums.user_id AND location IS NOT NULL), sum(bytes), 1
FROM photo_sums AS sums GROUP BY 1;

-- migrate:down
CREATE OR REPLACE FUNCTION count_inserted_photos() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE changes photo_place_change[];
BEGIN
  SELECT array_agg(ROW(user_id, city, state, count)::photo_place_change) INTO changes FROM (
    SELECT user_id, coalesce(city, '') AS city, coalesce(state, '') AS state, count(*)::int AS count
    FROM added WHERE purpose = 'gallery' GROUP BY 1, 2, 3) AS sums;
  IF changes IS NOT NULL THEN PERFORM change_photo_places(changes); END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION count_deleted_photos() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE changes photo_place_change[];
BEGIN
  SELECT array_agg(ROW(user_id, city, state, -count)::photo_place_change) INTO changes FROM (
    SELECT user_id, coalesce(city, '') AS city, coalesce(state, '') AS state, count(*)::int AS count
    FROM removed WHERE purpose = 'gallery' GROUP BY 1, 2, 3) AS sums;
  IF changes IS NOT NULL THEN PERFORM change_photo_places(changes); END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION count_updated_photos() RETURNS trigger LANGUAGE plpgsql AS $$
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

DROP FUNCTION change_photo_sums, photo_year;
DROP TYPE photo_change;
ALTER TABLE photos DROP COLUMN report_failure;
DROP TABLE failed_uploads, users, photo_sums, user_usage;
