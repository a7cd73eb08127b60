import { ORIGINALS_PREFIX } from '../files/object-keys.ts'
import type { SessionDeps } from './deps.ts'
import { uploadBusy } from './errors.ts'
import { releaseLease, takeLease } from './lease.ts'
import { readSession, type SessionRow, uploadOf } from './rows.ts'

type EndDeps = Pick<SessionDeps, 'pool' | 'store' | 'sessionParts' | 'defaultQuota'>

/**
 * Ends a session that has no photo, and frees its bytes: its parts at once, an object that was made of them soon. Of a completed one
 * and one that is gone nothing remains to be done. @throws AppError 409 while it is being completed
 */
export async function endSession(deps: EndDeps, userId: number, id: string): Promise<void> {
  const { pool, store, sessionParts } = deps
  sessionParts.forget(id)
  const lease = await takeLease(deps, userId, id)
  if (!lease) return endLeftOver(deps, await readSession(pool, userId, id))
  try {
    await store.parts.abort(uploadOf(lease.session))
  } catch (error) {
    await releaseLease(pool, lease)
    throw error
  }
  // A removal that finds no object does nothing.
  await pool.query(
    `WITH ended AS (DELETE FROM upload_sessions WHERE id = $1 AND lease_id = $2 RETURNING object_id, user_id)
    INSERT INTO object_removals (key, user_id) SELECT $3 || object_id, user_id FROM ended ON CONFLICT (key) DO NOTHING`,
    [id, lease.leaseId, ORIGINALS_PREFIX],
  )
}

async function endLeftOver({ pool }: EndDeps, session: SessionRow | null): Promise<void> {
  if (session?.state === 'completing') throw uploadBusy(session.leaseSeconds)
  if (session?.state !== 'failed') return
  await pool.query(`DELETE FROM upload_sessions WHERE id = $1 AND state = 'failed'`, [session.id])
}
