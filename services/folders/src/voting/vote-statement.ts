import { TRY_VOTING_LOCK } from '../folders/locks.ts'

/**
 * SQL: appends to the tallies what the rows of `ballot` (changed rows of ballots) changed. An excluded ballot changes
 * nothing; its photos get a row of zeros, since the folders with votes of a photo are found by its tallies.
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

/** The photo that had the vote's rank before it; null if that was empty, and for a removal. */
const HOLDER = 'CASE excluded.last_rank WHEN 1 THEN old.first WHEN 2 THEN old.second WHEN 3 THEN old.third END'

/**
 * One batch of votes in one statement, so in one transaction. Each ballot may occur once.
 *
 * Parameters, arrays of equal length: folder, photo, rank (0 removes), voter, address, site and token hashes, user (0: none),
 * the proofs of having a link of the folder: link revisions (separated by spaces) and share code (empty: none), whether the
 * vote came without a voter token, whether it swaps ranks, the links whose password was entered, with its revision, the
 * voter's invitation (0: none), and whether the ballot is that of the user.
 * It returns rows of four kinds, which the caller joins: a join of the batch with ballots in the statement would be a
 * nested loop, since the planner expects few rows of an array.
 * - a rejection: its reason, the vote's position (from 1), the JPEG where the photo is the raw file of a pair
 * - `ballot`: folder, voter, the photos at the three ranks
 * - `counted`: a photo of those ballots that counts now, and its folder
 * - `owner`: folder, its owner
 *
 * - The folders' voting locks are tried first (see folders/locks.ts); votes in a folder whose lock is taken are rejected.
 *   Then `voting_state` reads whether voting is open, by the clock of that moment; so after somebody has held the lock of a
 *   folder whose voting is over, no vote is accepted. Folders and invitations are locked against their deletion, then the
 *   ballots, in key order. So batches of several replicas never deadlock, and no ballot outlives its folder or invitation.
 * - Unless the ids suffice, a folder does not exist for those who show no proof (see link-proof.ts), nor do its photos for
 *   those who name another folder with them. Of several proven links the one whose code is given decides, and otherwise one
 *   that gives a vote. Where the ids suffice there is the main link only, and none is looked for.
 * - The upsert itself stores a ballot's previous ranks in was_*, under the row lock: the deltas appended to the tallies
 *   are exact whatever other batches do.
 * - A swap gives the photo that held the rank the one that this photo had. It is the same when it is repeated. Whether
 *   the other photo counts does not matter: hidden choices change ranks too.
 */
