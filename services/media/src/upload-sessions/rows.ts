import { randomBytes } from 'node:crypto'
import type { PartedUpload, PartSpec } from '@skyfolio/kit'
import type pg from 'pg'
import { originalKey } from '../files/object-keys.ts'

/** The error with which a session failed. */
export interface Failure {
  status: number
  code: string
  message: string
  issues: string[]
}

/** A row of upload_sessions. */
export interface SessionRow {
  id: string
  userId: number
  name: string
  size: number
  sha256: string
  partBytes: number
  partHashes: Buffer
  description: string | null
  isPublic: boolean | null
  folderId: number | null
  purpose: 'gallery' | 'metadata'
  objectId: string
  uploadId: string
  state: 'open' | 'completing' | 'completed' | 'failed'
  photoId: number | null
  duplicate: boolean | null
  failure: Failure | null
  /** Until the lease of one that is being completed ends. */
  leaseSeconds: number | null
  createdAt: Date
  expiresAt: Date
}

/** A lease is not renewed: completing takes a few seconds. */
export const LEASE_SECONDS = 30
const HASH_BYTES = 32
const DAY_MS = 86_400_000

export const COLUMNS = `id, user_id AS "userId", name, size::float8 AS size, sha256, part_bytes AS "partBytes",
part_hashes AS "partHashes", description, is_public AS "isPublic", folder_id AS "folderId", purpose,
object_id AS "objectId", upload_id AS "uploadId", state, photo_id AS "photoId", duplicate, failure,
ceil(extract(epoch FROM lease_until - now()))::int AS "leaseSeconds", created_at AS "createdAt", expires_at AS "expiresAt"`

/** Reads a session of the user that has not expired. */
export async function readSession(pool: pg.Pool, userId: number, id: string): Promise<SessionRow | null> {
  const { rows } = await pool.query<SessionRow>({
    name: 'upload-session',
    text: `SELECT ${COLUMNS} FROM upload_sessions WHERE id = $1 AND user_id = $2 AND expires_at > now()`,
    values: [id, userId],
  })
  return rows[0] ?? null
}

/** Returns an id for the original of a new session. It begins with the day, since keys for browsers are limited to theirs. */
export function newObjectId(now = Date.now()): string {
  const day = Math.floor(now / DAY_MS) % 0x1_0000
  return day.toString(16).padStart(4, '0') + randomBytes(14).toString('hex')
}

/** The session's upload at the store. */
export function uploadOf({ objectId, uploadId, size, partBytes }: SessionRow): PartedUpload {
  return { key: originalKey(objectId), uploadId, size, partBytes }
}

export function countParts({ partHashes }: Pick<SessionRow, 'partHashes'>): number {
  return partHashes.length / HASH_BYTES
}

/** One part, by its number from 1. */
export function partOf({ size, partBytes, partHashes }: SessionRow, number: number): PartSpec {
  const start = (number - 1) * partBytes
  const sha256 = partHashes.subarray((number - 1) * HASH_BYTES, number * HASH_BYTES)
  return { number, bytes: Math.min(partBytes, size - start), sha256 }
}

export function partsOf(row: SessionRow): PartSpec[] {
  return Array.from({ length: countParts(row) }, (_, index) => partOf(row, index + 1))
}
