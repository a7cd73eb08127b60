-- migrate:up
-- A user has one photo of a file. Rows of the time before that rule stay: further ones of the same file are numbered.
ALTER TABLE photos ADD COLUMN copy_number integer NOT NULL DEFAULT 0;
UPDATE photos SET copy_number = numbered.place
FROM (SELECT id, row_number() OVER (PARTITION BY user_id, sha256 ORDER BY id) - 1 AS place FROM photos) AS numbered
WHERE numbered.id = photos.id AND numbered.place > 0;
CREATE UNIQUE INDEX photos_user_id_sha256_copy_number_key ON photos (user_id, sha256, copy_number);

-- migrate:down
DROP INDEX photos_user_id_sha256_copy_number_key;
ALTER TABLE photos DROP COLUMN copy_number;
