-- migrate:up

-- How many photos of the gallery a user has in each cell of the map, and the sum of their places (see `map_x`): tiles with
-- many photos are made of these instead of the photos. Counted when they are first needed, some photos at a time, by
-- `count_next_cells`; the triggers below keep the counts of those that are counted. No row has no photos.
CREATE TABLE photo_cells (
  user_id integer NOT NULL,
  -- 0: the whole gallery; -1: photos in no folder; else the folder.
  scope integer NOT NULL,
  -- 6, 11, 16 or 21: the map has 2^level cells in each direction.
  level integer NOT NULL,
  -- The first 2 * level bits of the photos' `map_key`.
  cell bigint NOT NULL,
  photos integer NOT NULL,
  sum_x bigint NOT NULL,
  sum_y bigint NOT NULL,
  PRIMARY KEY (user_id, scope, level, cell)
);

CREATE TYPE map_change AS (user_id integer, id integer, folder_id integer, latitude numeric, longitude numeric, photos integer);

-- Adds (or removes) photos. The user's lock is held.
CREATE FUNCTION add_to_cells(changes map_change[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE is_cell_empty boolean;
BEGIN
  WITH finest AS (
    SELECT user_id, coalesce(folder_id, -1) AS folder_id, map_key(latitude, longitude) >> 10 AS cell, sum(photos) AS photos,
      sum(photos * map_x(longitude)::bigint) AS sum_x, sum(photos * map_y(latitude)::bigint) AS sum_y
    FROM unnest(changes) GROUP BY 1, 2, 3
  ), cells AS (
    INSERT INTO photo_cells AS known (user_id, scope, level, cell, photos, sum_x, sum_y)
    SELECT user_id, scope, level, cell >> (42 - 2 * level), sum(photos), sum(sum_x), sum(sum_y)
    FROM finest CROSS JOIN LATERAL (VALUES (0), (folder_id)) AS scopes (scope)
      CROSS JOIN (VALUES (6), (11), (16), (21)) AS levels (level)
    GROUP BY 1, 2, 3, 4 HAVING sum(photos) <> 0 OR sum(sum_x) <> 0 OR sum(sum_y) <> 0 ORDER BY 1, 2, 3, 4
    ON CONFLICT (user_id, scope, level, cell) DO UPDATE SET photos = known.photos + EXCLUDED.photos,
      sum_x = known.sum_x + EXCLUDED.sum_x, sum_y = known.sum_y + EXCLUDED.sum_y
    RETURNING photos
  )
  SELECT bool_or(photos = 0) INTO is_cell_empty FROM cells;
  IF is_cell_empty THEN
    DELETE FROM photo_cells AS known USING (
      SELECT DISTINCT user_id, scope, level, map_key(latitude, longitude) >> (52 - 2 * level) AS cell
      FROM unnest(changes) CROSS JOIN LATERAL (VALUES (0), (coalesce(folder_id, -1))) AS scopes (scope)
        CROSS JOIN (VALUES (6), (11), (16), (21)) AS levels (level)) AS changed
    WHERE known.user_id = changed.user_id AND known.scope = changed.scope AND known.level = changed.level
      AND known.cell = changed.cell AND known.photos = 0;
  END IF;
END $$;

-- Under the same lock as the other sums of a user: see `change_photo_hours`. Photos that are not counted yet are left to
-- `count_next_cells`.
CREATE FUNCTION change_photo_cells(changes map_change[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE counted map_change[];
BEGIN
  PERFORM pg_advisory_xact_lock(x'706c6163'::int, user_id)
  FROM (SELECT DISTINCT user_id FROM unnest(changes) ORDER BY user_id) AS users;

  SELECT array_agg(change) INTO counted
  FROM unnest(changes) AS change JOIN user_usage ON user_usage.user_id = change.user_id AND (map_counted_key, map_counted_id) > (0, 0)
  WHERE (map_key(latitude, longitude), change.id) <= (map_counted_key, map_counted_id);
  IF counted IS NOT NULL THEN PERFORM add_to_cells(counted); END IF;
END $$;

-- Counts the next photos of a user, at most `most`, and returns whether all are counted.
CREATE FUNCTION count_next_cells(of_user integer, most integer) RETURNS boolean LANGUAGE plpgsql
  SET enable_seqscan = off SET jit = off AS $$
DECLARE
  -- Behind every key.
  counted_all CONSTANT bigint := 1::bigint << 52;
  from_key bigint; from_id integer; batch map_change[];
BEGIN
  PERFORM pg_advisory_xact_lock(x'706c6163'::int, of_user);
  SELECT map_counted_key, map_counted_id INTO from_key, from_id FROM user_usage WHERE user_id = of_user;
  IF NOT FOUND OR from_key = counted_all THEN RETURN true; END IF;

  SELECT array_agg(ROW(of_user, id, folder_id, latitude, longitude, 1)::map_change ORDER BY key, id) INTO batch FROM (
    SELECT id, folder_id, latitude, longitude, map_key(latitude, longitude) AS key FROM photos
    WHERE latitude IS NOT NULL AND CASE WHEN purpose = 'gallery' AND latitude IS NOT NULL THEN user_id END = of_user
      AND (map_key(latitude, longitude), id) > (from_key, from_id)
    ORDER BY map_key(latitude, longitude), id LIMIT most) AS photo;
  IF batch IS NOT NULL THEN PERFORM add_to_cells(batch); END IF;

  IF coalesce(cardinality(batch), 0) < most THEN
    UPDATE user_usage SET map_counted_key = counted_all WHERE user_id = of_user;
    RETURN true;
  END IF;
  UPDATE user_usage SET map_counted_key = map_key(batch[most].latitude, batch[most].longitude),
    map_counted_id = batch[most].id
  WHERE user_id = of_user;
  RETURN false;
END $$;

CREATE FUNCTION count_photo_cells() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE changes map_change[];
BEGIN
  IF TG_OP = 'INSERT' THEN
    SELECT array_agg(sums::map_change) INTO changes FROM (
      SELECT user_id, id, folder_id, latitude, longitude, 1 FROM added
      WHERE purpose = 'gallery' AND latitude IS NOT NULL) AS sums;
  ELSIF TG_OP = 'DELETE' THEN
    SELECT array_agg(sums::map_change) INTO changes FROM (
      SELECT user_id, id, folder_id, latitude, longitude, -1 FROM removed
      WHERE purpose = 'gallery' AND latitude IS NOT NULL) AS sums;
  ELSE
    SELECT array_agg(sums::map_change) INTO changes FROM (
      SELECT user_id, id, folder_id, latitude, longitude, sum(photos)::int FROM (
        SELECT user_id, id, folder_id, latitude, longitude, 1 AS photos FROM added
        WHERE purpose = 'gallery' AND latitude IS NOT NULL
        UNION ALL
        SELECT user_id, id, folder_id, latitude, longitude, -1 FROM removed
        WHERE purpose = 'gallery' AND latitude IS NOT NULL) AS both_sides
      GROUP BY 1, 2, 3, 4, 5 HAVING sum(photos) <> 0) AS sums;
  END IF;
  IF changes IS NOT NULL THEN PERFORM change_photo_cells(changes); END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER count_inserted_cells AFTER INSERT ON photos REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION count_photo_cells();
CREATE TRIGGER count_deleted_cells AFTER DELETE ON photos REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT EXECUTE FUNCTION count_photo_cells();
CREATE TRIGGER count_updated_cells AFTER UPDATE ON photos REFERENCING OLD TABLE AS removed NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION count_photo_cells();

-- migrate:down
DROP TRIGGER count_inserted_cells ON photos;
DROP TRIGGER count_deleted_cells ON photos;
DROP TRIGGER count_updated_cells ON photos;
DROP FUNCTION count_photo_cells, count_next_cells, change_photo_cells, add_to_cells;
DROP TYPE map_change;
DROP TABLE photo_cells;
