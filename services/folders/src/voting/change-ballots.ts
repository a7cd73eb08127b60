import type { Database, Transaction } from '../database.ts'
import { TALLY_CHANGES } from './vote-statement.ts'
import { FLAG_COLUMNS, type Flag, HAS_FLAG, hashRange } from './voters.ts'

// This update and the upsert of a vote wait for each other's row lock, so the deltas are those of the current ballot.
const EXCLUDE_ONE = `
WITH ballot AS (
  UPDATE ballots SET excluded = $4, was_excluded = excluded, was_first = first, was_second = second, was_third = third
  WHERE folder_id = $1 AND voter BETWEEN $2::uuid AND $3::uuid AND excluded <> $4
  RETURNING *
), change AS (
  ${TALLY_CHANGES}
)
SELECT voter FROM ballot`

/** Excludes a ballot from the tallies, or restores it. Returns its voter's hash, or null when nothing changed. */
export async function setBallotExcluded(
  tx: Transaction,
  { folderId, label, excluded }: { folderId: number; label: string; excluded: boolean },
): Promise<string | null> {
  const [first, last] = hashRange(label)
  const changed = await tx.$queryRawUnsafe<{ voter: string }[]>(EXCLUDE_ONE, folderId, first, last, excluded)
  return changed[0]?.voter ?? null
}

/** Ballots with this flag, with any flag, or all. */
export type BallotFilter = Flag | 'flagged' | 'all'

interface BallotBatch {
  folderId: number
  filter: BallotFilter
  excluded: boolean
  /** The last voter of the previous batch. */
  after: string
  limit: number
}

/**
 * Excludes ballots from the tallies, or restores them: the next `limit` ones that this changes, never the owner's.
 * Returns their voters' hashes in order.
 */
export async function setBallotsExcluded(tx: Transaction, batch: BallotBatch): Promise<string[]> {
  const { folderId, filter, after, limit, excluded } = batch
  const changed = await tx.$queryRawUnsafe<{ voter: string }[]>(
    excludeMany(filter),
    ...[folderId, after, limit, excluded],
  )
  return changed.map(({ voter }) => voter)
}

function excludeMany(filter: BallotFilter): string {
  return `
WITH locked AS MATERIALIZED (
  SELECT folder_id, voter FROM ballots
  WHERE folder_id = $1 AND voter > $2::uuid AND excluded <> $4 AND NOT owner AND ${conditionOf(filter)}
  ORDER BY voter LIMIT $3 FOR UPDATE
), ballot AS (
  UPDATE ballots SET excluded = $4, was_excluded = excluded, was_first = first, was_second = second, was_third = third
  FROM locked WHERE ballots.folder_id = locked.folder_id AND ballots.voter = locked.voter
  RETURNING ballots.*
), change AS (
  ${TALLY_CHANGES}
)
SELECT voter FROM ballot ORDER BY voter`
}

function conditionOf(filter: BallotFilter): string {
  if (filter === 'all') return 'true'
  return filter === 'flagged' ? HAS_FLAG : FLAG_COLUMNS[filter]
}

const REMOVE_PHOTO = `
WITH locked AS MATERIALIZED (
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
    last_photo_id = $1, last_rank = 0
  FROM locked WHERE ballots.folder_id = locked.folder_id AND ballots.voter = locked.voter
  RETURNING ballots.*
)
${TALLY_CHANGES}`

/**
 * Removes a deleted photo from all ballots. A vote in progress may store it once more: that vote neither counts nor shows,
 * and the next compaction calls this again.
 */
export async function removePhotoFromBallots(tx: Transaction, photoId: number): Promise<void> {
  await tx.$executeRawUnsafe(REMOVE_PHOTO, photoId)
}

/**
 * Removes all votes of a folder whose voting is locked. Excluded ballots are kept, empty: their voters stay excluded.
 */
export async function resetBallots(tx: Transaction, folderId: number): Promise<void> {
  await tx.$executeRaw`DELETE FROM ballots WHERE folder_id = ${folderId} AND NOT excluded`
  await tx.$executeRaw`
    UPDATE ballots SET first = NULL, second = NULL, third = NULL, was_first = NULL, was_second = NULL, was_third = NULL,
                       last_rank = 0
    WHERE folder_id = ${folderId}`
  await deleteTallies(tx, folderId)
}

/** Deletes all ballots of a folder whose voting is locked. */
export async function deleteBallots(tx: Transaction, folderId: number): Promise<void> {
  await tx.$executeRaw`DELETE FROM ballots WHERE folder_id = ${folderId}`
  await deleteTallies(tx, folderId)
}

/**
 * After the ballots, and in this order: a concurrent compaction or photo deletion has committed its changes to one table
 * once its rows in the previous table are gone.
 */
async function deleteTallies(tx: Transaction, folderId: number): Promise<void> {
  await tx.$executeRaw`DELETE FROM tally_changes WHERE folder_id = ${folderId}`
  await tx.$executeRaw`DELETE FROM tallies WHERE folder_id = ${folderId}`
}

const EMPTY_ONE = `
WITH ballot AS (
  UPDATE ballots SET first = NULL, second = NULL, third = NULL,
    was_first = first, was_second = second, was_third = third, was_excluded = excluded, last_rank = 0
  WHERE folder_id = $1 AND voter = $2::uuid
  RETURNING *
)
${TALLY_CHANGES}`

/** Removes one ballot with its votes. */
export async function removeBallot(tx: Transaction, folderId: number, voter: string): Promise<void> {
  await tx.$executeRawUnsafe(EMPTY_ONE, folderId, voter)
  await tx.$executeRaw`DELETE FROM ballots WHERE folder_id = ${folderId} AND voter = ${voter}::uuid`
}

/** Adds the appended deltas to the tallies and deletes them. The sums stay the same at every moment. */
export async function compactTallies(db: Database): Promise<void> {
  await db.$transaction(async (tx) => {
    const deleted = await tx.$queryRawUnsafe<{ photoId: number }[]>(COMPACT)
    for (const { photoId } of deleted) await removePhotoFromBallots(tx, photoId)
  })
}

// Skips rows that another replica has locked and writes in key order, so compactions never deadlock.
// Returns the deleted photos that still have votes: those of votes that were in progress during the deletion.
const COMPACT = `
WITH taken AS (
  DELETE FROM tally_changes
  WHERE seq IN (SELECT seq FROM tally_changes ORDER BY seq LIMIT 20000 FOR UPDATE SKIP LOCKED)
  RETURNING folder_id, photo_id, first, second, third
), compacted AS (
  INSERT INTO tallies AS base (folder_id, photo_id, first, second, third)
  SELECT folder_id, photo_id, sum(first), sum(second), sum(third) FROM taken
  GROUP BY folder_id, photo_id ORDER BY folder_id, photo_id
  ON CONFLICT (folder_id, photo_id) DO UPDATE
  SET first = base.first + excluded.first, second = base.second + excluded.second, third = base.third + excluded.third
  RETURNING photo_id, first, second, third
)
SELECT DISTINCT photo_id AS "photoId" FROM compacted JOIN photos ON photos.id = photo_id AND deleted
WHERE first <> 0 OR second <> 0 OR third <> 0`
