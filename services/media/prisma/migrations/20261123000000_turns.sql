-- migrate:up
-- For the turns that users take in processing: who waits, and who has photos in work.
CREATE INDEX photos_waiting ON photos (user_id, id) WHERE status = 'processing';
CREATE INDEX photos_leased ON photos (user_id) WHERE lease_id IS NOT NULL;

-- migrate:down
DROP INDEX photos_waiting, photos_leased;
