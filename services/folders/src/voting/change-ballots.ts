import type { Transaction } from '../database.ts'
import { TALLY_CHANGES } from './vote-statement.ts'
import { hashesOf } from './voter-labels.ts'
import { FLAG_COLUMNS, type Flag, HAS_FLAG } from './voter-list.ts'

// The upsert of a vote waits for this row, or this for it: the differences are those of the ballot as it then is.
const EXCLUDE = `
WITH ballot AS (
  UPDATE ballots SET excluded = $4, was_excluded = excluded, was_first = first, was_second = second, was_third = third
  WHERE folder_id = $1 AND voter BETWEEN $2::uuid AND $3::uuid AND excluded <> $4
  RETURNING *
), change AS (
  ${TALLY_CHANGES}
)
SELECT voter FROM ballot`

/** Takes a ballot out of the tallies, or puts it back. Answers its voter's hash, or null when nothing changed. */
export async function setExcluded(
  tx: Transaction,
  o: { folderId: number; label: string; excluded: boolean },
): Promise<string | null> {
  const [first, last] = hashesOf(o.label)
  const changed = await tx.$queryRawUnsafe<{ voter: string }[]>(EXCLUDE, o.folderId, first, last, o.excluded)
  return changed[0]?.voter ?? null
}

/** Which ballots: those with this flag, with any, or all. */
export type BallotChoice = Flag | 'flagged' | 'all'

function conditionOf(choice: BallotChoice): string {
  if (choice === 'all') return 'true'
  return choice === 'flagged' ? HAS_FLAG : FLAG_COLUMNS[choice]
}

const excludeMany = (choice: BallotChoice) => `
WITH held AS MATERIALIZED (
  SELECT folder_id, voter FROM ballots
  WHERE folder_id = $1 AND voter > $2::uuid AND excluded <> $4 AND NOT owner AND ${conditionOf(choice)}
  ORDER BY voter LIMIT $3 FOR UPDATE
), ballot AS (
  UPDATE ballots SET excluded = $4, was_excluded = excluded, was_first = first, was_second = second, was_third = third
  FROM held WHERE ballots.folder_id = held.folder_id AND ballots.voter = held.voter
  RETURNING ballots.*
), change AS (
  ${TALLY_CHANGES}
)
SELECT voter FROM ballot ORDER BY voter`

/**
 * Takes ballots out of the tallies, or puts them back: the next `limit` ones that this changes, but never the owner's.
 * Answers their voters' hashes in order; `after` is the last one of the call before.
 */
export async function setExcludedMany(
  tx: Transaction,
  o: { folderId: number; choice: BallotChoice; excluded: boolean; after: string; limit: number },
): Promise<string[]> {
  const { folderId, after, limit, excluded } = o
  const changed = await tx.$queryRawUnsafe<{ voter: string }[]>(
    excludeMany(o.choice),
    ...[folderId, after, limit, excluded],
  )
  return changed.map(({ voter }) => voter)
}

const REMOVE_VOTES = `
WITH held AS MATERIALIZED (
  SELECT folder_id, voter FROM ballots
  WHERE folder_id IN (
      SELECT folder_id FROM tallies WHERE photo_id = $1
      UNION SELECT folder_id FROM tally_changes WHERE photo_id = $1
    ) AND $1 IN (first, second, third)
  ORDER BY folder_id, voter FOR UPDATE
), ballot AS (
  UPDATE ballots SET
    first = NULLIF(first, $1), second = NULLIF(second, $1), third = NULLIF(third, $1),
    was_first = first, was_second = second, was_third = third, was_excluded = excluded,
    last_photo_id = $1, last_place = 0
  FROM held WHERE ballots.folder_id = held.folder_id AND ballots.voter = held.voter
  RETURNING ballots.*
)
${TALLY_CHANGES}`

/**
 * Takes a deleted photo out of all ballots. A vote that is under way meanwhile may still name it: it neither counts nor
 * shows, and the next compaction calls this once more.
 */
export async function removeVotes(
  execute: (sql: string, values: [photoId: number]) => Promise<unknown>,
  photoId: number,
): Promise<void> {
  await execute(REMOVE_VOTES, [photoId])
}

/**
 * Removes all votes of a folder, whose gate is shut. Excluded ballots are kept, empty: their voters stay excluded.
 */
export async function resetBallots(tx: Transaction, folderId: number): Promise<void> {
  await tx.$executeRaw`DELETE FROM ballots WHERE folder_id = ${folderId} AND NOT excluded`
  await tx.$executeRaw`
    UPDATE ballots SET first = NULL, second = NULL, third = NULL, was_first = NULL, was_second = NULL, was_third = NULL,
                       last_place = 0
    WHERE folder_id = ${folderId}`
  await removeTallies(tx, folderId)
}

/** Removes all ballots of a folder, whose gate is shut. */
export async function removeBallots(tx: Transaction, folderId: number): Promise<void> {
  await tx.$executeRaw`DELETE FROM ballots WHERE folder_id = ${folderId}`
  await removeTallies(tx, folderId)
}

/**
 * After the ballots, and in this order: a compaction or a photo's deletion that runs meanwhile has committed what it
 * changed in one table when its rows in the table before are gone.
 */
async function removeTallies(tx: Transaction, folderId: number): Promise<void> {
  await tx.$executeRaw`DELETE FROM tally_changes WHERE folder_id = ${folderId}`
  await tx.$executeRaw`DELETE FROM tallies WHERE folder_id = ${folderId}`
}
