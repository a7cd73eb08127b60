import type { ObjectStore } from '@skyfolio/kit'
import type { Static } from 'typebox'
import { partOf, type SessionRow, uploadOf } from './rows.ts'
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
