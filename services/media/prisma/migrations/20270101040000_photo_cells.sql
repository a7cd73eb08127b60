-- migrate:up

-- How many photos of the gallery a user has in each cell of the map, and the sum of their places (see `map_x`): tiles with
-- many photos are made of these instead of the photos. Counted when they are first needed, by `start_photo_cells`, and kept
-- by the triggers below from then on, as `photo_hours` are. No row has no photos.
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

CREATE TYPE map_change AS (user_id integer, folder_id integer, latitude numeric, longitude numeric, photos integer);

-- Under the same lock as the other sums of a user: see `change_photo_hours`.
CREATE FUNCTION change_photo_cells(changes map_change[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE is_cell_empty boolean;
BEGIN
  PERFORM pg_advisory_xact_lock(x'706c6163'::int, user_id)
  FROM (SELECT DISTINCT user_id FROM unnest(changes) ORDER BY user_id) AS users;

  WITH places AS MATERIALIZED (
    SELECT user_id, coalesce(folder_id, -1) AS folder_id, change.photos, map_x(longitude) AS x, map_y(latitude) AS y,
      map_key(latitude, longitude) AS key
    FROM unnest(changes) AS change JOIN user_usage USING (user_id) WHERE map_counted
  ), cells AS (
    INSERT INTO photo_cells AS known (user_id, scope, level, cell, photos, sum_x, sum_y)
    SELECT user_id, scope, level, key >> (52 - 2 * level), sum(photos), sum(photos * x::bigint), sum(photos * y::bigint)
    FROM places CROSS JOIN LATERAL (VALUES (0), (folder_id)) AS scopes (scope)
      CROSS JOIN (VALUES (6), (11), (16), (21)) AS levels (level)
    GROUP BY 1, 2, 3, 4
    HAVING sum(photos) <> 0 OR sum(photos * x::bigint) <> 0 OR sum(photos * y::bigint) <> 0
    ORDER BY 1, 2, 3, 4
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

-- Counts a user's photos unless that was done before, the finest cells first and the others from these. Does nothing
-- while the user's photos are being changed.
CREATE FUNCTION start_photo_cells(of_user integer) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF NOT pg_try_advisory_xact_lock(x'706c6163'::int, of_user) THEN RETURN; END IF;
  UPDATE user_usage SET map_counted = true WHERE user_id = of_user AND NOT map_counted;
  IF NOT FOUND THEN RETURN; END IF;

  INSERT INTO photo_cells (user_id, scope, level, cell, photos, sum_x, sum_y)
  SELECT of_user, coalesce(folder_id, -1), 21, map_key(latitude, longitude) >> 10, count(*), sum(map_x(longitude)),
    sum(map_y(latitude))
  FROM photos WHERE purpose = 'gallery' AND user_id = of_user AND latitude IS NOT NULL
  GROUP BY coalesce(folder_id, -1), map_key(latitude, longitude) >> 10 ORDER BY 2, 4;

  INSERT INTO photo_cells (user_id, scope, level, cell, photos, sum_x, sum_y)
  SELECT of_user, 0, 21, cell, sum(photos), sum(sum_x), sum(sum_y) FROM photo_cells
  WHERE user_id = of_user AND level = 21 GROUP BY cell ORDER BY cell;

  FOR coarser IN REVERSE 16..6 BY 5 LOOP
    INSERT INTO photo_cells (user_id, scope, level, cell, photos, sum_x, sum_y)
    SELECT of_user, scope, coarser, cell >> 10, sum(photos), sum(sum_x), sum(sum_y) FROM photo_cells
    WHERE user_id = of_user AND level = coarser + 5 GROUP BY scope, cell >> 10 ORDER BY 2, 4;
  END LOOP;
END $$;

CREATE FUNCTION count_photo_cells() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE changes map_change[];
BEGIN
  IF TG_OP = 'INSERT' THEN
    SELECT array_agg(sums::map_change) INTO changes FROM (
      SELECT user_id, folder_id, latitude, longitude, count(*)::int FROM added
      WHERE purpose = 'gallery' AND latitude IS NOT NULL GROUP BY 1, 2, 3, 4) AS sums;
  ELSIF TG_OP = 'DELETE' THEN
    SELECT array_agg(sums::map_change) INTO changes FROM (
      SELECT user_id, folder_id, latitude, longitude, -count(*)::int FROM removed
      WHERE purpose = 'gallery' AND latitude IS NOT NULL GROUP BY 1, 2, 3, 4) AS sums;
  ELSE
    SELECT array_agg(sums::map_change) INTO changes FROM (
      SELECT user_id, folder_id, latitude, longitude, sum(photos)::int FROM (
        SELECT user_id, folder_id, latitude, longitude, 1 AS photos FROM added
        WHERE purpose = 'gallery' AND latitude IS NOT NULL
        UNION ALL
        SELECT user_id, folder_id, latitude, longitude, -1 FROM removed
        WHERE purpose = 'gallery' AND latitude IS NOT NULL) AS both_sides
      GROUP BY 1, 2, 3, 4 HAVING sum(photos) <> 0) AS sums;
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
DROP FUNCTION count_photo_cells, start_photo_cells, change_photo_cells;
DROP TYPE map_change;
DROP TABLE photo_cells;
