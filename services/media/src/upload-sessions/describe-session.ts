import { missingOf, type ObjectStore } from '@skyfolio/kit'
import type { Static } from 'typebox'
import type { Database } from '../database.ts'
import { countParts, partOf, partsOf, readSession, type SessionRow, toSession, uploadOf } from './rows.ts'
import type { Session } from './schemas.ts'

type SessionResponse = Static<typeof Session>

/** URLs in responses that are not only about URLs: more are requested when these have been used. */
const FIRST_URLS = 8

/** The session as the API returns it. `missing` is null where the store was not asked. */
export function describeSession(session: SessionRow, missing: number[] | null): SessionResponse {
  const { id, name, sha256, size, partBytes, state, photoId, failure, createdAt, expiresAt } = session
  return {
    ...{ id, name, sha256, size, partBytes, photoId, missing },
    state: state === 'completing' ? 'open' : state,
    uploads: null,
    uploadsExpireAt: null,
    createdAt: createdAt.toISOString(),
    expiresAt: expiresAt.toISOString(),
    message: failure && (failure.issues[0] ?? failure.message),
  }
}

/** The same, with URLs of the first missing parts where browsers may send them straight to the store. */
export async function describeWithUrls(
  store: ObjectStore,
  session: SessionRow,
  missing: number[],
): Promise<SessionResponse> {
  const described = describeSession(session, missing)
  if (missing.length === 0) return described
  return { ...described, ...(await signParts(store, session, missing.slice(0, FIRST_URLS))) }
}

/** URLs of parts; null: browsers do not send them straight to the store. */
export async function signParts(store: ObjectStore, session: SessionRow, numbers: number[]) {
  const specs = numbers.map((number) => partOf(session, number))
  const signed = await store.direct?.sign(uploadOf(session), specs)
  return signed ? { uploads: signed.parts, uploadsExpireAt: signed.expiresAt.toISOString() } : null
}

interface MissingPartsDeps {
  db: Database
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
  { db, store }: MissingPartsDeps,
  session: SessionRow,
  leaseId: string | null = null,
): Promise<Progress | null> {
  const { key, uploadId, size } = uploadOf(session)
  const begun = await store.parts.begin(key, size)
  const isOurs = [{ state: 'open' }, ...(leaseId ? [{ leaseId }] : [])]
  const [row] = await db.uploadSession.updateManyAndReturn({
    where: { id: session.id, uploadId, OR: isOurs },
    data: { uploadId: begun },
  })
  if (row) return { session: toSession(row), missing: allParts(session) }
  await store.parts.abort({ key, uploadId: begun })
  const other = await readSession(db, session.userId, session.id)
  return other && { session: other, missing: allParts(other) }
}
