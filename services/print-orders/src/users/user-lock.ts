import type { Transaction } from '../database.ts'

/** One transaction at a time claims orders of a user or erases the user. */
export async function lockUser(tx: Transaction, userId: number): Promise<void> {
  await tx.$queryRaw`SELECT pg_advisory_xact_lock(hashtextextended('print orders of a user', ${userId}))::text`
}
