import type { ErasureProgress } from '@skyfolio/kit'
import type { Database, Transaction } from '../database.ts'
import { publishDeleted } from '../events.ts'
import type { Folder } from '../generated/client.ts'
import { tombstonePhotosOf } from '../projection/photos.ts'
import { deleteBallots } from '../voting/change-ballots.ts'
import { lockFolder, lockVoting } from './locks.ts'

/**
 * Deletes a folder with its votes and leaves a tombstone, with the event; returns what the folder was. Votes in progress
 * are waited for, later ones find no folder. Throws 404 unless the folder's owner is allowed.
 */
export async function removeFolder(
  tx: Transaction,
  id: number,
  isAllowed: (ownerId: number) => boolean,
): Promise<Folder> {
  const folder = await lockFolder(tx, id, isAllowed)
  await lockVoting(tx, id)
  await tx.folder.delete({ where: { id } })
  await deleteBallots(tx, id)
  await tx.votingLog.deleteMany({ where: { folderId: id } })
  await tx.voteCount.deleteMany({ where: { folderId: id } })
  const { userId, revision } = folder
  const tombstone = await tx.deletedFolder.create({ data: { id, userId, revision: revision + 1 } })
  await publishDeleted(tx, tombstone)
  return folder
}

/** Ballots that one transaction deletes. */
const BALLOTS_AT_ONCE = 5_000
/** Ids of photos that one statement looks through. */
const PHOTOS_AT_ONCE = 10_000

/**
 * Erases the folders of a deleted user, with their votes, and the user's photos from the projection; ids stay, as
 * tombstones. Each transaction is short. Since the user's tombstone is committed, nothing can be added meanwhile, and
 * visitors can no longer vote.
 */
export async function eraseUser(db: Database, userId: number, afterCommit: () => void): Promise<ErasureProgress> {
  for (;;) {
    const folder = await db.folder.findFirst({ where: { userId }, orderBy: { id: 'asc' }, select: { id: true } })
    if (!folder) break
    await deleteBallotsInSteps(db, folder.id)
    await db.$transaction((tx) => removeFolder(tx, folder.id, (ownerId) => ownerId === userId))
    afterCommit()
  }
  await erasePhotos(db, userId)
  return 'complete'
}

/** Those of votes in progress go with the folder. */
async function deleteBallotsInSteps(db: Database, folderId: number): Promise<void> {
  for (let deleted = BALLOTS_AT_ONCE; deleted === BALLOTS_AT_ONCE; ) {
    deleted = await db.$executeRaw`
      DELETE FROM ballots WHERE folder_id = ${folderId} AND voter IN (
        SELECT voter FROM ballots WHERE folder_id = ${folderId} ORDER BY voter LIMIT ${BALLOTS_AT_ONCE} FOR UPDATE)`
  }
}

async function erasePhotos(db: Database, userId: number): Promise<void> {
  const newest = await db.photo.aggregate({ _max: { id: true } })
  const last = newest._max.id ?? 0
  for (let after = 0; after < last; after += PHOTOS_AT_ONCE) {
    await tombstonePhotosOf(db, userId, after, Math.min(after + PHOTOS_AT_ONCE, last))
  }
}
