-- migrate:up

-- What folders knows of users, from auth's events. A deleted user stays as a tombstone.
CREATE TABLE users (
  id integer PRIMARY KEY,
  suspended boolean NOT NULL,
  revision integer NOT NULL,
  deleted boolean NOT NULL DEFAULT false
);

-- The owner is suspended: for everybody else the folder is private. Kept with users, in the same transaction.
ALTER TABLE folders ADD COLUMN owner_suspended boolean NOT NULL DEFAULT false;

-- An owner's suspension hides the folder and changes nothing in it: what counts stays as it was.
CREATE OR REPLACE VIEW placed_photos AS
SELECT id, user_id, folder_id, title, description, filename, filesize, latitude, longitude, altitude, city, county, state,
       date_taken, created_at, status, status_message, width, height, thumbnail, preview, thumbhash,
       folder_exists, in_public_folder, is_public,
       -- Shown to visitors.
       in_public_folder AND is_public AND NOT owner_suspended AS visible,
       -- Can be ranked, and its votes count. Only the owner reaches a private folder, where all photos count.
       folder_exists AND (is_public OR NOT in_public_folder) AS counted
FROM (
  SELECT photos.id, photos.user_id, photos.folder_id, photos.title, photos.description, photos.filename,
         photos.filesize, photos.latitude, photos.longitude, photos.altitude, photos.city, photos.county, photos.state,
         photos.date_taken, photos.created_at, photos.status, photos.status_message, photos.width, photos.height,
         photos.thumbnail, photos.preview, photos.thumbhash,
         folders.id IS NOT NULL AS folder_exists,
         COALESCE(folders.is_public, false) AS in_public_folder,
         COALESCE(folders.owner_suspended, false) AS owner_suspended,
         COALESCE(CASE WHEN folders.id IS NULL OR own_visibility_revision >= visibility_revision THEN own_is_public END,
                  folders.is_public, false) AS is_public
  FROM photos LEFT JOIN folders ON folders.id = photos.folder_id
  WHERE NOT photos.deleted
) AS placed;

-- Users to erase, and erased ones: a row stays, so that nothing late brings anything back.
CREATE TABLE erasures (
  user_id integer PRIMARY KEY,
  requested_at timestamptz NOT NULL DEFAULT now(),
  -- Why it cannot be complete yet, in a sentence for administrators.
  waits_for text NOT NULL DEFAULT '',
  erased_at timestamptz,
  -- Of the events about it.
  revision integer NOT NULL DEFAULT 0
);
CREATE INDEX erasures_open ON erasures (requested_at) WHERE erased_at IS NULL;

-- migrate:down

DROP TABLE erasures;
CREATE OR REPLACE VIEW placed_photos AS
SELECT placed.*,
       in_public_folder AND is_public AS visible,
       folder_exists AND (is_public OR NOT in_public_folder) AS counted
FROM (
  SELECT photos.id, photos.user_id, photos.folder_id, photos.title, photos.description, photos.filename,
         photos.filesize, photos.latitude, photos.longitude, photos.altitude, photos.city, photos.county, photos.state,
         photos.date_taken, photos.created_at, photos.status, photos.status_message, photos.width, photos.height,
         photos.thumbnail, photos.preview, photos.thumbhash,
         folders.id IS NOT NULL AS folder_exists,
         COALESCE(folders.is_public, false) AS in_public_folder,
         COALESCE(CASE WHEN folders.id IS NULL OR own_visibility_revision >= visibility_revision THEN own_is_public END,
                  folders.is_public, false) AS is_public
  FROM photos LEFT JOIN folders ON folders.id = photos.folder_id
  WHERE NOT photos.deleted
) AS placed;
ALTER TABLE folders DROP COLUMN owner_suspended;
DROP TABLE users;
