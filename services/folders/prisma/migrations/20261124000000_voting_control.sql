-- migrate:up

ALTER TABLE folders ADD COLUMN voting_open boolean NOT NULL DEFAULT true;

-- An excluded ballot may still be changed by its voter and adds nothing to the tallies. was_excluded, like was_first, is
-- how it was before the last change.
ALTER TABLE ballots
  ADD COLUMN excluded boolean NOT NULL DEFAULT false,
  ADD COLUMN was_excluded boolean NOT NULL DEFAULT false;

CREATE OR REPLACE VIEW votes AS
SELECT ballots.folder_id || '-' || ballots.voter || '-' || choice.rank AS id,
       choice.photo_id, ballots.folder_id, ballots.address AS ip_address, ballots.voter AS voter_fingerprint,
       choice.rank, ballots.created_at
FROM ballots
CROSS JOIN LATERAL (VALUES (first, 'first'), (second, 'second'), (third, 'third')) AS choice (photo_id, rank)
JOIN placed_photos ON placed_photos.id = choice.photo_id AND placed_photos.folder_id = ballots.folder_id AND counted
WHERE NOT ballots.excluded;

-- What owners did with the votes of their folders. It outlives the ballots, and goes with the folder.
CREATE TABLE voting_log (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  folder_id integer NOT NULL,
  at timestamptz NOT NULL DEFAULT now(),
  action text NOT NULL CHECK (action IN ('excluded', 'restored', 'reset', 'opened', 'closed')),
  -- Whose ballot, where it is about one.
  voter uuid CHECK ((voter IS NOT NULL) = (action IN ('excluded', 'restored')))
);
CREATE INDEX voting_log_folder_id ON voting_log (folder_id, id);

-- migrate:down

DROP TABLE voting_log;
CREATE OR REPLACE VIEW votes AS
SELECT ballots.folder_id || '-' || ballots.voter || '-' || choice.rank AS id,
       choice.photo_id, ballots.folder_id, ballots.address AS ip_address, ballots.voter AS voter_fingerprint,
       choice.rank, ballots.created_at
FROM ballots
CROSS JOIN LATERAL (VALUES (first, 'first'), (second, 'second'), (third, 'third')) AS choice (photo_id, rank)
JOIN placed_photos ON placed_photos.id = choice.photo_id AND placed_photos.folder_id = ballots.folder_id AND counted;
ALTER TABLE ballots DROP COLUMN excluded, DROP COLUMN was_excluded;
ALTER TABLE folders DROP COLUMN voting_open;
