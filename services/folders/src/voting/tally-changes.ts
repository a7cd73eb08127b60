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
