import { AppError, isStorageFull, type ObjectStore, unavailable } from '@skyfolio/kit'
import type { Database, Transaction } from '../database.ts'
import { lockForAdding } from '../erasure/tombstone.ts'
import { publishChanged } from '../events.ts'
import { hasOriginal, originalKey } from '../files/object-keys.ts'
import { GRACE_SECONDS, type ObjectRemovalDeps, scheduleRemovals, unusedObjects } from '../files/object-removals.ts'
import type { Folder, Photo, Prisma } from '../generated/client.ts'
import { lockPhotos } from '../photos/locks.ts'
import { pairFitting, shotName } from '../photos/pairs.ts'
import { placeInFolder, refreshForPrivatePhotos } from '../photos/placement.ts'
import { hashClaims, nextCopyNumber, WRONG_FILE, waitingForProcessing } from '../photos/status.ts'
import type { Folders } from '../projection/folders.ts'
import { readUsedBytes } from '../usage/quota.ts'
import { discardOriginals, type StoredOriginal } from './store-original.ts'
import type { UploadForm } from './upload-form.ts'

interface AddPhotosDeps {
  db: Database
  store: ObjectStore
  folders: Folders
}

/** An upload with at least one stored original. */
export interface Upload {
  userId: number
  form: UploadForm
  originals: StoredOriginal[]
  /** Bytes that the user's photos may take; null: any number. */
  limit: number | null
  /** When the upload began; now, if absent. */
  uploadedAt?: Date
  /** Called before the commit with the photo of each file that has one, by SHA-256. What it throws rolls the transaction back. */
  inTransaction?(tx: Transaction, photosByHash: Map<string, Photo>): Promise<void>
}

export interface AddedPhotos {
  /** The photo of each file, by SHA-256; none for files that do not fit into the quota. */
  photosByHash: Map<string, Photo>
  /** The ids of photos that are new. */
  createdIds: Set<number>
  /** Where the photos are now. Null: no folder was chosen, or it was deleted during the upload. */
  folder: Folder | null
  /** Bytes that the user's photos take, with the new ones; 0 without a quota. */
  used: number
}

/**
 * Creates photos from stored originals; rows and events are committed together. A file that the user has already does
 * not become a second photo, but on the metadata screen: the existing photo moves into the chosen folder. New files are created
 * in their order as long as they fit into the quota; equal ones count once, existing ones not at all.
 * After an error the originals are still in the store (see `orDiscard`). Originals whose SHA-256 is a claim belong to upload
 * sessions, which keep them until they became photos or duplicates.
 * @throws AppError 404 when the user was deleted, 503
 */
export async function addPhotos({ db, store, folders }: AddPhotosDeps, upload: Upload): Promise<AddedPhotos> {
  const { form, originals, userId } = upload
  if (form.folderId !== null) {
    await refreshForPrivatePhotos(folders, await db.photo.findMany({ where: sameFiles(upload) }), form.folderId)
  }
  return db.$transaction(async (tx) => {
    // Before the lock: others of the user need not wait for the store.
    await keepOriginals(tx, store, originals)
    await lockForAdding(tx, 'uploads', userId)
    const known = form.purpose === 'gallery' ? await lockExisting(tx, upload) : []
    const hashes = new Set(originals.map(({ sha256 }) => sha256))
    const isSent = ({ sha256 }: Photo) => hashes.has(sha256)
    const others = known.filter((photo) => !isSent(photo))
    const locked = await moveWrongClaimsAside(tx, known.filter(isSent), originals)
    const existing = await replaceOriginals(tx, store, locked, originals)
    const { photos, folder } =
      form.folderId === null
        ? { photos: existing, folder: null }
        : await placeInFolder(tx, [...existing, ...others], form.folderId)
    const paired = await pairFitting(tx, folders, photos)
    return addMissing(tx, upload, paired.filter(isSent), folder)
  })
}

