-- migrate:up

-- How many photos of the gallery a user took on each day of the camera's calendar; the empty day has those without a date.
-- The timeline and jumps into a long list read these instead of the photos. Counted when they are first needed, by
-- `start_taken_days`, and kept by the trigger below from then on, as `photo_hours` are.
CREATE TABLE photo_taken_days (
  user_id integer NOT NULL,
  day text COLLATE "C" NOT NULL,
  photos integer NOT NULL,
  PRIMARY KEY (user_id, day)
);

CREATE FUNCTION taken_day(date_taken text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN left(coalesce(date_taken, ''), 10);

CREATE TYPE taken_day_change AS (user_id integer, day text, photos integer);

-- Under the same lock as the other sums of a user: see `change_photo_hours`.
CREATE FUNCTION change_taken_days(changes taken_day_change[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE is_day_empty boolean;
BEGIN
  PERFORM pg_advisory_xact_lock(x'706c6163'::int, user_id)
  FROM (SELECT DISTINCT user_id FROM unnest(changes) ORDER BY user_id) AS users;

  WITH days AS (
    INSERT INTO photo_taken_days AS known (user_id, day, photos)
    SELECT user_id, day, change.photos FROM unnest(changes) AS change JOIN user_usage USING (user_id) WHERE taken_counted
    ON CONFLICT (user_id, day) DO UPDATE SET photos = known.photos + EXCLUDED.photos
    RETURNING photos
  )
  SELECT bool_or(photos = 0) INTO is_day_empty FROM days;
  IF is_day_empty THEN
    DELETE FROM photo_taken_days AS known USING unnest(changes) AS change
    WHERE known.user_id = change.user_id AND known.day = change.day AND known.photos = 0;
  END IF;
END $$;

-- Counts a user's photos unless that was done before. Does nothing while the user's photos are being changed.
CREATE FUNCTION start_taken_days(of_user integer) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF NOT pg_try_advisory_xact_lock(x'706c6163'::int, of_user) THEN RETURN; END IF;
  UPDATE user_usage SET taken_counted = true WHERE user_id = of_user AND NOT taken_counted;
  IF NOT FOUND THEN RETURN; END IF;
  INSERT INTO photo_taken_days (user_id, day, photos)
  SELECT user_id, taken_day(date_taken), count(*) FROM photos WHERE purpose = 'gallery' AND user_id = of_user GROUP BY 1, 2;
END $$;

CREATE FUNCTION count_taken_days() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE changes taken_day_change[];
BEGIN
  IF TG_OP = 'INSERT' THEN
    SELECT array_agg(sums::taken_day_change) INTO changes FROM (
      SELECT user_id, taken_day(date_taken), count(*)::int FROM added WHERE purpose = 'gallery' GROUP BY 1, 2) AS sums;
  ELSIF TG_OP = 'DELETE' THEN
    SELECT array_agg(sums::taken_day_change) INTO changes FROM (
      SELECT user_id, taken_day(date_taken), -count(*)::int FROM removed WHERE purpose = 'gallery' GROUP BY 1, 2) AS sums;
  ELSE
    SELECT array_agg(sums::taken_day_change) INTO changes FROM (
      SELECT user_id, taken_day(date_taken), sum(photos)::int FROM (
        SELECT user_id, date_taken, 1 AS photos FROM added WHERE purpose = 'gallery'
        UNION ALL
        SELECT user_id, date_taken, -1 FROM removed WHERE purpose = 'gallery') AS both_sides
      GROUP BY 1, 2 HAVING sum(photos) <> 0) AS sums;
  END IF;
  IF changes IS NOT NULL THEN PERFORM change_taken_days(changes); END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER count_inserted_taken_days AFTER INSERT ON photos REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION count_taken_days();
CREATE TRIGGER count_deleted_taken_days AFTER DELETE ON photos REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT EXECUTE FUNCTION count_taken_days();
CREATE TRIGGER count_updated_taken_days AFTER UPDATE ON photos REFERENCING OLD TABLE AS removed NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION count_taken_days();

-- A browser's time zone, or UTC when this server does not know its name: distributions leave old names out.
CREATE FUNCTION known_zone(zone text) RETURNS text LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM now() AT TIME ZONE zone;
  RETURN zone;
EXCEPTION WHEN invalid_parameter_value THEN
  RETURN 'UTC';
END $$;

-- As before, and `in_folder` 0 stands for photos in no folder.
CREATE OR REPLACE FUNCTION photos_like(
  of_user integer, pattern text, in_folder integer, at_location text, elsewhere_than text[], since timestamptz,
  most integer)
RETURNS TABLE (id integer, created_at timestamptz, location text) LANGUAGE plpgsql STABLE
  SET enable_seqscan = off SET jit = off SET plan_cache_mode = force_custom_plan AS $$
BEGIN
  RETURN QUERY SELECT photos.id, photos.created_at, photos.location FROM photos
  WHERE CASE WHEN purpose = 'gallery' THEN - user_id END = - of_user AND photos.search LIKE pattern
    AND (in_folder IS NULL OR coalesce(photos.folder_id, 0) = in_folder)
    AND (at_location IS NULL OR photos.location || '' = at_location)
    AND (elsewhere_than IS NULL OR photos.location IS NULL OR photos.location <> ALL (elsewhere_than))
    AND (photos_like.since IS NULL OR photos.created_at >= photos_like.since)
  LIMIT most;
END $$;

-- migrate:down
DROP TRIGGER count_inserted_taken_days ON photos;
DROP TRIGGER count_deleted_taken_days ON photos;
DROP TRIGGER count_updated_taken_days ON photos;
DROP FUNCTION count_taken_days, start_taken_days, change_taken_days, known_zone, taken_day;
DROP TYPE taken_day_change;
DROP TABLE photo_taken_days;
CREATE OR REPLACE FUNCTION photos_like(
  of_user integer, pattern text, in_folder integer, at_location text, elsewhere_than text[], since timestamptz,
  most integer)
RETURNS TABLE (id integer, created_at timestamptz, location text) LANGUAGE plpgsql STABLE
  SET enable_seqscan = off SET jit = off SET plan_cache_mode = force_custom_plan AS $$
BEGIN
  RETURN QUERY SELECT photos.id, photos.created_at, photos.location FROM photos
  WHERE CASE WHEN purpose = 'gallery' THEN - user_id END = - of_user AND photos.search LIKE pattern
    AND (in_folder IS NULL OR photos.folder_id + 0 = in_folder)
    AND (at_location IS NULL OR photos.location || '' = at_location)
    AND (elsewhere_than IS NULL OR photos.location IS NULL OR photos.location <> ALL (elsewhere_than))
    AND (photos_like.since IS NULL OR photos.created_at >= photos_like.since)
  LIMIT most;
END $$;
