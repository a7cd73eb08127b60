import { notFound } from '@skyfolio/kit'
import type { Database, Transaction } from '../database.ts'
import type { Folder } from '../generated/client.ts'

/** First key of the advisory locks of users who create folders; the second is the user's id. */
const CREATION_LOCK = 3

/** Serialises the creation of folders of a user, so that each one sees those before. */
export async function lockCreation(tx: Transaction, userId: number): Promise<void> {
  await tx.$executeRaw`SELECT pg_advisory_xact_lock(${CREATION_LOCK}::integer, ${userId}::integer)`
}

/** Returns the folder, locked against other changes but not against votes. Throws 404 unless its owner is allowed. */
export async function lockFolder(
  tx: Transaction,
  id: number,
  isAllowed: (ownerId: number) => boolean,
): Promise<Folder> {
  await tx.$queryRaw`SELECT FROM folders WHERE id = ${id} FOR NO KEY UPDATE`
  const folder = await tx.folder.findUnique({ where: { id } })
  if (!folder || !isAllowed(folder.userId)) throw notFound('Folder not found')
  return folder
}

/** Returns a user's own folder, not locked. Throws 404 for one of somebody else. */
export async function findOwnFolder(db: Database, id: number, userId: number): Promise<Folder> {
  const folder = await db.folder.findUnique({ where: { id } })
  if (folder?.userId !== userId) throw notFound('Folder not found')
  return folder
}

/** First key of the advisory locks; the second is the folder's id. */
const VOTING_LOCK = 1

/**
 * SQL: whether the folder `id` accepts votes at this moment. Votes hold the lock shared until their transaction ends. It
 * never waits, so a folder that is being reset does not delay the votes on other folders in the same batch.
 */
export const TRY_VOTING_LOCK = `pg_try_advisory_xact_lock_shared(${VOTING_LOCK}, id)`

/** SQL, with the folder's id as its parameter: see `lockVoting`. */
export const LOCK_VOTING = `SELECT pg_advisory_xact_lock(${VOTING_LOCK}, $1::integer)`

/**
 * Locks the folder against votes until the transaction ends: waits for the votes in progress; later ones are told to
 * retry. A row lock would not do: votes share theirs, so a steady stream of them would keep an exclusive one waiting.
 */
export async function lockVoting(tx: Transaction, folderId: number): Promise<void> {
  await tx.$executeRawUnsafe(LOCK_VOTING, folderId)
}
