import type { Transaction } from '../database.ts'
import { publishDeleted } from '../events.ts'
import type { Folder } from '../generated/client.ts'
import { deleteBallots } from '../voting/change-ballots.ts'
import { lockVoting } from '../voting/voting-lock.ts'
import { lockFolder } from './lock.ts'

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
  const { userId, revision } = folder
  const tombstone = await tx.deletedFolder.create({ data: { id, userId, revision: revision + 1 } })
  await publishDeleted(tx, tombstone)
  return folder
}
