import type { Transaction } from '../database.ts'

/** First key of the advisory locks; the second is the folder's id. */
const VOTING_LOCK = 1

/**
 * SQL: whether the folder `id` accepts votes at this moment. Votes hold the lock shared until their transaction ends. It
 * never waits, so a folder that is being reset does not delay the votes on other folders in the same batch.
 */
export const TRY_VOTING_LOCK = `pg_try_advisory_xact_lock_shared(${VOTING_LOCK}, id)`

/**
 * Locks the folder against votes until the transaction ends: waits for the votes in progress; later ones are told to
 * retry. A row lock would not do: votes share theirs, so a steady stream of them would keep an exclusive one waiting.
 */
export async function lockVoting(tx: Transaction, folderId: number): Promise<void> {
  await tx.$executeRaw`SELECT pg_advisory_xact_lock(${VOTING_LOCK}::integer, ${folderId}::integer)`
}
