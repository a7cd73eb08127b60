-- migrate:up

-- How a panorama is looked at: 'sphere' or 'wide'; null for an ordinary picture.
ALTER TABLE photos ADD COLUMN projection text;

CREATE OR REPLACE VIEW placed_photos AS
SELECT id, user_id, folder_id, title, description, filename, filesize, latitude, longitude, altitude, city, county, state,
       date_taken, created_at, status, status_message, width, height, thumbnail, preview, thumbhash,
       folder_exists, in_public_folder, is_public,
       -- Shown to visitors.
       in_public_folder AND is_public AND NOT owner_suspended AS visible,
       -- Can be ranked, and its votes count. Only the owner reaches a private folder, where all photos count.
       folder_exists AND (is_public OR NOT in_public_folder) AS counted,
       small, medium, link_revision, projection
FROM (
  SELECT photos.id, photos.user_id, photos.folder_id, photos.title, photos.description, photos.filename,
         photos.filesize, photos.latitude, photos.longitude, photos.altitude, photos.city, photos.county, photos.state,
         photos.date_taken, photos.created_at, photos.status, photos.status_message, photos.width, photos.height,
         photos.thumbnail, photos.preview, photos.thumbhash, photos.small, photos.medium, photos.projection,
         folders.id IS NOT NULL AS folder_exists,
         folders.link_revision,
         COALESCE(folders.is_public, false) AS in_public_folder,
         COALESCE(folders.owner_suspended, false) AS owner_suspended,
         COALESCE(CASE WHEN folders.id IS NULL OR own_visibility_revision >= visibility_revision THEN own_is_public END,
                  folders.is_public, false) AS is_public
  FROM photos LEFT JOIN folders ON folders.id = photos.folder_id
  WHERE NOT photos.deleted
) AS placed;

-- migrate:down

DROP VIEW votes;
DROP VIEW placed_photos;
CREATE VIEW placed_photos AS
SELECT id, user_id, folder_id, title, description, filename, filesize, latitude, longitude, altitude, city, county, state,
       date_taken, created_at, status, status_message, width, height, thumbnail, preview, thumbhash,
       folder_exists, in_public_folder, is_public,
       -- Shown to visitors.
       in_public_folder AND is_public AND NOT owner_suspended AS visible,
       -- Can be ranked, and its votes count. Only the owner reaches a private folder, where all photos count.
       folder_exists AND (is_public OR NOT in_public_folder) AS counted,
       small, medium, link_revision
FROM (
  SELECT photos.id, photos.user_id, photos.folder_id, photos.title, photos.description, photos.filename,
         photos.filesize, photos.latitude, photos.longitude, photos.altitude, photos.city, photos.county, photos.state,
         photos.date_taken, photos.created_at, photos.status, photos.status_message, photos.width, photos.height,
         photos.thumbnail, photos.preview, photos.thumbhash, photos.small, photos.medium,
         folders.id IS NOT NULL AS folder_exists,
         folders.link_revision,
         COALESCE(folders.is_public, false) AS in_public_folder,
         COALESCE(folders.owner_suspended, false) AS owner_suspended,
         COALESCE(CASE WHEN folders.id IS NULL OR own_visibility_revision >= visibility_revision THEN own_is_public END,
                  folders.is_public, false) AS is_public
  FROM photos LEFT JOIN folders ON folders.id = photos.folder_id
  WHERE NOT photos.deleted
) AS placed;
CREATE VIEW votes AS
SELECT ballots.folder_id || '-' || ballots.voter || '-' || choice.rank AS id,
       choice.photo_id, ballots.folder_id, ballots.address AS ip_address, ballots.voter AS voter_fingerprint,
       choice.rank, ballots.created_at
FROM ballots
CROSS JOIN LATERAL (VALUES (first, 'first'), (second, 'second'), (third, 'third')) AS choice (photo_id, rank)
JOIN placed_photos ON placed_photos.id = choice.photo_id AND placed_photos.folder_id = ballots.folder_id AND counted
WHERE NOT ballots.excluded;
ALTER TABLE photos DROP COLUMN projection;
