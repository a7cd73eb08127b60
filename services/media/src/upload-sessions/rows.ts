import { randomBytes } from 'node:crypto'
import type { PartedUpload, PartSpec } from '@skyfolio/kit'
import type pg from 'pg'
import { originalKey } from '../files/object-keys.ts'
import type { DeclaredFile, SessionForm, SessionLimits } from './declared-files.ts'

/** The error with which a session failed. */
export interface Failure {
  status: number
  code: string
  message: string
  issues: string[]
}

interface RowDeps {
  pool: pg.Pool
  sessionLimits: SessionLimits
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

/** Most sessions in a list. */
const MAX_LISTED = 200

/** The user's open sessions, newest first. */
export async function listSessions(pool: pg.Pool, userId: number): Promise<SessionRow[]> {
  const { rows } = await pool.query<SessionRow>(
    `SELECT ${COLUMNS} FROM upload_sessions
    WHERE user_id = $1 AND state IN ('open', 'completing') AND expires_at > now()
    ORDER BY created_at DESC, id LIMIT ${MAX_LISTED}`,
    [userId],
  )
  return rows
}

/**
 * Finds the open sessions of files. They go on with the form and the names of this request, and one that has expired, but was not removed yet,
 * lasts as long as a new one. One that somebody completes or ends at this moment stays as it is.
 */
export async function resumeSessions(
  { pool, sessionLimits }: RowDeps,
  userId: number,
  form: SessionForm,
  files: Pick<DeclaredFile, 'sha256' | 'name'>[],
): Promise<SessionRow[]> {
  const { description, isPublic, folderId, purpose } = form
  const hashes = files.map(({ sha256 }) => sha256)
  const names = files.map(({ name }) => name)
  const { rows } = await pool.query<SessionRow>({
    name: 'upload-sessions-resume',
    text: `WITH resumed AS (
        UPDATE upload_sessions SET description = $4, is_public = $5, folder_id = $6,
          name = ($8::text[])[array_position($2::text[], sha256)],
          expires_at = CASE WHEN expires_at > now() THEN expires_at ELSE now() + $7 * interval '1 hour' END
        WHERE user_id = $1 AND sha256 = ANY ($2::text[]) AND purpose = $3
          AND (state = 'open' OR state = 'completing' AND lease_until < now())
        RETURNING ${COLUMNS})
      SELECT * FROM resumed UNION ALL
      SELECT ${COLUMNS} FROM upload_sessions
      WHERE user_id = $1 AND sha256 = ANY ($2::text[]) AND purpose = $3 AND state = 'completing' AND lease_until >= now()`,
    values: [userId, hashes, purpose, description, isPublic, folderId, sessionLimits.hours, names],
  })
  return rows
}

/** Finds completed sessions of files whose photos wait for the worker, which has not verified their SHA-256. */
export async function findCompleted(pool: pg.Pool, userId: number, hashes: string[]): Promise<SessionRow[]> {
  const { rows } = await pool.query<SessionRow>({
    name: 'upload-sessions-completed',
    text: `SELECT ${COLUMNS} FROM upload_sessions
      WHERE user_id = $1 AND state = 'completed' AND expires_at > now() AND photo_id IN (
        SELECT id FROM photos WHERE user_id = $1 AND sha256 = ANY ($2::text[]) AND purpose = 'gallery'
          AND NOT sha256_verified AND status <> 'failed')
      ORDER BY created_at`,
    values: [userId, hashes],
  })
  return rows
}

/** A file whose upload at the store has begun. */
export interface BegunFile {
  file: DeclaredFile
  id: string
  objectId: string
  uploadId: string
}

/** Creates sessions, but not of files of which another request has just created one. */
export async function insertSessions(
  { pool, sessionLimits }: RowDeps,
  userId: number,
  form: SessionForm,
  begun: BegunFile[],
): Promise<SessionRow[]> {
  const files = begun.map(({ file, ...ids }) => ({ ...file, ...ids, parts: file.parts.join('') }))
  const { description, isPublic, folderId, purpose } = form
  const { rows } = await pool.query<SessionRow>({
    name: 'upload-sessions-insert',
    text: `INSERT INTO upload_sessions (id, user_id, name, size, sha256, part_bytes, part_hashes, object_id, upload_id,
        description, is_public, folder_id, purpose, expires_at)
      SELECT id, $1, name, size, sha256, "partBytes", decode(parts, 'hex'), "objectId", "uploadId",
        $3, $4, $5, $6, now() + $7 * interval '1 hour'
      FROM json_to_recordset($2::json) AS files
        (id text, name text, size bigint, sha256 text, "partBytes" int, parts text, "objectId" text, "uploadId" text)
      ON CONFLICT (user_id, sha256, purpose) WHERE state IN ('open', 'completing') DO NOTHING
      RETURNING ${COLUMNS}`,
    values: [userId, JSON.stringify(files), description, isPublic, folderId, purpose, sessionLimits.hours],
  })
  return rows
}

/**
 * Deletes new sessions again if the erasure of their user has begun, and tells. Afterwards: an erasure that begins later sees the
 * sessions.
 */
export async function deleteOfErased(pool: pg.Pool, userId: number, ids: string[]): Promise<boolean> {
  const { rowCount } = await pool.query({
    name: 'upload-sessions-of-erased',
    text: `DELETE FROM upload_sessions
      WHERE id = ANY ($2::text[]) AND EXISTS (SELECT FROM deleted_users WHERE user_id = $1)`,
    values: [userId, ids],
  })
  return rowCount !== 0
}
