import { type AppError, notFound, type PartedUpload, type PartSpec } from '@skyfolio/kit'
import { LRUCache } from 'lru-cache'
import type pg from 'pg'
import type { Ends } from '../uploads/inspect-stored.ts'
import { unknownSession, uploadBusy, uploadClosed } from './errors.ts'
import { countParts, partOf, readSession, type SessionRow, uploadOf } from './rows.ts'

/** A part and where it belongs. */
export interface FoundPart {
  upload: PartedUpload
  part: PartSpec
}

export interface SessionParts {
  /** Finds a part of an open session of the user. @throws AppError 404, 409 when the session has ended */
  findPart(userId: number, id: string, number: number): Promise<FoundPart>
  /** Why the store does not know the upload of a part that was found: the session has ended, is being completed, has all parts, or begins again. */
  explainUnknownUpload(userId: number, id: string): Promise<AppError>
  /** Remembers a session that was created just now. */
  remember(session: SessionRow): void
  /** Remembers the ends of a file whose single part this process has stored: the store has compared its SHA-256. */
  rememberEnds(id: string, ends: Ends): void
  /** Those ends, once. Null: read them from the store. Another process may have stored the part, or too much else was since. */
  takeEnds(id: string): Ends | null
  /** Forgets what is remembered of a session. */
  forget(id: string): void
}

const REMEMBER_MS = 5 * 60_000
const MAX_SESSIONS = 5_000
/** Of the SHA-256s of parts, 32 bytes each. */
const MAX_BYTES = 4 * 1024 * 1024
/** The completion follows the part at once. */
const REMEMBER_ENDS_MS = 60_000
const MAX_BYTES_OF_ENDS = 4 * 1024 * 1024

/**
 * Finds parts without a query for each: what it remembers of a session does not change, but for the upload at the store, which
 * rejects parts when it is the former one.
 */
export function createSessionParts(pool: pg.Pool): SessionParts {
  const sessions = new LRUCache<string, SessionRow>({
    max: MAX_SESSIONS,
    ttl: REMEMBER_MS,
    maxSize: MAX_BYTES,
    sizeCalculation: ({ partHashes }) => partHashes.length,
  })

  const endsOf = new LRUCache<string, Ends>({
    ttl: REMEMBER_ENDS_MS,
    maxSize: MAX_BYTES_OF_ENDS,
    sizeCalculation: ({ head, tail }) => head.length + tail.length,
  })

  async function find(userId: number, id: string): Promise<SessionRow | null> {
    const known = sessions.get(id)
    if (known) return known.userId === userId ? known : null
    const row = await readSession(pool, userId, id)
    if (row?.state === 'completed' || row?.state === 'failed') throw uploadClosed(row.state)
    if (row) sessions.set(id, row)
    return row
  }

  return {
    async findPart(userId, id, number) {
      const row = await find(userId, id)
      if (!row) throw unknownSession()
      if (number < 1 || number > countParts(row)) throw notFound('The file has no such part.')
      return { upload: uploadOf(row), part: partOf(row, number) }
    },
    async explainUnknownUpload(userId, id) {
      sessions.delete(id)
      const row = await readSession(pool, userId, id)
      if (!row) return unknownSession()
      return row.state === 'completing' ? uploadBusy(row.leaseSeconds) : uploadClosed(row.state)
    },
    remember: (session) => void sessions.set(session.id, session),
    rememberEnds: (id, ends) => void endsOf.set(id, ends),
    takeEnds(id) {
      const ends = endsOf.get(id) ?? null
      endsOf.delete(id)
      return ends
    },
    forget: (id) => void sessions.delete(id),
  }
}
