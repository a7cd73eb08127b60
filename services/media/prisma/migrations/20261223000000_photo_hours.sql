-- migrate:up

-- How many photos of the gallery a user uploaded in each hour: a jump into a long list reads these instead of the photos
-- before it. A user's photos are counted when they are first needed, by `start_photo_hours`; from then on the triggers
-- below keep the counts. No row has no photos.
CREATE TABLE photo_hours (
  user_id integer NOT NULL,
  hour timestamptz(3) NOT NULL,
  photos integer NOT NULL,
  PRIMARY KEY (user_id, hour)
);

-- The hour that a photo counts for, in every time zone.
CREATE FUNCTION photo_hour(created_at timestamptz) RETURNS timestamptz LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN date_bin('1 hour', created_at, '1970-01-01 00:00:00+00');

CREATE TYPE photo_hour_change AS (user_id integer, hour timestamptz, photos integer);

-- Under the same lock as the other sums of a user. Each statement sees what was committed before the lock was granted,
-- so a change is counted either here or by `start_photo_hours`.
CREATE FUNCTION change_photo_hours(changes photo_hour_change[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE is_hour_empty boolean;
BEGIN
  PERFORM pg_advisory_xact_lock(x'706c6163'::int, user_id)
  FROM (SELECT DISTINCT user_id FROM unnest(changes) ORDER BY user_id) AS users;

  WITH hours AS (
    INSERT INTO photo_hours AS known (user_id, hour, photos)
    SELECT user_id, hour, change.photos FROM unnest(changes) AS change JOIN user_usage USING (user_id) WHERE hours_counted
    ON CONFLICT (user_id, hour) DO UPDATE SET photos = known.photos + EXCLUDED.photos
    RETURNING photos
  )
  SELECT bool_or(photos = 0) INTO is_hour_empty FROM hours;
  IF is_hour_empty THEN
    DELETE FROM photo_hours AS known USING unnest(changes) AS change
    WHERE known.user_id = change.user_id AND known.hour = change.hour AND known.photos = 0;
  END IF;
END $$;

-- Counts a user's photos unless that was done before. Does nothing while the user's photos are being changed.
CREATE FUNCTION start_photo_hours(of_user integer) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF NOT pg_try_advisory_xact_lock(x'706c6163'::int, of_user) THEN RETURN; END IF;
  UPDATE user_usage SET hours_counted = true WHERE user_id = of_user AND NOT hours_counted;
  IF NOT FOUND THEN RETURN; END IF;
  INSERT INTO photo_hours (user_id, hour, photos)
  SELECT user_id, photo_hour(created_at), count(*) FROM photos WHERE purpose = 'gallery' AND user_id = of_user GROUP BY 1, 2;
END $$;

CREATE FUNCTION count_inserted_hours() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE changes photo_hour_change[];
BEGIN
  SELECT array_agg(sums::photo_hour_change) INTO changes FROM (
    SELECT user_id, photo_hour(created_at), count(*)::int FROM added WHERE purpose = 'gallery' GROUP BY 1, 2) AS sums;
  IF changes IS NOT NULL THEN PERFORM change_photo_hours(changes); END IF;
  RETURN NULL;
END $$;

CREATE FUNCTION count_deleted_hours() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE changes photo_hour_change[];
BEGIN
  SELECT array_agg(sums::photo_hour_change) INTO changes FROM (
    SELECT user_id, photo_hour(created_at), -count(*)::int FROM removed WHERE purpose = 'gallery' GROUP BY 1, 2) AS sums;
  IF changes IS NOT NULL THEN PERFORM change_photo_hours(changes); END IF;
  RETURN NULL;
END $$;

CREATE FUNCTION count_updated_hours() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE changes photo_hour_change[];
BEGIN
  SELECT array_agg(sums::photo_hour_change) INTO changes FROM (
    SELECT user_id, photo_hour(created_at), sum(photos)::int FROM (
      SELECT user_id, created_at, 1 AS photos FROM added WHERE purpose = 'gallery'
      UNION ALL
      SELECT user_id, created_at, -1 FROM removed WHERE purpose = 'gallery') AS both_sides
    GROUP BY 1, 2 HAVING sum(photos) <> 0) AS sums;
  IF changes IS NOT NULL THEN PERFORM change_photo_hours(changes); END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER count_inserted_hours AFTER INSERT ON photos REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION count_inserted_hours();
CREATE TRIGGER count_deleted_hours AFTER DELETE ON photos REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT EXECUTE FUNCTION count_deleted_hours();
CREATE TRIGGER count_updated_hours AFTER UPDATE ON photos REFERENCING OLD TABLE AS removed NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION count_updated_hours();

-- migrate:down
DROP TRIGGER count_inserted_hours ON photos;
DROP TRIGGER count_deleted_hours ON photos;
DROP TRIGGER count_updated_hours ON photos;
DROP FUNCTION count_inserted_hours, count_deleted_hours, count_updated_hours, start_photo_hours, change_photo_hours;
DROP TYPE photo_hour_change;
DROP TABLE photo_hours;
DROP FUNCTION photo_hour;
