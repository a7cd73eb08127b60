-- migrate:up

-- Bytes and CRC-32 of the preview, by which downloads in web size are made without reading it; null: not read yet.
ALTER TABLE photos ADD COLUMN preview_bytes integer, ADD COLUMN preview_crc32 bigint;

-- migrate:down
ALTER TABLE photos DROP COLUMN preview_bytes, DROP COLUMN preview_crc32;
