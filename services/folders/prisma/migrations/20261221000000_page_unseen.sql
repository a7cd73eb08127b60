-- migrate:up

-- page_unseen: the ballot was made by a vote without a voter token, which every public page of a folder sets. It never
-- changes. no_page: the flag, as last looked for: ballots like that came in numbers from one network.
ALTER TABLE ballots
  ADD COLUMN page_unseen boolean NOT NULL DEFAULT false,
  ADD COLUMN no_page boolean NOT NULL DEFAULT false;

-- migrate:down

ALTER TABLE ballots DROP COLUMN page_unseen, DROP COLUMN no_page;
