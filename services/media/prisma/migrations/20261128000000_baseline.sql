-- migrate:up

-- Photos: their files, what is known of them, and what is kept beside them so that long lists stay fast.

CREATE EXTENSION IF NOT EXISTS pg_trgm;
CREATE EXTENSION IF NOT EXISTS btree_gin;

-- Expressions that tables and indexes below are made of. They give the same on every server, and none is strict, so that
-- they are inlined, except where that is said.

-- The words of a text as a search compares them, with a space between two. Without case, accents (also Hebrew and Arabic ones),
-- apostrophes and invisible characters; letters that people type otherwise are spelled so, as normalizeName in
-- src/places/names.ts does. Punctuation separates words. A spacing accent is decomposed into a space and the accent.
CREATE FUNCTION folded(value text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN regexp_replace(
    replace(replace(replace(replace(translate(
      lower(normalize(regexp_replace(normalize(value, NFKD),
        '[''’‘ʼʻ`\u00AD\u0640\u200B-\u200F\u2060\uFEFF]| ?[\u0300-\u036F\u0591-\u05BD\u05BF\u05C1\u05C2\u05C7\u064B-\u065F\u0670]',
        '', 'g'), NFC) COLLATE "und-x-icu"),
      'øłđðıħŧŋəς', 'olddihtneσ'), 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th'),
    '[[:space:][:punct:][:cntrl:]$+<=>^|~×·°⁄−]+', ' ', 'g');

-- The format of a file by its true extension, as the web application names it, and the extension.
CREATE FUNCTION format_words(filename text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN CASE substring(filename from '\.([a-z]+)$') WHEN 'jpg' THEN 'JPEG jpg' WHEN 'tif' THEN 'TIFF'
    ELSE substring(filename from '\.([a-z]+)$') END;

-- When a photo was taken, as cards show it and in digits; null without a date.
CREATE FUNCTION date_words(date_taken text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN CASE WHEN date_taken ~ '^\d{4}-(0[1-9]|1[0-2])-\d\dT([01]\d|2[0-3]):\d\d' THEN
    left(date_taken, 10) || ' ' || (ARRAY['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August',
      'September', 'October', 'November', 'December'])[substr(date_taken, 6, 2)::integer]
    || ' at ' || (substr(date_taken, 12, 2)::integer + 11) % 12 + 1 || substr(date_taken, 14, 3)
    || CASE WHEN substr(date_taken, 12, 2) < '12' THEN ' AM' ELSE ' PM' END
    || coalesce(' UTC ' || substring(date_taken from '(Z|[+-]\d\d:?\d\d)$'), '') END;

-- The words by which a photo is found. Abbreviations in names are there beside what they stand for. Not inlined: PostgreSQL takes
-- array_to_string for stable, which it is not for every type.
CREATE FUNCTION search_words(VARIADIC texts text[]) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN regexp_replace(regexp_replace(regexp_replace(regexp_replace(folded(array_to_string(texts, ' ')),
    '\m(st|saint)\M', 'st saint', 'g'), '\m(ste|sainte)\M', 'ste sainte', 'g'),
    '\m(ft|fort)\M', 'ft fort', 'g'), '\m(mt|mount)\M', 'mt mount', 'g');

-- What the files of one shot have in common: the name without its extension.
CREATE FUNCTION shot_name(original_name text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN regexp_replace(original_name, '\.[^.]*$', '');

-- What the location filter compares: 'city, state', or the one that is known.
CREATE FUNCTION place_name(city text, state text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN CASE WHEN city <> '' AND state <> '' THEN city || ', ' || state ELSE coalesce(nullif(city, ''), nullif(state, '')) END;

-- Where a position is on the map: Web Mercator, the whole world 2^26 wide and high, x to the east and y to the south.
-- Latitudes beyond the map are at its edge. Not for null.
CREATE FUNCTION map_x(longitude numeric) RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN least(67108863, greatest(0, floor((longitude::float8 + 180) / 360 * 67108864)))::integer;

CREATE FUNCTION map_y(latitude numeric) RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN least(67108863, greatest(0, floor((0.5 - atanh(sin(radians(
    least(85.0511287798, greatest(-85.0511287798, latitude))::float8))) / (2 * pi())) * 67108864)))::integer;

-- The bits of x and y by turns (Morton code), so that every tile of the map is one range of codes. Strict, and calls nothing
-- but built-in functions: indexes are maintained without a search path.
CREATE FUNCTION interleaved(x integer, y integer) RETURNS bigint LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE a bigint := x; b bigint := y;
BEGIN
  a := (a | (a << 16)) & x'0000FFFF0000FFFF'::bigint;
  b := (b | (b << 16)) & x'0000FFFF0000FFFF'::bigint;
  a := (a | (a << 8)) & x'00FF00FF00FF00FF'::bigint;
  b := (b | (b << 8)) & x'00FF00FF00FF00FF'::bigint;
  a := (a | (a << 4)) & x'0F0F0F0F0F0F0F0F'::bigint;
  b := (b | (b << 4)) & x'0F0F0F0F0F0F0F0F'::bigint;
  a := (a | (a << 2)) & x'3333333333333333'::bigint;
  b := (b | (b << 2)) & x'3333333333333333'::bigint;
  a := (a | (a << 1)) & x'5555555555555555'::bigint;
  b := (b | (b << 1)) & x'5555555555555555'::bigint;
  RETURN a | (b << 1);
END $$;

CREATE FUNCTION map_key(latitude numeric, longitude numeric) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN interleaved(map_x(longitude), map_y(latitude));

-- Tables: photos and what is made of them

-- A row is a file and what it shows: a photo of a gallery, the raw file of one, or uploaded on the metadata screen.
CREATE TABLE photos (
  id integer GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
  user_id integer NOT NULL,
  -- 'raw': the raw file of a pair, which the JPEG stands for: in no list. 'metadata': uploaded on the metadata screen, in no
  -- list, folder or share.
  purpose text NOT NULL DEFAULT 'gallery' CHECK (purpose IN ('gallery', 'raw', 'metadata')),
  -- What a search looks through: nothing of a raw file. Near the front because scans read it of each photo.
  search text GENERATED ALWAYS AS (CASE purpose WHEN 'raw' THEN '' ELSE search_words(
    coalesce(nullif(title, ''), 'Untitled'), description, city, county, state, country_names, original_name, raw_name,
    format_words(filename), metadata ->> 'Make', metadata ->> 'Model', date_words(date_taken)) END) STORED,
  folder_id integer,
  -- In the owner's order of the folder's photos: ascending, photos without it come last (see src/gallery/own-order.ts). Both
  -- files of a pair have the same.
  own_position double precision,
  title text NOT NULL,
  description text,

  -- Of both files of a pair: the other one (see src/photos/pairs.ts), and of the JPEG the original name of the raw file.
  paired_with integer,
  raw_name text,
  -- Their owner separated it from another file: from then on only the owner pairs it.
  separated boolean NOT NULL DEFAULT false,

  -- The original. The unguessable name is also the last part of its object key, without the extension.
  filename text NOT NULL UNIQUE,
  original_name text NOT NULL,
  filesize integer NOT NULL CHECK (filesize > 0),
  -- In hex. False: what the client of an upload in parts said; the worker has not read the file yet.
  sha256 text NOT NULL,
  sha256_verified boolean NOT NULL DEFAULT true,
  -- By which archives are made without reading the file; null while it was not read.
  crc32 bigint,
  -- 0, or above it for a photo whose client claimed another file than it sent, when the user has that file already.
  copy_number integer NOT NULL DEFAULT 0,

  -- The photo's own visibility, null when it has none. In a folder it holds only when it was set at or after the folder's
  -- revision of visibility: see src/photos/visibility.ts.
  own_is_public boolean,
  own_visibility_revision integer NOT NULL DEFAULT 0,
  -- It is private because the user chose so: that goes along into folders.
  private_by_choice boolean NOT NULL DEFAULT false,

  -- What was read from the file and what it shows of itself: see src/metadata/facts.ts.
  metadata jsonb,
  latitude numeric(9, 7),
  longitude numeric(10, 7),
  -- Metres above the sea.
  altitude double precision,
  city text,
  county text,
  state text,
  -- Names of the country at the position, for the search.
  country_names text,
  -- ISO 8601 as the camera meant it: without a zone where the camera wrote none.
  date_taken text,
  -- Which aircraft took the photo: a hash of its serial number; null where the file names none.
  aircraft text,
  -- Names of the fields that the owner corrected: processing leaves them alone.
  corrected text[] NOT NULL DEFAULT '{}',
  -- Everything that was read, in groups; only of photos of purpose 'metadata'.
  tags jsonb,

  -- Pixels of the upright image.
  width integer,
  height integer,
  -- Unguessable names of the renditions, about 320, 640, 1,280 and 2,048 pixels wide; null where the photo has none, or would
  -- not be smaller. Photos that look alike may share them.
  small text,
  thumbnail text,
  medium text,
  preview text,
  preview_bytes integer,
  preview_crc32 bigint,
  thumbhash text,

  status text NOT NULL DEFAULT 'processing' CHECK (status IN ('processing', 'ready', 'failed')),
  status_message text,
  -- Processing: grows with each request for it, counts the workers that started on the latest, and when that was made. A
  -- result is committed only by the worker that started last: see src/jobs/job-rows.ts.
  run integer NOT NULL DEFAULT 0,
  starts integer NOT NULL DEFAULT 0,
  requested_at timestamptz(3) NOT NULL DEFAULT now(),
  -- A failure of the processing that waits or runs is reported to the owner: not when the owner asked for it.
  report_failure boolean NOT NULL DEFAULT true,

  created_at timestamptz(3) NOT NULL DEFAULT now(),
  -- Of the events about the photo: grows with every change that others see.
  revision integer NOT NULL DEFAULT 1,

  location text GENERATED ALWAYS AS (place_name(city, state)) STORED,
  -- What the camera filter compares: the model. A key of an index, like the place.
  camera text GENERATED ALWAYS AS (left(metadata ->> 'Model', 200)) STORED,

  CONSTRAINT photos_position_is_whole CHECK ((latitude IS NULL) = (longitude IS NULL)),
  CONSTRAINT photos_metadata_in_no_folder CHECK (purpose <> 'metadata' OR folder_id IS NULL),
  CONSTRAINT photos_raw_is_paired CHECK (purpose <> 'raw' OR paired_with IS NOT NULL),
  -- They are keys of indexes, whose entries have a size.
  CONSTRAINT photos_place_length CHECK (length(city) <= 100 AND length(state) <= 100)
);

-- A row is what the cleaned file of a photo consists of, which has no places (see src/clean-files): a head of its own and a range
-- of the original. All null: the original cannot be cleaned.
CREATE TABLE clean_files (
  photo_id integer PRIMARY KEY REFERENCES photos ON DELETE CASCADE,
  -- The original that it was made of: void when the photo has another one by now.
  filename text NOT NULL,
  -- With what the camera is and how it was set, and the CRC-32 of the whole file; and the same without that.
  head bytea,
  crc32 bigint,
  plain_head bytea,
  plain_crc32 bigint,
  -- The first and the last byte of the range.
  range_start integer,
  range_end integer,
  CONSTRAINT clean_files_whole
    CHECK (num_nulls(head, crc32, plain_head, plain_crc32, range_start, range_end) IN (0, 6))
);

-- A row is a photo that failed after its upload and was not reported yet. It may be deleted or ready meanwhile.
CREATE TABLE failed_uploads (
  user_id integer NOT NULL,
  photo_id integer NOT NULL,
  failed_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (user_id, photo_id)
);

-- A row is a file that is uploaded in parts.
CREATE TABLE upload_sessions (
  id text PRIMARY KEY CHECK (id ~ '^[0-9a-f]{32}$'),
  user_id integer NOT NULL,
  -- What the client declared.
  name text NOT NULL,
  size bigint NOT NULL CHECK (size > 0),
  sha256 text NOT NULL CHECK (sha256 ~ '^[0-9a-f]{64}$'),
  part_bytes integer NOT NULL CHECK (part_bytes > 0),
  -- SHA-256 of the parts, one after the other, 32 bytes each.
  part_hashes bytea NOT NULL CHECK (octet_length(part_hashes) % 32 = 0),
  description text,
  is_public boolean,
  folder_id integer,
  purpose text NOT NULL DEFAULT 'gallery' CHECK (purpose IN ('gallery', 'metadata')),
  -- At the store: the id in the key of the original, and the id of the upload, which a restart replaces.
  object_id text NOT NULL UNIQUE CHECK (object_id ~ '^[0-9a-f]{32}$'),
  upload_id text NOT NULL,
  state text NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'completing', 'completed', 'failed')),
  -- Completing: who does it, and until when.
  lease_id uuid,
  lease_until timestamptz,
  -- Of a completed one: the photo, and whether the user had the file already.
  photo_id integer,
  duplicate boolean,
  -- Of a failed one: status, code, message and issues of the error.
  failure jsonb,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL
);

-- A row is an image for print orders: a user's upload, or a rendering of a photo. An order outlives its photos, so an image
-- stays until it expires.
CREATE TABLE print_images (
  -- 128 random bits in hex: part of the signed file name, and of the object key.
  id text PRIMARY KEY CHECK (id ~ '^[0-9a-f]{32}$'),
  user_id integer NOT NULL,
  -- What the image shows: the photo, crop and size, or the hash of the upload.
  specification text NOT NULL,
  -- Of a rendering: the photo, and the part of it; of a print (not a proof) its pixels.
  photo_id integer,
  crop jsonb,
  short_side integer,
  long_side integer,
  -- Of an upload until it is rendered: the file name of its original, and its size.
  source text,
  source_bytes integer,
  status text NOT NULL DEFAULT 'rendering' CHECK (status IN ('rendering', 'ready', 'failed')),
  status_message text,
  -- Of a ready image: its pixels, those of what it was rendered from, upright, and its bytes.
  width integer,
  height integer,
  source_width integer,
  source_height integer,
  filesize integer,
  -- Rendering: as processing of photos.
  run integer NOT NULL DEFAULT 0,
  starts integer NOT NULL DEFAULT 0,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  expires_at timestamptz(3) NOT NULL,
  CONSTRAINT print_images_of_photo_or_upload CHECK ((photo_id IS NULL) <> (specification LIKE 'photo:%')),
  CONSTRAINT print_images_size_is_whole CHECK ((short_side IS NULL) = (long_side IS NULL)),
  CONSTRAINT print_images_ready_has_size
    CHECK (status <> 'ready' OR (width IS NOT NULL AND height IS NOT NULL AND filesize IS NOT NULL))
);

-- A row is an export of a user's data. Its archive is never stored: it is made from the entries while it is sent.
CREATE TABLE exports (
  -- 128 random bits in hex: the last part of its URL.
  id text PRIMARY KEY CHECK (id ~ '^[0-9a-f]{32}$'),
  user_id integer NOT NULL,
  status text NOT NULL DEFAULT 'preparing' CHECK (status IN ('preparing', 'ready', 'failed')),
  -- Why it failed.
  status_message text,
  -- Preparing: how far it is; else as processing of photos.
  progress jsonb NOT NULL DEFAULT '{}',
  run integer NOT NULL DEFAULT 0,
  starts integer NOT NULL DEFAULT 0,
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

-- A row is a file of an export's archive, in their order.
CREATE TABLE export_entries (
  export_id text NOT NULL REFERENCES exports ON DELETE CASCADE,
  position integer NOT NULL,
  -- Of the entry's local header in the archive.
  archive_offset bigint,
  path text NOT NULL,
  -- Of an original. Without the photo the archive cannot be made any more.
  photo_id integer,
  -- Key of the object with its bytes.
  key text NOT NULL,
  size bigint NOT NULL,
  crc32 bigint NOT NULL,
  -- ISO 8601; without a zone where the camera's is not known.
  modified_at text NOT NULL,
  PRIMARY KEY (export_id, position)
);

-- A row is an object that is to be removed from the store as soon as it can be reached.
CREATE TABLE object_removals (
  key text PRIMARY KEY,
  not_before timestamptz(3) NOT NULL DEFAULT now(),
  -- Whose object it is, for the user's erasure; null: of nobody who is known. Without an index: the table is small, and only
  -- erasures look for a user's rows.
  user_id integer
);

-- Tables: counts and sums of photos, kept by the triggers below. No row has no photos, except in user_usage.

-- A row is what a user's photos amount to. It stays when the last photo is deleted.
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

-- A row is how many photos, and bytes of originals, a user has by purpose, folder and year.
CREATE TABLE photo_sums (
  user_id integer NOT NULL,
  purpose text NOT NULL,
  -- 0: in no folder.
  folder_id integer NOT NULL,
  -- In which the photo was taken, or else uploaded.
  year integer NOT NULL,
  photos integer NOT NULL,
  bytes bigint NOT NULL,
  PRIMARY KEY (user_id, purpose, folder_id, year)
);

-- A row is how many photos of the gallery a user has at a place; no place is two empty texts.
CREATE TABLE photo_places (
  user_id integer NOT NULL,
  city text NOT NULL,
  state text NOT NULL,
  count integer NOT NULL,
  location text GENERATED ALWAYS AS (place_name(city, state)) STORED,
  PRIMARY KEY (user_id, city, state)
);

-- A row is how many photos of the gallery a user has of a camera model.
CREATE TABLE photo_cameras (
  user_id integer NOT NULL,
  camera text NOT NULL,
  count integer NOT NULL,
  PRIMARY KEY (user_id, camera)
);

-- A row is how many photos of the gallery a user uploaded in an hour. The timeline and jumps into a long list read these
-- instead of the photos before.
CREATE TABLE photo_hours (
  user_id integer NOT NULL,
  hour timestamptz(3) NOT NULL,
  photos integer NOT NULL,
  PRIMARY KEY (user_id, hour)
);

-- A row is how many photos of the gallery a user took on a day, for the same by date taken.
CREATE TABLE photo_taken_days (
  user_id integer NOT NULL,
  -- 'YYYY-MM-DD' by the camera's clock; empty: without a date.
  day text COLLATE "C" NOT NULL,
  photos integer NOT NULL,
  PRIMARY KEY (user_id, day)
);

-- A row is how many photos of the gallery a user has in a cell of the map, and the sum of their map_x and map_y. Tiles with
-- many photos are made of these instead of the photos.
CREATE TABLE photo_cells (
  user_id integer NOT NULL,
  -- 0: the whole gallery; -1: photos in no folder; else the folder.
  scope integer NOT NULL,
  -- 6, 11, 16 or 21: the map has 2^level cells in each direction.
  level integer NOT NULL,
  -- The first 2 * level bits of the photos' map_key.
  cell bigint NOT NULL,
  photos integer NOT NULL,
  sum_x bigint NOT NULL,
  sum_y bigint NOT NULL,
  PRIMARY KEY (user_id, scope, level, cell)
);

-- Tables: flights (see src/flights/group-flights.ts)

-- A row is a photo that was changed in a way that flights depend on, or deleted, since flights were last grouped. Added by a
-- trigger.
CREATE TABLE flight_changes (
  seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  user_id integer NOT NULL,
  photo_id integer NOT NULL
);

-- A row is a photo with a date and a position, as it was when its flight was determined. Beside photos, so that grouping
-- locks and changes none of them.
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

-- A row is what the photos of a flight amount to. The id is the smallest of theirs.
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

-- Tables: what media knows from other services, and what it tells them

-- A row is a folder: a projection of folders' events and responses. A deleted folder stays as a tombstone.
CREATE TABLE folders (
  id integer PRIMARY KEY,
  user_id integer NOT NULL,
  is_public boolean NOT NULL,
  revision integer NOT NULL,
  -- The revision of the last change between private and public.
  visibility_revision integer NOT NULL,
  deleted boolean NOT NULL DEFAULT false
);

-- A row is what media knows of a user, from auth's events. A deleted user stays as a tombstone.
CREATE TABLE users (
  id integer PRIMARY KEY,
  public_by_default boolean NOT NULL,
  -- Bytes that the user's photos may take; null: the installation's default.
  quota bigint,
  revision integer NOT NULL,
  deleted boolean NOT NULL DEFAULT false
);

-- A row is a deleted user, from the moment on from which nothing of the user may be added.
CREATE TABLE deleted_users (
  user_id integer PRIMARY KEY,
  deleted_at timestamptz(3) NOT NULL DEFAULT now()
);

-- A row is a user to erase, or an erased one: it stays, so that nothing late brings anything back.
CREATE TABLE erasures (
  user_id integer PRIMARY KEY,
  requested_at timestamptz NOT NULL DEFAULT now(),
  -- Why it cannot be complete yet, in a sentence for administrators.
  waits_for text NOT NULL DEFAULT '',
  erased_at timestamptz,
  -- Of the events about it.
  revision integer NOT NULL DEFAULT 0
);

-- A row is a user whom print-orders has erased: no order needs the print images any more.
CREATE TABLE erased_orders (user_id integer PRIMARY KEY);

-- A row is an event, committed with its change; the relay publishes it.
CREATE TABLE outbox (
  seq bigserial PRIMARY KEY,
  id uuid NOT NULL UNIQUE,
  subject text NOT NULL,
  payload bytea NOT NULL,
  headers jsonb NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  published_at timestamptz
);

-- Indexes, each with what it is for

-- That a user has one photo of a file, and the photos of files that are sent again.
CREATE UNIQUE INDEX photos_one_of_a_file ON photos (user_id, sha256, copy_number) WHERE purpose <> 'metadata';
-- The other file of a pair, and that it is in no other one; the photos that may be a file's pair.
CREATE UNIQUE INDEX photos_paired_with ON photos (paired_with) WHERE paired_with IS NOT NULL;
CREATE INDEX photos_unpaired ON photos (user_id, shot_name(original_name), coalesce(left(date_taken, 19), ''))
  WHERE purpose = 'gallery' AND paired_with IS NULL;
-- The photos of a rendition's name, to show it, and whether an object of the store belongs to a photo.
CREATE INDEX photos_small_idx ON photos (small);
CREATE INDEX photos_thumbnail_idx ON photos (thumbnail);
CREATE INDEX photos_medium_idx ON photos (medium);
CREATE INDEX photos_preview_idx ON photos (preview);

-- Processing: the photo that waits longest, and the waiting photos of each user.
CREATE INDEX photos_processing ON photos (requested_at) WHERE status = 'processing';
CREATE INDEX photos_waiting ON photos (user_id, requested_at, id) WHERE status = 'processing';

-- By time of upload: the gallery, its photos in no folder, those in a folder, raw files, and those of the metadata screen.
CREATE INDEX photos_gallery ON photos (user_id, created_at, id) WHERE purpose = 'gallery';
CREATE INDEX photos_without_folder ON photos (user_id, created_at, id) WHERE folder_id IS NULL AND purpose = 'gallery';
CREATE INDEX photos_of_folder ON photos (folder_id, created_at, id) WHERE purpose = 'gallery';
CREATE INDEX photos_raw ON photos (user_id, created_at, id) WHERE purpose = 'raw';
CREATE INDEX photos_metadata ON photos (user_id, created_at, id) WHERE purpose = 'metadata';
-- A folder in its owner's order.
CREATE INDEX photos_in_own_order ON photos (folder_id, (coalesce(own_position, 'Infinity')), created_at, id)
  WHERE purpose = 'gallery';

-- The following name the user by expressions that no other index has. A query that says them so can use the index that is
-- meant for it and no other, whatever statistics make the planner believe. The columns behind INCLUDE let an index answer
-- alone.

-- The gallery by date taken, by the camera's clock. Photos without a date are last in both orders, so neither index is the
-- other one read backwards.
CREATE INDEX photos_taken_newest ON photos
  ((CASE WHEN purpose = 'gallery' THEN user_id + 0 END), (coalesce(left(date_taken, 19), '') COLLATE "C"), id);
CREATE INDEX photos_taken_oldest ON photos
  ((CASE WHEN purpose = 'gallery' THEN user_id + 0 END), (coalesce(left(date_taken, 19), '~') COLLATE "C"), id);
-- The gallery at a location.
CREATE INDEX photos_location ON photos ((CASE WHEN purpose = 'gallery' THEN user_id END), location, created_at, id)
  INCLUDE (purpose, user_id) WHERE location IS NOT NULL;
-- The gallery by camera, also in a folder and by date taken: most photos of a user may be of one camera.
CREATE INDEX photos_camera ON photos ((CASE WHEN purpose = 'gallery' THEN user_id END), camera, created_at, id)
  INCLUDE (purpose, user_id, folder_id, date_taken) WHERE camera IS NOT NULL;
-- The gallery without a position. Photos that are processing may yet get one.
CREATE INDEX photos_unplaced ON photos
  ((CASE WHEN purpose = 'gallery' AND latitude IS NULL THEN user_id END), created_at, id)
  INCLUDE (purpose, user_id, folder_id, date_taken) WHERE latitude IS NULL AND status <> 'processing';
-- A search, also at a location. Without a pending list, which every search would read through.
CREATE INDEX photos_search ON photos
  USING gin ((CASE WHEN purpose = 'gallery' THEN - user_id END), (location || ''), search gin_trgm_ops) WITH (fastupdate = off);
-- The gallery in a part of the map, as a whole and by folder; 0: photos in none.
CREATE INDEX photos_map ON photos
  ((CASE WHEN purpose = 'gallery' AND latitude IS NOT NULL THEN user_id END), map_key(latitude, longitude), id)
  INCLUDE (purpose, user_id, folder_id, latitude, longitude) WHERE latitude IS NOT NULL;
CREATE INDEX photos_map_folder ON photos
  ((CASE WHEN purpose = 'gallery' AND latitude IS NOT NULL THEN user_id END), coalesce(folder_id, 0),
    map_key(latitude, longitude), id)
  INCLUDE (purpose, user_id, folder_id, latitude, longitude) WHERE latitude IS NOT NULL;

-- The length of a list at a location, and the locations of a user.
CREATE INDEX photo_places_location ON photo_places (user_id, location);
-- The users whose usage is to be published.
CREATE INDEX user_usage_unpublished ON user_usage (user_id) WHERE revision > published_revision;

-- That a user has one open session for a file, and finding it.
CREATE UNIQUE INDEX upload_sessions_open_file ON upload_sessions (user_id, sha256, purpose)
  WHERE state IN ('open', 'completing');
-- A user's sessions; the sessions of a photo; those that have expired.
CREATE INDEX upload_sessions_user ON upload_sessions (user_id, created_at);
CREATE INDEX upload_sessions_photo ON upload_sessions (photo_id) WHERE photo_id IS NOT NULL;
CREATE INDEX upload_sessions_expiry ON upload_sessions (expires_at);

-- That there is one image of a specification, and finding it.
CREATE UNIQUE INDEX print_images_user_id_specification_key ON print_images (user_id, specification);
-- Images that have expired; whether an original belongs to an image; the images that wait, by user.
CREATE INDEX print_images_expires_at_idx ON print_images (expires_at);
CREATE INDEX print_images_source_idx ON print_images (source) WHERE source IS NOT NULL;
CREATE INDEX print_images_rendering ON print_images (user_id, created_at, id) WHERE status = 'rendering';

-- That a user has one export at a time, and finding it.
CREATE UNIQUE INDEX exports_one_of_a_user ON exports (user_id);
-- The export that waits longest; those that have expired.
CREATE INDEX exports_preparing ON exports (created_at) WHERE status = 'preparing';
CREATE INDEX exports_expiry ON exports (expires_at);
-- The entry at an offset of the archive, where a range begins.
CREATE UNIQUE INDEX export_entries_offset ON export_entries (export_id, archive_offset);
-- Whether an object belongs to an export alone.
CREATE INDEX export_entries_own_object ON export_entries (key) WHERE photo_id IS NULL;
-- The objects that are due.
CREATE INDEX object_removals_not_before_idx ON object_removals (not_before);

-- The changes of a user, the first ones first.
CREATE INDEX flight_changes_of_user ON flight_changes (user_id, seq);
-- The photos before and after a photo, of the same aircraft.
CREATE INDEX flight_photos_in_order ON flight_photos (user_id, aircraft, taken_at, photo_id);
-- The photos of a flight.
CREATE INDEX flight_photos_of_flight ON flight_photos (flight_id, taken_at, photo_id);
-- A page of a user's flights.
CREATE INDEX flights_of_user ON flights (user_id, started_at, id);

-- The erasures that are not complete.
CREATE INDEX erasures_open ON erasures (requested_at) WHERE erased_at IS NULL;
-- The events to publish.
CREATE INDEX outbox_pending ON outbox (seq) WHERE published_at IS NULL;

-- Functions of queries

-- LIKE patterns of texts with the words of a query, the longest first, which an index finds the fewest of. Of more than 20 words
-- the longest count. No word has a wildcard: punctuation is gone.
CREATE FUNCTION word_patterns(query text) RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN ARRAY(SELECT '%' || word || '%' FROM unnest(string_to_array(folded(query), ' ')) AS word
    WHERE word <> '' ORDER BY length(word) DESC LIMIT 20);

-- At most `most` of a user's photos with all words of a query, in no order and by the index of searches alone, which looks for
-- the longest ones. Conditions that are null hold for all, and are none for the index: it is planned for those that are given.
-- `in_folder` 0 stands for photos in no folder.
CREATE FUNCTION photos_like(
  of_user integer, patterns text[], in_folder integer, at_location text, by_camera text, since timestamptz,
  taken_from text, taken_to text, most integer)
RETURNS TABLE (id integer, created_at timestamptz, date_taken text, own_position double precision) LANGUAGE plpgsql STABLE
  SET enable_seqscan = off SET jit = off SET plan_cache_mode = force_custom_plan AS $$
BEGIN
  RETURN QUERY SELECT photos.id, photos.created_at, photos.date_taken, photos.own_position FROM photos
  WHERE CASE WHEN purpose = 'gallery' THEN - user_id END = - of_user AND search LIKE patterns[1]
    AND (patterns[2] IS NULL OR search LIKE patterns[2])
    AND (patterns[3] IS NULL OR search LIKE patterns[3])
    AND search LIKE ALL (patterns)
    AND (in_folder IS NULL OR coalesce(photos.folder_id, 0) = in_folder)
    AND (at_location IS NULL OR photos.location || '' = at_location)
    AND (by_camera IS NULL OR photos.camera IS NOT DISTINCT FROM by_camera)
    AND (photos_like.since IS NULL OR photos.created_at >= photos_like.since)
    AND (taken_from IS NULL OR coalesce(left(photos.date_taken, 19), '') COLLATE "C" BETWEEN taken_from AND taken_to)
  LIMIT most;
END $$;

-- A browser's time zone, or UTC when this server does not know its name: distributions leave old names out.
CREATE FUNCTION known_zone(zone text) RETURNS text LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM now() AT TIME ZONE zone;
  RETURN zone;
EXCEPTION WHEN invalid_parameter_value THEN
  RETURN 'UTC';
END $$;

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

-- The place of most photos of a flight, as one value.
CREATE TYPE flight_place AS (city text, state text);

-- Triggers that keep the counts and sums of photos. They are triggers because a count is right only when it changes in the
-- transaction of its photos and in the order of all others of the user, whichever of the many statements of media changed
-- them: an upload, a move, a correction, a result of processing, a deletion or an erasure.

-- What of a photo is counted. `photos` is 1 for one that was added, -1 for one that was removed, and both for a change.
CREATE TYPE counted_photo AS (
  user_id integer, purpose text, folder_id integer, created_at timestamptz, date_taken text, city text, state text,
  latitude numeric, longitude numeric, camera text, filesize integer, photos integer);

-- photo_places and user_usage hold what the photos of each user amount to.
CREATE FUNCTION count_usage(changes counted_photo[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE is_place_empty boolean;
BEGIN
  WITH place_changes AS (
    SELECT user_id, coalesce(city, '') AS city, coalesce(state, '') AS state, sum(photos)::int AS count
    FROM unnest(changes) WHERE purpose = 'gallery' GROUP BY 1, 2, 3 HAVING sum(photos) <> 0
  ), places AS (
    INSERT INTO photo_places AS known (user_id, city, state, count) SELECT * FROM place_changes
    ON CONFLICT (user_id, city, state) DO UPDATE SET count = known.count + EXCLUDED.count
    RETURNING user_id, city, state, count, location
  ), parts AS (
    SELECT user_id, coalesce(sum(photos) FILTER (WHERE purpose = 'gallery'), 0) AS photos, 0 AS locations,
      sum(photos * filesize::bigint) AS bytes
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
    WHERE known.user_id = change.user_id AND known.city = coalesce(change.city, '')
      AND known.state = coalesce(change.state, '') AND known.count = 0;
  END IF;
END $$;

-- photo_cameras holds the photos of the gallery by camera model.
CREATE FUNCTION count_cameras(changes counted_photo[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE is_camera_empty boolean;
BEGIN
  WITH cameras AS (
    INSERT INTO photo_cameras AS known (user_id, camera, count)
    SELECT user_id, camera, sum(photos) FROM unnest(changes)
    WHERE purpose = 'gallery' AND camera IS NOT NULL GROUP BY 1, 2 HAVING sum(photos) <> 0
    ON CONFLICT (user_id, camera) DO UPDATE SET count = known.count + EXCLUDED.count
    RETURNING count
  )
  SELECT bool_or(count = 0) INTO is_camera_empty FROM cameras;
  IF is_camera_empty THEN
    DELETE FROM photo_cameras AS known USING unnest(changes) AS change
    WHERE known.user_id = change.user_id AND known.camera = change.camera AND known.count = 0;
  END IF;
END $$;

-- The year that a photo counts for.
CREATE FUNCTION photo_year(date_taken text, created_at timestamptz) RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN coalesce(substring(date_taken from '^\d{4}')::integer, extract(year FROM created_at AT TIME ZONE 'UTC')::integer);

-- photo_sums holds the photos and bytes by purpose, folder and year.
CREATE FUNCTION count_sums(changes counted_photo[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE is_sum_empty boolean;
BEGIN
  WITH sums AS (
    INSERT INTO photo_sums AS known (user_id, purpose, folder_id, year, photos, bytes)
    SELECT user_id, purpose, coalesce(folder_id, 0), photo_year(date_taken, created_at), sum(change.photos),
      sum(change.photos * filesize::bigint)
    FROM unnest(changes) AS change GROUP BY 1, 2, 3, 4
    HAVING sum(change.photos) <> 0 OR sum(change.photos * filesize::bigint) <> 0
    ON CONFLICT (user_id, purpose, folder_id, year) DO UPDATE
    SET photos = known.photos + EXCLUDED.photos, bytes = known.bytes + EXCLUDED.bytes
    RETURNING photos
  )
  SELECT bool_or(photos = 0) INTO is_sum_empty FROM sums;
  IF is_sum_empty THEN
    DELETE FROM photo_sums AS known USING unnest(changes) AS change
    WHERE known.user_id = change.user_id AND known.purpose = change.purpose
      AND known.folder_id = coalesce(change.folder_id, 0)
      AND known.year = photo_year(change.date_taken, change.created_at) AND known.photos = 0;
  END IF;
END $$;

-- The hour that a photo counts for, in every time zone.
CREATE FUNCTION photo_hour(created_at timestamptz) RETURNS timestamptz LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN date_bin('1 hour', created_at, '1970-01-01 00:00:00+00');

-- photo_hours holds the photos of the gallery by hour of upload.
CREATE FUNCTION count_hours(changes counted_photo[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE is_hour_empty boolean;
BEGIN
  WITH hours AS (
    INSERT INTO photo_hours AS known (user_id, hour, photos)
    SELECT user_id, photo_hour(created_at), sum(change.photos) FROM unnest(changes) AS change
    WHERE purpose = 'gallery' GROUP BY 1, 2 HAVING sum(change.photos) <> 0
    ON CONFLICT (user_id, hour) DO UPDATE SET photos = known.photos + EXCLUDED.photos
    RETURNING photos
  )
  SELECT bool_or(photos = 0) INTO is_hour_empty FROM hours;
  IF is_hour_empty THEN
    DELETE FROM photo_hours AS known USING unnest(changes) AS change
    WHERE known.user_id = change.user_id AND known.hour = photo_hour(change.created_at) AND known.photos = 0;
  END IF;
END $$;

-- The day that a photo counts for.
CREATE FUNCTION taken_day(date_taken text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN left(coalesce(date_taken, ''), 10);

-- photo_taken_days holds the photos of the gallery by day of the camera's calendar.
CREATE FUNCTION count_taken_days(changes counted_photo[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE is_day_empty boolean;
BEGIN
  WITH days AS (
    INSERT INTO photo_taken_days AS known (user_id, day, photos)
    SELECT user_id, taken_day(date_taken), sum(change.photos) FROM unnest(changes) AS change
    WHERE purpose = 'gallery' GROUP BY 1, 2 HAVING sum(change.photos) <> 0
    ON CONFLICT (user_id, day) DO UPDATE SET photos = known.photos + EXCLUDED.photos
    RETURNING photos
  )
  SELECT bool_or(photos = 0) INTO is_day_empty FROM days;
  IF is_day_empty THEN
    DELETE FROM photo_taken_days AS known USING unnest(changes) AS change
    WHERE known.user_id = change.user_id AND known.day = taken_day(change.date_taken) AND known.photos = 0;
  END IF;
END $$;

-- photo_cells holds the photos of the gallery with a position by cell of the map, as a whole and by folder.
CREATE FUNCTION count_cells(changes counted_photo[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE is_cell_empty boolean;
BEGIN
  WITH finest AS (
    SELECT user_id, coalesce(folder_id, -1) AS folder_id, map_key(latitude, longitude) >> 10 AS cell, sum(photos) AS photos,
      sum(photos * map_x(longitude)::bigint) AS sum_x, sum(photos * map_y(latitude)::bigint) AS sum_y
    FROM unnest(changes) WHERE purpose = 'gallery' AND latitude IS NOT NULL GROUP BY 1, 2, 3
  ), cells AS (
    INSERT INTO photo_cells AS known (user_id, scope, level, cell, photos, sum_x, sum_y)
    SELECT user_id, scope, level, cell >> (42 - 2 * level), sum(photos), sum(sum_x), sum(sum_y)
    FROM finest CROSS JOIN LATERAL (VALUES (0), (folder_id)) AS scopes (scope)
      CROSS JOIN (VALUES (6), (11), (16), (21)) AS levels (level)
    GROUP BY 1, 2, 3, 4 HAVING sum(photos) <> 0 OR sum(sum_x) <> 0 OR sum(sum_y) <> 0
    ON CONFLICT (user_id, scope, level, cell) DO UPDATE SET photos = known.photos + EXCLUDED.photos,
      sum_x = known.sum_x + EXCLUDED.sum_x, sum_y = known.sum_y + EXCLUDED.sum_y
    RETURNING photos
  )
  SELECT bool_or(photos = 0) INTO is_cell_empty FROM cells;
  IF is_cell_empty THEN
    DELETE FROM photo_cells AS known USING (
      SELECT DISTINCT user_id, scope, level, map_key(latitude, longitude) >> (52 - 2 * level) AS cell
      FROM unnest(changes) CROSS JOIN LATERAL (VALUES (0), (coalesce(folder_id, -1))) AS scopes (scope)
        CROSS JOIN (VALUES (6), (11), (16), (21)) AS levels (level)
      WHERE latitude IS NOT NULL) AS changed
    WHERE known.user_id = changed.user_id AND known.scope = changed.scope AND known.level = changed.level
      AND known.cell = changed.cell AND known.photos = 0;
  END IF;
END $$;

-- All of the above follow every statement that adds, changes or deletes photos; a change of nothing that is counted costs
-- nothing. A user's changes wait for each other, so that no two transactions lock the same rows in different orders. Whoever
-- changes several photos in a transaction locks their owners' uploads first, in the order of their ids (see src/photos/locks.ts).
CREATE FUNCTION count_photos() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE changes counted_photo[];
BEGIN
  IF TG_OP = 'INSERT' THEN
    SELECT array_agg(ROW(user_id, purpose, folder_id, created_at, date_taken, city, state, latitude, longitude, camera,
      filesize, 1)::counted_photo) INTO changes FROM added;
  ELSIF TG_OP = 'DELETE' THEN
    SELECT array_agg(ROW(user_id, purpose, folder_id, created_at, date_taken, city, state, latitude, longitude, camera,
      filesize, -1)::counted_photo) INTO changes FROM removed;
  ELSE
    SELECT array_agg(sums::counted_photo) INTO changes FROM (
      SELECT user_id, purpose, folder_id, created_at, date_taken, city, state, latitude, longitude, camera,
        filesize, sum(photos)::int
      FROM (
        SELECT user_id, purpose, folder_id, created_at, date_taken, city, state, latitude, longitude, camera, filesize,
          1 AS photos
        FROM added
        UNION ALL
        SELECT user_id, purpose, folder_id, created_at, date_taken, city, state, latitude, longitude, camera, filesize, -1
        FROM removed) AS both_sides
      GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 HAVING sum(photos) <> 0) AS sums;
  END IF;
  IF changes IS NULL THEN RETURN NULL; END IF;
  PERFORM pg_advisory_xact_lock(x'706c6163'::int, user_id)
  FROM (SELECT DISTINCT user_id FROM unnest(changes) ORDER BY user_id) AS users;
  PERFORM count_usage(changes), count_cameras(changes), count_sums(changes), count_hours(changes),
    count_taken_days(changes), count_cells(changes);
  RETURN NULL;
END $$;
CREATE TRIGGER count_inserted AFTER INSERT ON photos REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION count_photos();
CREATE TRIGGER count_deleted AFTER DELETE ON photos REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT EXECUTE FUNCTION count_photos();
CREATE TRIGGER count_updated AFTER UPDATE ON photos REFERENCING OLD TABLE AS removed NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION count_photos();

-- Triggers that keep flights

-- Every photo that was changed in a way that flights depend on is in flight_changes, whatever statement changed it. By triggers,
-- for the same reason: flights are made of photos as the counts are, and a change that some statement forgot to note would
-- leave a flight wrong for ever. Each statement compares the photos with what they were before it, which only a trigger
-- knows when many are changed at once; and a note commits with its photo, so that grouping, which takes the notes under the
-- lock of a user's flights, sees neither without the other.
CREATE FUNCTION note_flight_changes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO flight_changes (user_id, photo_id)
    SELECT user_id, id FROM added WHERE purpose = 'gallery' AND latitude IS NOT NULL AND date_taken IS NOT NULL;
  ELSIF TG_OP = 'DELETE' THEN
    INSERT INTO flight_changes (user_id, photo_id)
    SELECT user_id, id FROM removed WHERE purpose = 'gallery' AND latitude IS NOT NULL AND date_taken IS NOT NULL;
  ELSE
    INSERT INTO flight_changes (user_id, photo_id)
    SELECT added.user_id, added.id FROM added JOIN removed USING (id)
    WHERE (
        (added.purpose = 'gallery' AND added.latitude IS NOT NULL AND added.date_taken IS NOT NULL)
        OR (removed.purpose = 'gallery' AND removed.latitude IS NOT NULL AND removed.date_taken IS NOT NULL)
      ) AND (added.purpose, added.aircraft, added.date_taken, added.latitude, added.longitude, added.city, added.state,
        added.metadata) IS DISTINCT FROM (removed.purpose, removed.aircraft, removed.date_taken, removed.latitude,
        removed.longitude, removed.city, removed.state, removed.metadata);
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER note_inserted_flight_photos AFTER INSERT ON photos REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION note_flight_changes();
CREATE TRIGGER note_deleted_flight_photos AFTER DELETE ON photos REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT EXECUTE FUNCTION note_flight_changes();
CREATE TRIGGER note_updated_flight_photos AFTER UPDATE ON photos REFERENCING OLD TABLE AS removed NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION note_flight_changes();

-- migrate:down

-- The database begins here: drop it.
