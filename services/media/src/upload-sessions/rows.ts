import { randomBytes } from 'node:crypto'
import type { PartedUpload, PartSpec } from '@skyfolio/kit'
import type { Database } from '../database.ts'
import { originalKey } from '../files/object-keys.ts'
import type { UploadSession } from '../generated/client.ts'
import type { DeclaredFile, SessionForm, SessionLimits } from './declared-files.ts'

/** The error with which a session failed. */
export interface Failure {
  status: number
  code: string
  message: string
  issues: string[]
}

interface RowDeps {
  db: Database
  sessionLimits: SessionLimits
}

export type SessionRow = Omit<UploadSession, 'size' | 'partHashes' | 'purpose' | 'state' | 'failure'> & {
  size: number
  partHashes: Buffer
  purpose: 'gallery' | 'metadata'
  state: 'open' | 'completing' | 'completed' | 'failed'
  failure: Failure | null
}

/** A photo counts as uploaded when its file was selected, but no longer ago. */
export const MAX_SELECTED_AGO_MS = 3_600_000

/** A lease is not renewed: completing takes a few seconds. */
export const LEASE_SECONDS = 30
const HASH_BYTES = 32
const DAY_MS = 86_400_000

const UNFINISHED = ['open', 'completing']

export function toSession(row: UploadSession): SessionRow {
  return { ...row, size: Number(row.size), partHashes: Buffer.from(row.partHashes) } as SessionRow
}

/** Reads a session of the user that has not expired. */
export async function readSession(db: Database, userId: number, id: string): Promise<SessionRow | null> {
  const row = await db.uploadSession.findFirst({ where: { id, userId, expiresAt: { gt: new Date() } } })
  return row && toSession(row)
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
export async function listSessions(db: Database, userId: number): Promise<SessionRow[]> {
  const rows = await db.uploadSession.findMany({
    where: { userId, state: { in: UNFINISHED }, expiresAt: { gt: new Date() } },
    orderBy: [{ createdAt: 'desc' }, { id: 'asc' }],
    take: MAX_LISTED,
  })
  return rows.map(toSession)
}

/**
 * Finds the open sessions of files. They go on with the form and the names of this request; one from earlier also with its time and order,
 * and one that has expired, but was not removed yet, lasts as long as a new one. One that somebody completes or ends at this moment stays
 * as it is.
 */
export async function resumeSessions(
  { db, sessionLimits }: RowDeps,
  userId: number,
  { description, isPublic, folderId, purpose }: SessionForm,
  files: Pick<DeclaredFile, 'sha256' | 'name' | 'selectedAt'>[],
): Promise<SessionRow[]> {
  const hashes = files.map(({ sha256 }) => sha256)
  const names = files.map(({ name }) => name)
  const times = timesOf(files)
  await db.$executeRaw`
    UPDATE upload_sessions SET description = ${description}, is_public = ${isPublic}::boolean, folder_id = ${folderId}::int,
      name = (${names}::text[])[array_position(${hashes}::text[], sha256)],
      created_at = CASE WHEN created_at > ${new Date(Date.now() - MAX_SELECTED_AGO_MS)} THEN created_at
        ELSE (${times}::timestamptz[])[array_position(${hashes}::text[], sha256)] END,
      expires_at = CASE WHEN expires_at > now() THEN expires_at ELSE now() + ${sessionLimits.hours} * interval '1 hour' END
    WHERE user_id = ${userId} AND sha256 = ANY (${hashes}) AND purpose = ${purpose}
      AND (state = 'open' OR state = 'completing' AND lease_until < now())`
  const rows = await db.uploadSession.findMany({
    where: { userId, sha256: { in: hashes }, purpose, state: { in: UNFINISHED } },
  })
  return rows.map(toSession)
}

/** Finds completed sessions of files whose photos wait for the worker, which has not verified their SHA-256. */
export async function findCompleted(db: Database, userId: number, hashes: string[]): Promise<SessionRow[]> {
  const photos = await db.photo.findMany({
    where: {
      ...{ userId, sha256: { in: hashes }, purpose: { not: 'metadata' } },
      ...{ sha256Verified: false, status: { not: 'failed' } },
    },
    select: { id: true },
  })
  if (photos.length === 0) return []
  const photoId = { in: photos.map(({ id }) => id) }
  const rows = await db.uploadSession.findMany({
    where: { userId, state: 'completed', expiresAt: { gt: new Date() }, photoId },
    orderBy: { createdAt: 'asc' },
  })
  return rows.map(toSession)
}

/** A file whose upload at the store has begun. */
export interface BegunFile {
  file: DeclaredFile
  id: string
  objectId: string
  uploadId: string
}

/**
 * Creates sessions, but not of files of which another request has just created one. Their photos keep the order of their times,
 * whichever is completed first.
 */
export async function insertSessions(
  { db, sessionLimits }: RowDeps,
  userId: number,
  { description, isPublic, folderId, purpose }: SessionForm,
  begun: BegunFile[],
): Promise<SessionRow[]> {
  const now = Date.now()
  const expiresAt = new Date(now + sessionLimits.hours * 3_600_000)
  const shared = { userId, description, isPublic, folderId, purpose, expiresAt }
  const times = timesOf(
    begun.map(({ file }) => file),
    now,
  )
  const data = begun.map(({ file: { parts, selectedAt: _, ...file }, ...ids }, index) => {
    return { ...shared, ...file, ...ids, createdAt: times[index], partHashes: Buffer.from(parts.join(''), 'hex') }
  })
  const rows = await db.uploadSession.createManyAndReturn({ data, skipDuplicates: true })
  return rows.map(toSession)
}

/** When the files were selected: never in the future, nor longer ago than is allowed. */
function timesOf(files: Pick<DeclaredFile, 'selectedAt'>[], now = Date.now()): Date[] {
  return files.map(({ selectedAt }, index) => {
    if (selectedAt === undefined) return new Date(now + index)
    return new Date(Math.min(Math.max(Date.parse(selectedAt) || 0, now - MAX_SELECTED_AGO_MS), now))
  })
}

/**
 * Deletes new sessions again if the erasure of their user has begun, and tells. Afterwards: an erasure that begins later sees the
 * sessions.
 */
export async function deleteOfErased(db: Database, userId: number, ids: string[]): Promise<boolean> {
  const count = await db.$executeRaw`
    DELETE FROM upload_sessions
    WHERE id = ANY (${ids}) AND EXISTS (SELECT FROM deleted_users WHERE user_id = ${userId})`
  return count !== 0
}