/** Creates the photos of files that have none. */
async function addMissing(
  tx: Transaction,
  upload: Upload,
  existing: Photo[],
  folder: Folder | null,
): Promise<AddedPhotos> {
  const { userId, originals, limit } = upload
  const photosByHash = new Map(existing.map((photo) => [photo.sha256, photo]))
  const newOriginals = distinctByHash(originals).filter(({ sha256 }) => !photosByHash.has(sha256))
  const { fitting, used } = await selectFitting(tx, userId, limit, newOriginals)
  const created = await createPhotos(tx, upload, fitting, folder)
  for (const photo of created) photosByHash.set(photo.sha256, photo)
  await scheduleUnusedRemovals(tx, upload, photosByHash)
  await upload.inTransaction?.(tx, photosByHash)
  return { photosByHash, createdIds: new Set(created.map(({ id }) => id)), folder, used }
}

async function createPhotos(
  tx: Transaction,
  { userId, form, uploadedAt }: Upload,
  originals: StoredOriginal[],
  folder: Folder | null,
): Promise<Photo[]> {
  const ownIsPublic = folder ? null : form.isPublic
  const shared = {
    ...{ userId, folderId: folder?.id ?? null, description: form.description, purpose: form.purpose },
    ...(uploadedAt && { createdAt: uploadedAt }),
    ...{ ownIsPublic, privateByChoice: ownIsPublic === false },
  }
  const created: Photo[] = []
  // One by one: of `createMany` Prisma keeps no plan, and making one costs more than several statements.
  for (const original of originals) {
    const data = { ...shared, ...original, title: shotName(original.originalName) }
    created.push(await tx.photo.create({ data }))
  }
  await publishChanged(tx, ...created)
  return created
}

/**
 * Locks the user's photos of these files, and the others of their pairs. A photo that is being deleted is waited for and left out.
 */
async function lockExisting(tx: Transaction, upload: Upload): Promise<Photo[]> {
  const found = await tx.photo.findMany({ where: sameFiles(upload), orderBy: { copyNumber: 'asc' } })
  const ids = distinctByHash(found).map(({ id }) => id)
  return lockPhotos(tx, ids, upload.userId)
}

function sameFiles({ userId, originals }: Upload): Prisma.PhotoWhereInput {
  return { userId, sha256: { in: originals.map(({ sha256 }) => sha256) }, purpose: { not: 'metadata' } }
}

function originalOf({ sha256 }: Photo, originals: StoredOriginal[]): StoredOriginal | undefined {
  return originals.find((original) => original.sha256 === sha256)
}

/** The first item of each hash. */
function distinctByHash<T extends { sha256: string }>(items: T[]): T[] {
  return items.filter(({ sha256 }, index) => index === items.findIndex((other) => other.sha256 === sha256))
}

/**
 * Moves photos aside whose claimed hash is that of a verified original of another size: they are other files, to which the
 * worker gives their real hash. So do claims that failed before they were verified. Returns the remaining photos.
 */
async function moveWrongClaimsAside(tx: Transaction, photos: Photo[], originals: StoredOriginal[]): Promise<Photo[]> {
  const remaining: Photo[] = []
  for (const photo of photos) {
    const original = originalOf(photo, originals)
    const isBetter = original?.sha256Verified || photo.status === 'failed'
    const isWrong = !photo.sha256Verified && isBetter && original?.filesize !== photo.filesize
    if (!isWrong) remaining.push(photo)
    else {
      const copyNumber = await nextCopyNumber(tx, photo.userId, photo.sha256)
      await tx.photo.update({ where: { id: photo.id }, data: { copyNumber } })
    }
  }
  return remaining
}

/**
 * Replaces the originals of existing photos by the uploaded ones where they are missing, where only the uploaded one is
 * verified, and where the existing one failed before it was, or since another file had been announced; the processing of these
 * photos starts again.
 */
