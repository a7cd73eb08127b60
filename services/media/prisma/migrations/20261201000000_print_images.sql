-- migrate:up

-- Images for print orders: a user's upload, or a rendering of a photo. The object is print-images/<id>. An order outlives
-- its photos, so an image stays until it expires.
CREATE TABLE print_images (
  -- 128 random bits in hex: part of the signed file name, and of the object key.
  id text PRIMARY KEY CHECK (id ~ '^[0-9a-f]{32}$'),
  user_id integer NOT NULL,
  -- What the image shows: the photo, crop and size, or the hash of the upload. One row for each.
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
  -- Rendering: how often it was begun, and who is at it until when.
  attempts integer NOT NULL DEFAULT 0,
  lease_id uuid,
  lease_until timestamptz(3),
  -- Of an image that waits: the trace of its request (W3C traceparent).
  trace text,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  expires_at timestamptz(3) NOT NULL,
  CHECK ((photo_id IS NULL) <> (specification LIKE 'photo:%')),
  CHECK ((short_side IS NULL) = (long_side IS NULL)),
  CHECK (status <> 'ready' OR (width IS NOT NULL AND height IS NOT NULL AND filesize IS NOT NULL))
);
CREATE UNIQUE INDEX print_images_user_id_specification_key ON print_images (user_id, specification);
CREATE INDEX print_images_expires_at_idx ON print_images (expires_at);
CREATE INDEX print_images_source_idx ON print_images (source) WHERE source IS NOT NULL;
CREATE INDEX print_images_rendering ON print_images (user_id, created_at, id) WHERE status = 'rendering';

-- migrate:down

DROP TABLE print_images;