export const VOTE_STATEMENT = `
WITH item AS MATERIALIZED (
  SELECT * FROM unnest($1::integer[], $2::integer[], $3::smallint[], $4::uuid[], $5::uuid[], $6::uuid[], $7::uuid[],
                       $8::integer[], $9::text[], $10::text[], $11::boolean[], $12::boolean[], $13::text[],
                       $14::integer[], $15::boolean[])
    WITH ORDINALITY AS item (folder_id, photo_id, rank, voter, address, site, token, user_id, link_revisions, share_code, page_unseen,
                             swaps, unlocked, invitation, of_user, position)
), voting_lock AS MATERIALIZED (
  SELECT id, ${TRY_VOTING_LOCK} AS acquired FROM (SELECT DISTINCT folder_id AS id FROM item) AS requested
), folder AS MATERIALIZED (
  SELECT folders.id, user_id, is_public AND NOT owner_suspended AS is_shared, ids_suffice,
         phase, state.voters,
         CASE WHEN ids_suffice THEN voting_until END AS voting_until
  FROM folders JOIN voting_lock ON voting_lock.id = folders.id AND acquired
  JOIN links ON links.folder_id = folders.id AND main
  CROSS JOIN LATERAL voting_state(voting_lock.id) AS state
  ORDER BY folders.id FOR KEY SHARE OF folders
), invitation AS MATERIALIZED (
  SELECT id, folder_id FROM invitations WHERE id IN (
    SELECT invitation FROM item JOIN voting_lock ON voting_lock.id = item.folder_id AND acquired WHERE invitation > 0)
  ORDER BY id FOR KEY SHARE
), checked AS MATERIALIZED (
  SELECT item.*, folder.user_id = item.user_id AS by_owner,
    CASE
      WHEN NOT voting_lock.acquired THEN 'busy'
      WHEN folder.id IS NULL THEN 'no-folder'
      WHEN folder.user_id <> item.user_id AND NOT (folder.is_shared AND (folder.ids_suffice OR link.kind IS NOT NULL)) THEN 'no-folder'
      WHEN folder.user_id <> item.user_id AND link.locked THEN 'locked'
      WHEN folder.user_id <> item.user_id AND link.kind <> 'vote' THEN 'view-only'
      WHEN folder.phase = 'before' THEN 'not-open'
      WHEN folder.phase = 'closed' OR folder.user_id <> item.user_id AND COALESCE(link.voting_until, folder.voting_until) <= clock_timestamp()
        THEN 'closed'
      WHEN folder.voters = 'users' AND item.user_id = 0 THEN 'no-user'
      WHEN (folder.voters = 'users') <> item.of_user OR folder.voters <> 'invited' AND item.invitation > 0 THEN 'busy'
      WHEN folder.voters = 'invited' AND invitation.id IS NULL THEN 'no-invitation'
      WHEN photo.folder_id = item.folder_id AND photo.counted THEN 'ok'
      WHEN photo.folder_id = item.folder_id AND photo.raw_of IS NOT NULL AND (photo.is_public OR NOT photo.in_public_folder) THEN 'raw'
      WHEN photo.folder_id = item.folder_id AND photo.user_id = item.user_id THEN 'private'
      WHEN photo.user_id = item.user_id OR (photo.visible AND photo.ids_suffice) THEN 'elsewhere'
      ELSE 'no-photo'
    END AS outcome,
    photo.raw_of
  FROM item
  JOIN voting_lock ON voting_lock.id = item.folder_id
  LEFT JOIN folder ON folder.id = item.folder_id
  LEFT JOIN invitation ON invitation.id = item.invitation AND invitation.folder_id = item.folder_id
  LEFT JOIN LATERAL (
    SELECT kind, voting_until, code = item.share_code AS is_given, password_revision IS NOT NULL
      AND id || '.' || password_revision <> ALL (string_to_array(item.unlocked, ' ')) AS locked
    FROM open_links AS link
    WHERE NOT folder.ids_suffice AND link.folder_id = item.folder_id AND (code = item.share_code
      OR revision = ANY (string_to_array(item.link_revisions, ' ')::integer[]))
    ORDER BY is_given DESC, locked, kind = 'vote' DESC, voting_until DESC LIMIT 1
  ) AS link ON true
  LEFT JOIN photos_with_visibility AS photo ON photo.id = item.photo_id
), ballot AS (
  INSERT INTO ballots AS old
    (folder_id, voter, first, second, third, last_photo_id, last_rank, last_swaps, address, site, token, page_unseen,
     owner)
  SELECT folder_id, voter,
         CASE WHEN rank = 1 THEN photo_id END, CASE WHEN rank = 2 THEN photo_id END, CASE WHEN rank = 3 THEN photo_id END,
         photo_id, rank, swaps, address, site, token, page_unseen, by_owner
  FROM checked
  WHERE outcome = 'ok' AND (rank > 0 OR EXISTS
    (SELECT FROM ballots WHERE ballots.folder_id = checked.folder_id AND ballots.voter = checked.voter))
  ORDER BY folder_id, voter
  ON CONFLICT (folder_id, voter) DO UPDATE SET
    first = CASE WHEN excluded.last_rank = 1 THEN excluded.last_photo_id
                 WHEN old.first <> excluded.last_photo_id THEN old.first
                 WHEN excluded.last_swaps AND old.first = excluded.last_photo_id THEN ${HOLDER} END,
    second = CASE WHEN excluded.last_rank = 2 THEN excluded.last_photo_id
                  WHEN old.second <> excluded.last_photo_id THEN old.second
                  WHEN excluded.last_swaps AND old.second = excluded.last_photo_id THEN ${HOLDER} END,
    third = CASE WHEN excluded.last_rank = 3 THEN excluded.last_photo_id
                 WHEN old.third <> excluded.last_photo_id THEN old.third
                 WHEN excluded.last_swaps AND old.third = excluded.last_photo_id THEN ${HOLDER} END,
    was_first = old.first, was_second = old.second, was_third = old.third,
    was_excluded = old.excluded,
    last_photo_id = excluded.last_photo_id, last_rank = excluded.last_rank, last_swaps = excluded.last_swaps,
    token_mismatch = old.token_mismatch OR old.token <> excluded.token,
    owner = old.owner OR excluded.owner,
    updated_at = now()
  RETURNING *
), change AS (
  ${TALLY_CHANGES}
)
SELECT outcome AS kind, position::integer AS key, NULL::uuid AS voter, raw_of AS first, NULL::integer AS second, NULL::integer AS third
FROM checked WHERE outcome <> 'ok'
UNION ALL
SELECT 'ballot', folder_id, voter, first, second, third FROM ballot
UNION ALL
SELECT 'counted', id, NULL, folder_id, NULL, NULL FROM photos_with_visibility
WHERE counted AND id IN (SELECT choice FROM ballot CROSS JOIN LATERAL (VALUES (first), (second), (third)) AS choices (choice))
UNION ALL
SELECT 'owner', id, NULL, user_id, NULL, NULL FROM folder`