async function replaceOriginals(
  tx: Transaction,
  store: ObjectStore,
  photos: Photo[],
  originals: StoredOriginal[],
): Promise<Photo[]> {
  const exist = await Promise.all(photos.map((photo) => hasOriginal(store, photo)))
  const current: Photo[] = []
  for (const [index, photo] of photos.entries()) {
    const original = originalOf(photo, originals)
    const isBetter = original?.sha256Verified || photo.status === 'failed'
    const isReplaced =
      !exist[index] || (isBetter && !photo.sha256Verified) || photo.statusMessage === WRONG_FILE.statusMessage
    // A claim of another size is wrong.
    if (!isReplaced || original?.filesize !== photo.filesize) {
      current.push(photo)
      continue
    }
    const { filename, crc32, sha256Verified } = original
    if (exist[index] && sha256Verified) hashClaims.inc({ outcome: 'taken_over' })
    const columns = { filename, crc32, sha256Verified, reportFailure: true, revision: { increment: 1 } }
    current.push(await tx.photo.update({ where: { id: photo.id }, data: { ...waitingForProcessing(), ...columns } }))
    // The old object may exist incomplete.
    await scheduleRemovals(tx, unusedObjects(photo.userId, [originalKey(photo.filename)]))
  }
  await publishChanged(tx, ...current.filter((photo, index) => photo !== photos[index]))
  return current
}

/**
 * Schedules the removal of uploaded objects that became no photo's original: known files, and what did not fit. Those of
 * upload sessions that did not fit stay.
 */
async function scheduleUnusedRemovals(
  tx: Transaction,
  { originals, userId }: Upload,
  photosByHash: Map<string, Photo>,
): Promise<void> {
  const used = new Set([...photosByHash.values()].map(({ filename }) => filename))
  const unused = originals.filter(
    ({ filename, sha256, sha256Verified }) => !used.has(filename) && (sha256Verified || photosByHash.has(sha256)),
  )
  const keys = unused.map(({ filename }) => originalKey(filename))
  await scheduleRemovals(tx, unusedObjects(userId, keys))
}

/**
 * Keeps stored originals for photos of this transaction: cancels their pending removals and checks that the objects
 * still exist. A removal that is scheduled later finds the photo before it removes the object. Originals whose SHA-256 is
 * not verified are kept by their upload sessions until then.
 * @throws AppError 503 when an original was removed already
 */
export async function keepOriginals(tx: Transaction, store: ObjectStore, originals: StoredOriginal[]): Promise<void> {
  const ownerless = originals.filter(({ sha256Verified }) => sha256Verified)
  const keys = ownerless.map(({ filename }) => originalKey(filename))
  if (keys.length === 0) return
  await tx.objectRemoval.deleteMany({ where: { key: { in: keys } } })
  const exist = await Promise.all(ownerless.map((original) => hasOriginal(store, original)))
  if (exist.includes(false)) throw unavailable('The upload took too long. Please try again.')
}

/**
 * Saves an upload. When it is rejected, its originals go, but for those that upload sessions keep. When its outcome is unknown,
 * they go a minute later unless a row has them by then; without the database the sweep does that.
 */
export async function orDiscard<T>(
  deps: ObjectRemovalDeps,
  userId: number,
  originals: StoredOriginal[],
  save: () => Promise<T>,
): Promise<T> {
  try {
    return await save()
  } catch (error) {
    const names = originals.filter(({ sha256Verified }) => sha256Verified).map(({ filename }) => filename)
    const objects = unusedObjects(userId, names.map(originalKey))
    if (error instanceof AppError) await scheduleRemovals(deps.db, objects)
    // A database without room has rolled back, and could not note a removal.
    else if (isStorageFull(error)) await discardOriginals(deps, names)
    else {
      // The response does not wait for a database that may be away.
      scheduleRemovals(deps.db, objects, GRACE_SECONDS).catch((err) =>
        deps.logger.warn({ err, names }, 'removal of an upload could not be scheduled, left to the sweep'),
      )
    }
    throw error
  }
}

/**
 * Selects the originals that fit into the quota, in their order; a small one may follow one that is too large. The caller
 * holds the lock of the user's uploads. `used` counts the selected ones.
 */
async function selectFitting(
  tx: Transaction,
  userId: number,
  limit: number | null,
  originals: StoredOriginal[],
): Promise<{ fitting: StoredOriginal[]; used: number }> {
  if (limit === null || originals.length === 0) return { fitting: originals, used: 0 }
  let used = await readUsedBytes(tx, userId)
  const fitting = originals.filter(({ filesize }) => {
    const fits = used + filesize <= limit
    if (fits) used += filesize
    return fits
  })
  return { fitting, used }
}
