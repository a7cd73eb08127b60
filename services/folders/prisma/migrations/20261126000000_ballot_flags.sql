-- migrate:up

-- What is odd about a ballot beside the tokens of other ballots and the addresses of other voters, as last looked for.
ALTER TABLE ballots
  ADD COLUMN burst boolean NOT NULL DEFAULT false,
  ADD COLUMN crowd boolean NOT NULL DEFAULT false,
  ADD COLUMN shared_token boolean NOT NULL DEFAULT false;

-- Many ballots that were excluded or restored at once are one entry with their number.
ALTER TABLE voting_log
  ADD COLUMN ballots integer CHECK (ballots > 0),
  DROP CONSTRAINT voting_log_check,
  ADD CONSTRAINT voting_log_check
    CHECK ((voter IS NOT NULL)::integer + (ballots IS NOT NULL)::integer = (action IN ('excluded', 'restored'))::integer);

-- migrate:down

DELETE FROM voting_log WHERE ballots IS NOT NULL;
ALTER TABLE voting_log
  DROP CONSTRAINT voting_log_check,
  DROP COLUMN ballots,
  ADD CONSTRAINT voting_log_check CHECK ((voter IS NOT NULL) = (action IN ('excluded', 'restored')));
ALTER TABLE ballots DROP COLUMN burst, DROP COLUMN crowd, DROP COLUMN shared_token;
