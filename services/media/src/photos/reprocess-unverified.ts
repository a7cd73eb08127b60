import type { Database } from '../database.ts'
import { publishChanged } from '../events.ts'
import { WAITING_FOR_PROCESSING } from './status.ts'

const BATCH = 200

/**
 * Restarts the processing of photos that are ready although their SHA-256 is a claim: a worker of a release that verified none
 * processed them during an update. Safe to call concurrently. Returns their number.
 */
export async function reprocessUnverified(db: Database): Promise<number> {
  let count = 0
  for (let batch = BATCH; batch === BATCH; count += batch) batch = await reprocessBatch(db)
  return count
}

async function reprocessBatch(db: Database): Promise<number> {
  const found = await db.$queryRaw<{ id: number }[]>`
    SELECT id FROM photos WHERE NOT sha256_verified AND status = 'ready' ORDER BY id LIMIT ${BATCH}`
  for (const { id } of found) {
    await db.$transaction(async (tx) => {
      const where = { id, status: 'ready', sha256Verified: false }
      const data = { ...WAITING_FOR_PROCESSING, revision: { increment: 1 } }
      await publishChanged(tx, ...(await tx.photo.updateManyAndReturn({ where, data })))
    })
  }
  return found.length
}
