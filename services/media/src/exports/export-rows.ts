import { AppError, Nullable, type ObjectStore, tooManyRequests } from '@skyfolio/kit'
import { Type } from 'typebox'
import type { Database, Transaction } from '../database.ts'
import { isErased, lockForAdding } from '../erasure/tombstone.ts'
import { newId } from '../files/object-keys.ts'
import { scheduleRemovals, unusedObjects } from '../files/object-removals.ts'
import type { Export, Prisma } from '../generated/client.ts'
import { own, type Started } from '../jobs/job-rows.ts'
import type { Nats } from '../projection/folders.ts'

/** How long an export can be downloaded. */
const LIFETIME_MS = 7 * 24 * 3_600_000
const DAY_MS = 24 * 3_600_000
/** Preparations for one user in 24 hours: each reads all of their rows, and the first one maybe all originals. */
const REQUESTS_PER_DAY = 3
export const OUTDATED = 'Photos were deleted since this export was prepared. Please prepare a new one.'

/** What a user reads about their export. */
export const ExportSchema = Type.Object({
  status: Type.Union([Type.Literal('none'), Type.Literal('preparing'), Type.Literal('ready'), Type.Literal('failed')]),
  url: Nullable(Type.String({ description: 'Of the archive, when it is ready' })),
  size: Nullable(Type.Integer({ description: 'Bytes of the archive' })),
  expiresAt: Nullable(Type.String({ format: 'date-time' })),
  createdAt: Nullable(Type.String({ format: 'date-time' })),
  message: Nullable(Type.String({ description: 'Why it failed' })),
  progress: Nullable(Type.Object({ done: Type.Integer(), total: Type.Integer() })),
})
export type ExportResponse = Type.Static<typeof ExportSchema>

/** How far a preparation is, as it is stored. */
interface ExportProgress {
  photos?: number
  listed?: number
}

/** What the preparation of an export needs. */
export interface ExportDeps {
  db: Database
  store: ObjectStore
  nats: Nats
  /** Called when an event was added to the outbox. */
  onEvent: () => void
  /** Ends a preparation in progress when the process drains, or another worker has the job. */
  signal: AbortSignal
}

/** An export that a worker prepares. */
export type StartedExport = Omit<Export, 'progress'> & { progress: ExportProgress }

/** Another worker prepares the export, or it or its user was deleted. */
export class PreparationLostError extends Error {
  override name = 'PreparationLostError'
}

export function expiryFrom(now: number): Date {
  return new Date(now + LIFETIME_MS)
}

/** The user's export, unless it has expired. */
export function findExport(db: Database | Transaction, userId: number): Promise<Export | null> {
  return db.export.findFirst({ where: { userId, expiresAt: { gt: new Date() } } })
}

/** The export as the user reads it. */
export function toExportResponse(row: Export | null): ExportResponse {
  const none = { url: null, size: null, expiresAt: null, createdAt: null, message: null, progress: null }
  if (!row) return { status: 'none', ...none }
  const response = { ...none, createdAt: row.createdAt.toISOString() }
  if (row.status === 'preparing') {
    const { photos = 0, listed = 0 } = row.progress as ExportProgress
    return { ...response, status: 'preparing', progress: { done: listed, total: photos } }
  }
  if (row.status === 'failed') return { ...response, status: 'failed', message: row.statusMessage }
  const url = `/api/user/export/${row.id}`
  return { ...response, status: 'ready', url, size: Number(row.size), expiresAt: row.expiresAt.toISOString() }
}

/**
 * Requests an export of all that the user has. One that is being prepared, or is ready, is the response; a ready one is
 * replaced with `renew`.
 * @throws AppError 404 for a user who was deleted, 429
 */
export async function requestExport(db: Database, userId: number, renew: boolean): Promise<Export> {
  return db.$transaction(async (tx) => {
    await lockForAdding(tx, 'exports', userId)
    const existing = await tx.export.findUnique({ where: { userId } })
    const isLive = existing !== null && existing.expiresAt.getTime() > Date.now()
    if (isLive && existing.status === 'preparing') return existing
    if (isLive && existing.status === 'ready' && !renew) return existing
    const requests = [...recentRequests(existing), new Date()]
    if (existing) await deleteExport(tx, existing)
    return tx.export.create({ data: { id: newId(), userId, requests, expiresAt: expiryFrom(Date.now()) } })
  })
}

/** The requests of the last 24 hours. @throws AppError 429 when there are too many */
function recentRequests(existing: Export | null): Date[] {
  const recent = (existing?.requests ?? []).filter((at) => at.getTime() > Date.now() - DAY_MS)
  const [oldest] = recent.slice(-REQUESTS_PER_DAY)
  if (recent.length < REQUESTS_PER_DAY || !oldest) return recent
  const seconds = Math.ceil((oldest.getTime() + DAY_MS - Date.now()) / 1000)
  throw tooManyRequests(
    'You have prepared several exports today. Please try again tomorrow.',
    seconds,
    'exports-of-user',
  )
}

/** Saves the progress, in a transaction that commits only while the export is the worker's own. @throws PreparationLostError */
export async function saveProgress(tx: Transaction | Database, row: StartedExport): Promise<void> {
  if (await isErased(tx, row.userId)) throw new PreparationLostError('the user is being erased')
  await updateOwn(tx, row, { progress: row.progress as Prisma.InputJsonObject })
}

/** @throws PreparationLostError */
export async function updateOwn(
  tx: Transaction | Database,
  row: Started<string>,
  data: Prisma.ExportUncheckedUpdateManyInput,
): Promise<void> {
  const { count } = await tx.export.updateMany({ where: own('exports', row), data })
  if (count === 0) throw new PreparationLostError('the export is no longer prepared here')
}

/** Removes the entries of an export, and schedules the removal of the objects that are its alone. */
export async function removeEntries(tx: Transaction, { id, userId }: Pick<Export, 'id' | 'userId'>): Promise<void> {
  const files = await tx.exportEntry.findMany({ where: { exportId: id, photoId: null }, select: { key: true } })
  const keys = files.map(({ key }) => key)
  await scheduleRemovals(tx, unusedObjects(userId, keys))
  await tx.exportEntry.deleteMany({ where: { exportId: id } })
}

async function deleteExport(tx: Transaction, row: Pick<Export, 'id' | 'userId'>): Promise<void> {
  await removeEntries(tx, row)
  await tx.export.delete({ where: { id: row.id } })
}

/** Marks a ready export whose originals do not all exist any more: the user can request a new one. Returns the error. */
export async function markOutdated(db: Database, id: string): Promise<AppError> {
  const data = { status: 'failed', statusMessage: OUTDATED }
  await db.export.updateMany({ where: { id, status: 'ready' }, data })
  return exportOutdated()
}

export function exportOutdated(): AppError {
  return new AppError(410, 'export_outdated', OUTDATED)
}

const SWEPT_AT_ONCE = 20

/** Deletes expired exports, and schedules the removal of their objects. Returns their number. */
export async function sweepExpiredExports(db: Database, now = new Date()): Promise<number> {
  let swept = 0
  for (let batch = SWEPT_AT_ONCE; batch === SWEPT_AT_ONCE; swept += batch) {
    batch = await db.$transaction(async (tx) => {
      const expired = await tx.$queryRaw<{ id: string; userId: number }[]>`
        SELECT id, user_id AS "userId" FROM exports WHERE expires_at < ${now} ORDER BY expires_at LIMIT ${SWEPT_AT_ONCE} FOR UPDATE SKIP LOCKED`
      for (const row of expired) await deleteExport(tx, row)
      return expired.length
    })
  }
  return swept
}
