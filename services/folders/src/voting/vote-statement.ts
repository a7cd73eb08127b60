import { ENTER_GATE } from './voting-lock.ts'

/**
 * Appends what the rows of `ballot` (changed rows of ballots) changed in the tallies. An excluded ballot changes nothing;
 * its photos get a row of zeros, since a photo's votes are looked for in the folders where it has a tally.
 */
export const TALLY_CHANGES = `INSERT INTO tally_changes (folder_id, photo_id, first, second, third)
SELECT folder_id, photo_id, sum(change.first), sum(change.second), sum(change.third)
FROM ballot
CROSS JOIN LATERAL (SELECT (NOT excluded)::integer AS one, -(NOT was_excluded)::integer AS less) AS weight
CROSS JOIN LATERAL (VALUES (ballot.first, one, 0, 0), (ballot.second, 0, one, 0), (ballot.third, 0, 0, one),
                           (was_first, less, 0, 0), (was_second, 0, less, 0), (was_third, 0, 0, less)
) AS change (photo_id, first, second, third)
WHERE photo_id IS NOT NULL
GROUP BY folder_id, photo_id
HAVING sum(change.first) <> 0 OR sum(change.second) <> 0 OR sum(change.third) <> 0 OR bool_or(excluded)`

/**
 * One batch of votes in one statement, so in one transaction. Every ballot may occur once.
 *
 * Parameters, arrays of equal length: folder, photo, place (0 removes), voter, address and token hashes, user (0: none).
 * The rows that come back are of four kinds, and joined by the caller: here a join of batch with ballots would be a
 * nested loop, since the planner expects few rows of an array.
 * - a refusal: its reason, the vote's position (from 1)
 * - `ballot`: folder, voter, the photos at the three places
 * - `counted`: a photo of those ballots that counts now, and the folder that it is in
 * - `owner`: folder, its owner
 *
 * - The folders' gates are entered first (see voting-gate.ts); a folder whose gate is shut refuses its votes. Then the
 *   folders are locked, which reads them as they are now, not as they were when the statement began; then the ballots,
 *   in order of their key. So batches of several replicas never deadlock, and no ballot outlives its folder.
 * - A ballot's old places are kept in was_* by the upsert itself, under the row's lock: the differences that are
 *   appended to the tallies are exact whatever other batches do.
 */
export const VOTE_STATEMENT = `
WITH item AS MATERIALIZED (
  SELECT * FROM unnest($1::integer[], $2::integer[], $3::smallint[], $4::uuid[], $5::uuid[], $6::uuid[], $7::integer[])
    WITH ORDINALITY AS item (folder_id, photo_id, place, voter, address, token, user_id, position)
), gate AS MATERIALIZED (
  SELECT id, ${ENTER_GATE} AS entered FROM (SELECT DISTINCT folder_id AS id FROM item) AS wanted
), folder AS MATERIALIZED (
  SELECT folders.id, user_id, is_public, voting_open FROM folders JOIN gate ON gate.id = folders.id AND entered
  ORDER BY folders.id FOR KEY SHARE OF folders
), judged AS MATERIALIZED (
  SELECT item.*, folder.user_id = item.user_id AS by_owner,
    CASE
      WHEN NOT gate.entered THEN 'busy'
      WHEN folder.id IS NULL OR NOT (folder.is_public OR folder.user_id = item.user_id) THEN 'no-folder'
      WHEN NOT folder.voting_open THEN 'closed'
      WHEN photo.folder_id = item.folder_id AND photo.counted THEN 'ok'
      WHEN photo.folder_id = item.folder_id AND photo.user_id = item.user_id THEN 'private'
      WHEN photo.user_id = item.user_id OR photo.visible THEN 'elsewhere'
      ELSE 'no-photo'
    END AS outcome
  FROM item
  JOIN gate ON gate.id = item.folder_id
  LEFT JOIN folder ON folder.id = item.folder_id
  LEFT JOIN placed_photos AS photo ON photo.id = item.photo_id
), ballot AS (
  INSERT INTO ballots AS old
    (folder_id, voter, first, second, third, last_photo_id, last_place, address, token, owner)
  SELECT folder_id, voter,
         CASE WHEN place = 1 THEN photo_id END, CASE WHEN place = 2 THEN photo_id END, CASE WHEN place = 3 THEN photo_id END,
         photo_id, place, address, token, by_owner
  FROM judged
  WHERE outcome = 'ok' AND (place > 0 OR EXISTS
    (SELECT FROM ballots WHERE ballots.folder_id = judged.folder_id AND ballots.voter = judged.voter))
  ORDER BY folder_id, voter
  ON CONFLICT (folder_id, voter) DO UPDATE SET
    first = CASE WHEN excluded.last_place = 1 THEN excluded.last_photo_id
                 WHEN old.first <> excluded.last_photo_id THEN old.first END,
    second = CASE WHEN excluded.last_place = 2 THEN excluded.last_photo_id
                  WHEN old.second <> excluded.last_photo_id THEN old.second END,
    third = CASE WHEN excluded.last_place = 3 THEN excluded.last_photo_id
                 WHEN old.third <> excluded.last_photo_id THEN old.third END,
    was_first = old.first, was_second = old.second, was_third = old.third,
    was_excluded = old.excluded,
    last_photo_id = excluded.last_photo_id, last_place = excluded.last_place,
    token_mismatch = old.token_mismatch OR old.token <> excluded.token,
    owner = old.owner OR excluded.owner,
    updated_at = now()
  RETURNING *
), change AS (
  ${TALLY_CHANGES}
)
SELECT outcome AS kind, position::integer AS key, NULL::uuid AS voter, NULL::integer AS first, NULL::integer AS second, NULL::integer AS third
FROM judged WHERE outcome <> 'ok'
UNION ALL
SELECT 'ballot', folder_id, voter, first, second, third FROM ballot
UNION ALL
SELECT 'counted', id, NULL, folder_id, NULL, NULL FROM placed_photos
WHERE counted AND id IN (SELECT choice FROM ballot CROSS JOIN LATERAL (VALUES (first), (second), (third)) AS choices (choice))
UNION ALL
SELECT 'owner', id, NULL, user_id, NULL, NULL FROM folder`
