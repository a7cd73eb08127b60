-- migrate:up

-- site: hash of the /48 of an IPv6 address; null for others. alike: the flag, as last looked for: the ballots of a network
-- have the same choices, which others do not.
ALTER TABLE ballots
  ADD COLUMN site uuid,
  ADD COLUMN alike boolean NOT NULL DEFAULT false;

-- A page now gives its token to browsers that keep no cookies too, so every ballot without one is flagged. Those of people
-- without cookies, who had none before, are not: only ballots that came in numbers.
UPDATE ballots SET page_unseen = false WHERE page_unseen AND NOT no_page;

-- migrate:down

ALTER TABLE ballots DROP COLUMN site, DROP COLUMN alike;
