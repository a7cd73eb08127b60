import { missingOf, type ObjectStore } from '@skyfolio/kit'
import type pg from 'pg'
import { COLUMNS, countParts, partsOf, readSession, type SessionRow, uploadOf } from './rows.ts'

interface MissingPartsDeps {
  pool: pg.Pool
  store: ObjectStore
}

/** A session with the numbers of the parts that the store does not have. */
export interface Progress {
  session: SessionRow
  missing: number[]
}

/**
 * Asks the store which parts of an open session it has. An upload that the store has forgotten begins again. Null: the session was
 * ended meanwhile.
 */
export async function readProgress(deps: MissingPartsDeps, session: SessionRow): Promise<Progress | null> {
  const { state } = session
  if (state === 'completed' || state === 'failed') return { session, missing: [] }
  const { store } = deps
  const upload = uploadOf(session)
  const stored = await store.parts.list(upload)
  if (stored) return { session, missing: missingOf(partsOf(session), stored) }
  const object = await store.head(upload.key)
  // One that is being completed has all parts, or its completion begins it again.
  return state === 'completing' || object?.size === session.size ? { session, missing: [] } : restart(deps, session)
}

/** All parts. */
export function allParts(session: SessionRow): number[] {
  return Array.from({ length: countParts(session) }, (_, index) => index + 1)
}

/** Begins the upload of a session that is open, or leased by the caller, again. One of several that do so at once wins. */
export async function restart(
  { pool, store }: MissingPartsDeps,
  session: SessionRow,
  leaseId: string | null = null,
): Promise<Progress | null> {
  const { key, uploadId, size } = uploadOf(session)
  const begun = await store.parts.begin(key, size)
  const { rows } = await pool.query<SessionRow>(
    `UPDATE upload_sessions SET upload_id = $2
    WHERE id = $1 AND upload_id = $3 AND (state = 'open' OR lease_id = $4::uuid) RETURNING ${COLUMNS}`,
    [session.id, begun, uploadId, leaseId],
  )
  const [restarted] = rows
  if (restarted) return { session: restarted, missing: allParts(restarted) }
  await store.parts.abort({ key, uploadId: begun })
  const other = await readSession(pool, session.userId, session.id)
  return other && { session: other, missing: allParts(other) }
}
