import type { Transaction } from '../database.ts'

/** Advisory locks of two numbers: this one, and the folder's id. */
const GATE = 1

/**
 * SQL: whether the folder `id` takes votes at this moment; votes are inside until their transaction ends. It never
 * waits, so a folder that is being reset does not hold up the votes on others that share a batch with its own.
 */
export const ENTER_GATE = `pg_try_advisory_xact_lock_shared(${GATE}, id)`

/**
 * Shuts the folder's gate until the transaction ends: waits for the votes under way, and those that come meanwhile are
 * told to try again. A row lock would not do, since votes that keep coming share theirs and would never let it in.
 */
export async function shutGate(tx: Transaction, folderId: number): Promise<void> {
  await tx.$executeRaw`SELECT pg_advisory_xact_lock(${GATE}::integer, ${folderId}::integer)`
}
