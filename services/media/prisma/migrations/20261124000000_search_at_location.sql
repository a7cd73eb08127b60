-- migrate:up
-- With the location, so that a search under its filter reads the photos there only. It is an expression for the same
-- reason as the user: no other index has it.
DROP INDEX photos_search;
CREATE INDEX photos_search ON photos
  USING gin ((CASE WHEN purpose = 'gallery' THEN - user_id END), (location || ''), search gin_trgm_ops) WITH (fastupdate = off);

-- As before, but planned for the conditions that are given: those that are null are no conditions for the index.
DROP FUNCTION photos_like;
CREATE FUNCTION photos_like(
  of_user integer, pattern text, in_folder integer, at_location text, elsewhere_than text[], since timestamptz,
  most integer)
RETURNS TABLE (id integer, created_at timestamptz, location text) LANGUAGE plpgsql STABLE
  SET enable_seqscan = off SET jit = off SET plan_cache_mode = force_custom_plan AS $$
BEGIN
  RETURN QUERY SELECT photos.id, photos.created_at, photos.location FROM photos
  WHERE CASE WHEN purpose = 'gallery' THEN - user_id END = - of_user AND photos.search LIKE pattern
    AND (in_folder IS NULL OR photos.folder_id + 0 = in_folder)
    AND (at_location IS NULL OR photos.location || '' = at_location)
    AND (elsewhere_than IS NULL OR photos.location IS NULL OR photos.location <> ALL (elsewhere_than))
    AND (photos_like.since IS NULL OR photos.created_at >= photos_like.since)
  LIMIT most;
END $$;

-- migrate:down
DROP FUNCTION photos_like;
CREATE FUNCTION photos_like(
  of_user integer, pattern text, in_folder integer, at_location text, elsewhere_than text[], since timestamptz,
  most integer)
RETURNS TABLE (id integer, created_at timestamptz, location text) LANGUAGE sql STABLE
  SET enable_seqscan = off SET jit = off AS $$
  SELECT photos.id, photos.created_at, photos.location FROM photos
  WHERE CASE WHEN purpose = 'gallery' THEN - user_id END = - of_user AND search LIKE pattern
    AND (in_folder IS NULL OR folder_id = in_folder) AND (at_location IS NULL OR photos.location = at_location)
    AND (elsewhere_than IS NULL OR photos.location IS NULL OR photos.location <> ALL (elsewhere_than))
    AND (since IS NULL OR photos.created_at >= since)
  LIMIT most
$$;
DROP INDEX photos_search;
CREATE INDEX photos_search ON photos USING gin ((CASE WHEN purpose = 'gallery' THEN - user_id END), search gin_trgm_ops)
  WITH (fastupdate = off);
