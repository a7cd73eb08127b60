import { Readable } from 'node:stream'
import { crc32 } from 'node:zlib'
import type { ObjectStore } from '@skyfolio/kit'
import type { Database, Transaction } from '../database.ts'
import { waitForAdding } from '../erasure/tombstone.ts'
import { publishChanged } from '../events.ts'
import {
  mediaTypeOf,
  newId,
  objectKeysOf,
  RENDITION_COLUMNS,
  type RenditionNames,
  renditionKey,
} from '../files/object-keys.ts'
import { scheduleRemovals, unusedObjects } from '../files/object-removals.ts'
import type { Photo, Prisma } from '../generated/client.ts'
import { KINDS, own, type Started } from '../jobs/job-rows.ts'
import { type Correctable, omitCorrectedFields } from '../photos/corrections.ts'
import { rememberFailedUpload } from '../photos/failed-uploads.ts'
import { pairFitting } from '../photos/pairs.ts'
import { nextCopyNumber } from '../photos/status.ts'
import type { Folders } from '../projection/folders.ts'

interface SaveDeps {
  db: Database
  folders: Pick<Folders, 'findVoted'>
}

/** Columns that processing sets; `sha256` only where the photo had a wrong one. */
export type ProcessingResult = Prisma.PhotoUpdateManyMutationInput & { status: 'ready' | 'failed'; sha256?: string }

/**
 * Saves the result of processing with its event, pairs a photo that is ready, and schedules the removal of replaced renditions.
 * Corrections of the owner, also those made meanwhile, are kept. Returns false when the photo is no longer the worker's own, or
 * it or its user was deleted: then the new renditions are removed, as after an error.
 */
export async function saveResult(deps: SaveDeps, photo: Photo, result: ProcessingResult): Promise<boolean> {
  try {
    return await deps.db.$transaction((tx) => save(tx, deps, photo, result))
  } catch (error) {
    // A further attempt stores others. The removal finds out whether these belong to the photo after all.
    await discardRenditions(deps.db, photo, result).catch(() => {})
    throw error
  }
}

async function save(
  tx: Transaction,
  { folders }: Pick<SaveDeps, 'folders'>,
  photo: Photo,
  result: ProcessingResult,
): Promise<boolean> {
  const { sha256 } = result
  // Before the photos: see locks.ts.
  await waitForAdding(tx, 'uploads', photo.userId)
  const held = await lockOwn(tx, photo)
  if (!held || held.isErased) {
    // The erasure waits for the end of the processing.
    if (held) await tx.photo.update({ where: { id: photo.id }, data: { status: 'failed' } })
    await discardRenditions(tx, photo, result)
    return false
  }
  const completed = await tx.photo.update({
    where: { id: photo.id },
    data: {
      ...omitCorrectedFields(result, held),
      ...(sha256 && (await releaseClaim(tx, photo, sha256))),
      revision: { increment: 1 },
      reportFailure: false,
    },
  })
  const isFailedUpload = completed.status === 'failed' && completed.purpose !== 'metadata' && held.reportFailure
  if (isFailedUpload) await rememberFailedUpload(tx, completed)
  // Nobody else changes renditions, so they are the same as when the worker started.
  const kept = objectKeysOf(completed)
  const replaced = objectKeysOf(photo).filter((key) => !kept.includes(key))
  await scheduleRemovals(tx, unusedObjects(photo.userId, replaced))
  await publishChanged(tx, completed)
  if (completed.status === 'ready') await pairFitting(tx, folders, [completed])
  return true
}

type Held = Correctable & Pick<Photo, 'reportFailure'> & { isErased: boolean }

async function lockOwn(tx: Transaction, { id, run, starts }: Photo): Promise<Held | undefined> {
  const [held] = await tx.$queryRaw<Held[]>`
    SELECT corrected, state, report_failure AS "reportFailure",
      EXISTS (SELECT FROM deleted_users WHERE deleted_users.user_id = photos.user_id) AS "isErased" FROM photos
    WHERE id = ${id} AND run = ${run} AND starts = ${starts} AND status = 'processing' FOR UPDATE`
  return held
}

/** Ends a photo whose job has failed. */
export async function endFailedPhoto(deps: SaveDeps, row: Started<number>): Promise<void> {
  const photo = await deps.db.photo.findFirst({ where: own('photos', row) })
  if (photo) await saveResult(deps, photo, { status: 'failed', statusMessage: KINDS.photos.failure })
}

/** Schedules the removal of renditions that no photo has. */
function discardRenditions(tx: Transaction | Database, photo: Photo, result: ProcessingResult): Promise<void> {
  const names = RENDITION_COLUMNS.map((column) => result[column]).filter((name) => typeof name === 'string')
  return scheduleRemovals(tx, unusedObjects(photo.userId, names.map(renditionKey)))
}

/**
 * Frees the hash that a photo wrongly claimed: returns its number among the photos with the real one, and deletes its
 * upload sessions, so that the file can be sent again. The caller holds the lock of the user's uploads.
 */
async function releaseClaim(
  tx: Transaction,
  { id, userId }: Pick<Photo, 'id' | 'userId'>,
  sha256: string,
): Promise<{ copyNumber: number }> {
  await tx.$executeRaw`DELETE FROM upload_sessions WHERE photo_id = ${id}`
  return { copyNumber: await nextCopyNumber(tx, userId, sha256) }
}

/** The columns by which archives are made of previews without reading them. */
export function previewChecksum(preview: Buffer | null): { previewBytes: number | null; previewCrc32: number | null } {
  if (preview === null) return { previewBytes: null, previewCrc32: null }
  return { previewBytes: preview.length, previewCrc32: crc32(preview) }
}

/** Stores renditions under new names, at the same time. Returns the names; null for those that the photo has not. */
export async function storeRenditions(
  store: ObjectStore,
  renditions: Record<keyof RenditionNames, Buffer | null>,
): Promise<RenditionNames> {
  const put = async (bytes: Buffer | null) => {
    if (bytes === null) return null
    const name = `${newId()}.webp`
    await store.put(renditionKey(name), Readable.from([bytes]), { contentType: mediaTypeOf(name) })
    return name
  }
  const { small, thumbnail, medium, preview } = renditions
  const [a, b, c, d] = await Promise.all([put(small), put(thumbnail), put(medium), put(preview)])
  return { small: a, thumbnail: b, medium: c, preview: d }
}
