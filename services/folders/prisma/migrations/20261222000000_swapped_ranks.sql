-- migrate:up

-- The vote that changed the ballot last was a swap: the upsert of votes needs it beside last_photo_id and last_place.
ALTER TABLE ballots ADD COLUMN last_swaps boolean NOT NULL DEFAULT false;

-- migrate:down

ALTER TABLE ballots DROP COLUMN last_swaps;
