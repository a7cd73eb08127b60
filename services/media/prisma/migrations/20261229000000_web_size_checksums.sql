-- migrate:up

-- Bytes and CRC-32 of the preview, by which downloads in web size are made without reading it; null: not read yet.
ALTER TABLE photos ADD COLUMN preview_bytes integer, ADD COLUMN preview_crc32 bigint;

-- The previous release writes a new preview without them.
CREATE FUNCTION forget_preview_checksum() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.preview_bytes := NULL;
  NEW.preview_crc32 := NULL;
  RETURN NEW;
END
$$;
CREATE TRIGGER forget_preview_checksum BEFORE UPDATE OF preview ON photos FOR EACH ROW
  WHEN (NEW.preview IS DISTINCT FROM OLD.preview AND NEW.preview_crc32 IS NOT DISTINCT FROM OLD.preview_crc32)
  EXECUTE FUNCTION forget_preview_checksum();

-- migrate:down
DROP TRIGGER forget_preview_checksum ON photos;
DROP FUNCTION forget_preview_checksum();
ALTER TABLE photos DROP COLUMN preview_bytes, DROP COLUMN preview_crc32;
