import { inSqlTransaction, type ObjectStore, type SqlTransaction } from '@skyfolio/kit'
import type pg from 'pg'
import type { Database, Transaction } from '../database.ts'
import { lockForAdding } from '../erasure/tombstone.ts'
import { publishChanged } from '../events.ts'
import { hasOriginal, originalKey } from '../files/object-keys.ts'
import { scheduleRemovals, unusedObjects } from '../files/object-removals.ts'
import type { Folder, Photo, Prisma } from '../generated/client.ts'
import { insertPhotos, nextCopyNumber } from '../photos/insert-photos.ts'
import { lockPhotos } from '../photos/locks.ts'
import { lockFolder, placeInFolder, refreshForPrivatePhotos } from '../photos/placement.ts'
import { hashClaims, WRONG_FILE, waitingForProcessing } from '../photos/status.ts'
import type { Folders } from '../projection/folders.ts'
import { keepOriginals } from './keep-originals.ts'
import { selectFitting } from './quota-check.ts'
import type { StoredOriginal } from './store-original.ts'
import { titleOf, type UploadForm } from './upload-form.ts'

interface AddPhotosDeps {
  db: Database
  pool: pg.Pool
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
  /** Called before the commit with the photo of each file, by SHA-256. What it throws rolls the transaction back. */
  inTransaction?(tx: SqlTransaction, photosByHash: Map<string, Photo>): Promise<void>
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
 * not become a second photo: the existing photo moves into the chosen folder. New files are created in their order as long as
 * they fit into the quota; equal ones count once, existing ones not at all. After an error the originals are still in the store
 * (see `orDiscard`). Originals whose SHA-256 is a claim belong to upload sessions, which keep them until they became photos or
 * duplicates.
 * @throws AppError 404 when the user was deleted, 503
 */
export async function addPhotos(deps: AddPhotosDeps, upload: Upload): Promise<AddedPhotos> {
  return (await addNewPhotos(deps, upload)) ?? addToGallery(deps, upload)
}

/** For uploads of new files only, which are most of them. Null: the user has one of the files. */
function addNewPhotos({ pool, store }: AddPhotosDeps, upload: Upload): Promise<AddedPhotos | null> {
  const { form, originals, userId } = upload
  return inSqlTransaction(pool, async (tx) => {
    // Before the lock: others of the user need not wait for the store.
    await keepOriginals(tx, store, originals)
    await lockForAdding(tx, 'uploads', userId)
    if (await hasPhotos(tx, upload)) return null
    return addMissing(tx, upload, [], await lockFolder(tx, form.folderId))
  })
}

async function addToGallery({ db, store, folders }: AddPhotosDeps, upload: Upload): Promise<AddedPhotos> {
  const { form, originals, userId } = upload
  if (form.folderId !== null) {
    await refreshForPrivatePhotos(folders, await db.photo.findMany({ where: sameFiles(upload) }), form.folderId)
  }
  return db.$transaction(async (tx) => {
    await keepOriginals(tx, store, originals)
    await lockForAdding(tx, 'uploads', userId)
    const locked = await moveWrongClaimsAside(tx, await lockExisting(tx, upload), originals)
    const existing = await replaceOriginals(tx, store, locked, originals)
    const { photos, folder } =
      form.folderId === null ? { photos: existing, folder: null } : await placeInFolder(tx, existing, form.folderId)
    return addMissing(tx, upload, photos, folder)
  })
}

async function hasPhotos(tx: SqlTransaction, { userId, originals }: Upload): Promise<boolean> {
  const found = await tx.$queryRawUnsafe<unknown[]>(
    `SELECT 1 FROM photos WHERE user_id = $1::int AND sha256 = ANY ($2::text[]) AND purpose = 'gallery' LIMIT 1`,
    userId,
    originals.map(({ sha256 }) => sha256),
  )
  return found.length > 0
}

/** Creates the photos of files that have none. */
async function addMissing(
  tx: SqlTransaction,
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
  tx: SqlTransaction,
  { userId, form }: Upload,
  originals: StoredOriginal[],
  folder: Folder | null,
): Promise<Photo[]> {
  const ownIsPublic = folder ? null : form.isPublic
  const shared = {
    ...{ userId, folderId: folder?.id ?? null, description: form.description },
    ...{ ownIsPublic, privateByChoice: ownIsPublic === false },
  }
  const files = originals.map((original) => ({ ...original, title: titleOf(original.originalName) }))
  const created = await insertPhotos(tx, shared, files)
  await publishChanged(tx, ...created)
  return created
}

/** Locks the user's photos of these files. A photo that is being deleted is waited for and left out. */
async function lockExisting(tx: Transaction, upload: Upload): Promise<Photo[]> {
  const found = await tx.photo.findMany({ where: sameFiles(upload), orderBy: { copyNumber: 'asc' } })
  const ids = distinctByHash(found).map(({ id }) => id)
  return lockPhotos(tx, ids)
}

function sameFiles({ userId, originals }: Upload): Prisma.PhotoWhereInput {
  return { userId, sha256: { in: originals.map(({ sha256 }) => sha256) }, purpose: 'gallery' }
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
  tx: SqlTransaction,
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
