-- migrate:up

-- Photos that were changed in a way that flights depend on, or deleted, since flights were last grouped.
CREATE TABLE flight_changes (
  seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  user_id integer NOT NULL,
  photo_id integer NOT NULL
);
CREATE INDEX flight_changes_of_user ON flight_changes (user_id, seq);

-- Photos with a date and a position, as they were when their flight was determined. Beside `photos`, so that grouping locks and
-- changes none of them.
CREATE TABLE flight_photos (
  photo_id integer PRIMARY KEY,
  user_id integer NOT NULL,
  -- A hash of the serial number, or else make and model; may be empty.
  aircraft text COLLATE "C" NOT NULL,
  -- By the camera's clock.
  taken_at timestamp NOT NULL,
  latitude double precision NOT NULL,
  longitude double precision NOT NULL,
  -- Null only while it is being determined.
  flight_id integer
);
CREATE INDEX flight_photos_in_order ON flight_photos (user_id, aircraft, taken_at, photo_id);
CREATE INDEX flight_photos_of_flight ON flight_photos (flight_id, taken_at, photo_id);

-- What the photos of a flight amount to. The id is the smallest of theirs.
CREATE TABLE flights (
  id integer PRIMARY KEY,
  user_id integer NOT NULL,
  started_at timestamp NOT NULL,
  ended_at timestamp NOT NULL,
  photos integer NOT NULL,
  -- Metres along the photos.
  distance double precision NOT NULL,
  -- Metres above take-off.
  greatest_height double precision,
  -- Where most of the photos were taken.
  city text,
  state text,
  -- Degrees; east is above 180 where the flight crosses the date line.
  west double precision NOT NULL,
  south double precision NOT NULL,
  east double precision NOT NULL,
  north double precision NOT NULL,
  -- Up to four photos, one of each quarter of the flight.
  covers integer[] NOT NULL
);
CREATE INDEX flights_of_user ON flights (user_id, started_at, id);

CREATE TYPE flight_place AS (city text, state text);

-- Users whose photos were all grouped once, and by which rule. Others, and those of another rule, are grouped anew.
CREATE TABLE flight_users (
  user_id integer PRIMARY KEY,
  max_gap_seconds integer NOT NULL,
  max_distance_metres integer NOT NULL
);

-- The time of the camera's clock, without its zone; null for a date that does not exist.
-- Not for parallel queries: its exception handler begins a subtransaction, which PostgreSQL refuses in them.
CREATE FUNCTION camera_time(date_taken text) RETURNS timestamp LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  RETURN make_timestamp(substr(date_taken, 1, 4)::int, substr(date_taken, 6, 2)::int, substr(date_taken, 9, 2)::int,
    substr(date_taken, 12, 2)::int, substr(date_taken, 15, 2)::int, substr(date_taken, 18, 2)::int);
EXCEPTION WHEN data_exception THEN
  RETURN NULL;
END $$;

-- Half of the chord between two positions in degrees, squared, on a sphere of radius 1: the haversine formula.
CREATE FUNCTION haversine(
  latitude1 double precision, longitude1 double precision, latitude2 double precision, longitude2 double precision)
RETURNS double precision LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN power(sin(radians(latitude2 - latitude1) / 2), 2)
    + cos(radians(latitude1)) * cos(radians(latitude2)) * power(sin(radians(longitude2 - longitude1) / 2), 2);

-- Metres between two positions in degrees, on a sphere of the Earth's mean radius.
CREATE FUNCTION metres_between(
  latitude1 double precision, longitude1 double precision, latitude2 double precision, longitude2 double precision)
RETURNS double precision LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN 2 * 6371008.8 * atan2(sqrt(haversine(latitude1, longitude1, latitude2, longitude2)),
    sqrt(abs(1 - haversine(latitude1, longitude1, latitude2, longitude2))));

CREATE FUNCTION note_inserted_flight_photos() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO flight_changes (user_id, photo_id)
  SELECT user_id, id FROM added WHERE purpose = 'gallery' AND latitude IS NOT NULL AND date_taken IS NOT NULL;
  RETURN NULL;
END $$;

CREATE FUNCTION note_deleted_flight_photos() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO flight_changes (user_id, photo_id)
  SELECT user_id, id FROM removed WHERE purpose = 'gallery' AND latitude IS NOT NULL AND date_taken IS NOT NULL;
  RETURN NULL;
END $$;

CREATE FUNCTION note_updated_flight_photos() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO flight_changes (user_id, photo_id)
  SELECT added.user_id, added.id FROM added JOIN removed USING (id)
  WHERE (
      (added.purpose = 'gallery' AND added.latitude IS NOT NULL AND added.date_taken IS NOT NULL)
      OR (removed.purpose = 'gallery' AND removed.latitude IS NOT NULL AND removed.date_taken IS NOT NULL)
    ) AND (added.purpose, added.aircraft, added.date_taken, added.latitude, added.longitude, added.city, added.state,
      added.metadata) IS DISTINCT FROM (removed.purpose, removed.aircraft, removed.date_taken, removed.latitude,
      removed.longitude, removed.city, removed.state, removed.metadata);
  RETURN NULL;
END $$;

CREATE TRIGGER note_inserted_flight_photos AFTER INSERT ON photos REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION note_inserted_flight_photos();
CREATE TRIGGER note_deleted_flight_photos AFTER DELETE ON photos REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT EXECUTE FUNCTION note_deleted_flight_photos();
CREATE TRIGGER note_updated_flight_photos AFTER UPDATE ON photos REFERENCING OLD TABLE AS removed NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION note_updated_flight_photos();

-- migrate:down
DROP TRIGGER note_inserted_flight_photos ON photos;
DROP TRIGGER note_deleted_flight_photos ON photos;
DROP TRIGGER note_updated_flight_photos ON photos;
DROP FUNCTION note_inserted_flight_photos, note_deleted_flight_photos, note_updated_flight_photos, metres_between,
  haversine, camera_time;
DROP TABLE flight_users, flights, flight_photos, flight_changes;
DROP TYPE flight_place;
