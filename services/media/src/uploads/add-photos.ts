import { type ObjectStore, traceToStore } from '@skyfolio/kit'
import type { Database, Transaction } from '../database.ts'
import { publishChanged } from '../events.ts'
import { hasOriginal, originalKey } from '../files/object-keys.ts'
import type { Folder, Photo, Prisma } from '../generated/client.ts'
import { lockPhotos } from '../photos/locks.ts'
import { placeInFolder, refreshForPrivatePhotos } from '../photos/placement.ts'
import { WAITING_FOR_PROCESSING } from '../photos/status.ts'
import type { Folders } from '../projection/folders.ts'
import { claimOriginals } from './claim-originals.ts'
import { lockUploads, selectFitting } from './quota-check.ts'
import type { StoredOriginal } from './store-original.ts'
import { titleOf, type UploadForm } from './upload-form.ts'

/** An upload with at least one stored original. */
export interface Upload {
  userId: number
  form: UploadForm
  originals: StoredOriginal[]
  /** Bytes that the user's photos may take; null: any number. */
  limit: number | null
}

export interface AddedPhotos {
  /** The photo of each file, by SHA-256; none for files that do not fit into the quota. */
  photosByHash: Map<string, Photo>
  /** The ids of photos that are new. */
  createdIds: Set<number>
  /** The chosen folder was deleted during the upload. */
  folderDeleted: boolean
  /** Bytes that the user's photos take, with the new ones; 0 without a quota. */
  used: number
}

/**
 * Creates photos from stored originals; rows and events are committed together. A file that the user has already does
 * not become a second photo: the existing photo moves into the chosen folder. New files are created in their order as long as
 * they fit into the quota; equal ones count once, existing ones not at all. After an error the outcome may be unknown,
 * so the originals stay in the store, and the sweep compares them with the rows.
 * @throws AppError 503
 */
export async function addPhotos(
  db: Database,
  store: ObjectStore,
  folders: Folders,
  upload: Upload,
): Promise<AddedPhotos> {
  const { form, originals, userId, limit } = upload
  await refreshForPrivatePhotos(folders, await db.photo.findMany({ where: sameFiles(upload) }), form.folderId)
  return db.$transaction(async (tx) => {
    await claimOriginals(tx, store, originals)
    await lockUploads(tx, userId)
    const existing = await restoreMissingOriginals(tx, store, await lockExisting(tx, upload), originals)
    const { photos: placed, folder } =
      form.folderId === null ? { photos: existing, folder: null } : await placeInFolder(tx, existing, form.folderId)

    const photosByHash = new Map(placed.map((photo) => [photo.sha256, photo]))
    const newOriginals = distinctByHash(originals).filter(({ sha256 }) => !photosByHash.has(sha256))
    const { fitting, used } = await selectFitting(tx, userId, limit, newOriginals)
    const created = await tx.photo.createManyAndReturn({
      data: fitting.map((original) => toRow(original, upload, folder)),
    })
    await publishChanged(tx, ...created)
    for (const photo of created) photosByHash.set(photo.sha256, photo)
    await scheduleUnusedRemovals(tx, originals, [...photosByHash.values()])
    return {
      photosByHash,
      createdIds: new Set(created.map(({ id }) => id)),
      folderDeleted: form.folderId !== null && folder === null,
      used,
    }
  })
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

/** The first item of each hash. */
function distinctByHash<T extends { sha256: string }>(items: T[]): T[] {
  return items.filter(({ sha256 }, index) => index === items.findIndex((other) => other.sha256 === sha256))
}

/** Replaces missing originals of existing photos by the uploaded ones, and restarts the processing of these photos. */
async function restoreMissingOriginals(
  tx: Transaction,
  store: ObjectStore,
  photos: Photo[],
  originals: StoredOriginal[],
): Promise<Photo[]> {
  const exist = await Promise.all(photos.map((photo) => hasOriginal(store, photo)))
  const restored: Photo[] = []
  for (const [index, photo] of photos.entries()) {
    const original = originals.find(({ sha256 }) => sha256 === photo.sha256)
    if (exist[index] || !original) {
      restored.push(photo)
      continue
    }
    const { filename } = original
    const data = { ...WAITING_FOR_PROCESSING, filename, reportFailure: true, revision: { increment: 1 } }
    restored.push(await tx.photo.update({ where: { id: photo.id }, data }))
    // The old object may exist incomplete.
    await tx.objectRemoval.createMany({ data: [{ key: originalKey(photo.filename) }], skipDuplicates: true })
  }
  await publishChanged(tx, ...restored.filter((photo, index) => photo !== photos[index]))
  return restored
}

function toRow(original: StoredOriginal, { userId, form }: Upload, folder: Folder | null): Prisma.PhotoCreateManyInput {
  const ownIsPublic = folder ? null : form.isPublic
  return {
    ...original,
    userId,
    folderId: folder?.id ?? null,
    title: titleOf(original.originalName),
    description: form.description,
    ownIsPublic,
    privateByChoice: ownIsPublic === false,
    trace: traceToStore(),
  }
}

/** Schedules the removal of uploaded objects that became no photo's original: known files, and what did not fit. */
async function scheduleUnusedRemovals(tx: Transaction, originals: StoredOriginal[], photos: Photo[]): Promise<void> {
  const used = new Set(photos.map(({ filename }) => filename))
  const unused = originals.filter(({ filename }) => !used.has(filename))
  const removals = unused.map(({ filename }) => ({ key: originalKey(filename) }))
  await tx.objectRemoval.createMany({ data: removals, skipDuplicates: true })
}
