import { AppError, type ObjectStore, traceToStore, unavailable } from '@skyfolio/kit'
import type { Database, Transaction } from '../database.ts'
import { publishChanged } from '../events.ts'
import { originalKey } from '../files/objects.ts'
import type { Folder, Photo, Prisma } from '../generated/client.ts'
import { fileInto, lockPhotos, refreshForPrivate } from '../photos/changes.ts'
import { WAITING } from '../processing/leases.ts'
import type { Folders } from '../projection/folders.ts'
import { hasOriginal } from './known-files.ts'
import type { StoredOriginal } from './receive.ts'
import { titleOf, type UploadForm } from './upload-form.ts'

/** What an upload brought, of which something was stored. */
export interface Upload {
  userId: number
  form: UploadForm
  originals: StoredOriginal[]
}

export interface Stored {
  /** The photo of each file, by hash. */
  photoOf: Map<string, Photo>
  /** Those of them that are new. */
  created: Set<number>
  /** The chosen folder was deleted while the upload ran. */
  folderGone: boolean
}

const UPLOADS_LOCK = 0x75706c64

/**
 * Takes the originals over from the sweeper: no removal is pending any more, and each is still there. One that the
 * sweeper marks from here on is found to have a photo before it is removed.
 */
export async function adopt(tx: Transaction, store: ObjectStore, originals: StoredOriginal[]): Promise<void> {
  const keys = originals.map(({ filename }) => originalKey(filename))
  await tx.objectRemoval.deleteMany({ where: { key: { in: keys } } })
  const kept = await Promise.all(originals.map((original) => hasOriginal(store, original)))
  if (kept.includes(false)) throw unavailable('The upload took too long. Please try again.')
}

/** Lets a user's uploads commit one after another: each knows of the files of the one before. */
async function lockUploads(tx: Transaction, userId: number): Promise<void> {
  await tx.$executeRaw`SELECT pg_advisory_xact_lock(${UPLOADS_LOCK}::int, ${userId}::int)`
}

function withHashes({ userId, originals }: Upload): Prisma.PhotoWhereInput {
  return { userId, sha256: { in: originals.map(({ sha256 }) => sha256) }, purpose: 'gallery' }
}

/** The photos that the user has of these files, locked. One that is just being deleted is waited for, and is none. */
async function lockKnown(tx: Transaction, upload: Upload): Promise<Photo[]> {
  const found = await tx.photo.findMany({ where: withHashes(upload), orderBy: { copyNumber: 'asc' } })
  const firsts = found.filter(({ sha256 }, index) => index === found.findIndex((other) => other.sha256 === sha256))
  return lockPhotos(
    tx,
    firsts.map(({ id }) => id),
  )
}

/** Gives photos whose original is lost the bytes that have come, and lets them be processed again. */
async function restoreLost(
  tx: Transaction,
  store: ObjectStore,
  photos: Photo[],
  originals: StoredOriginal[],
): Promise<Photo[]> {
  const whole = await Promise.all(photos.map((photo) => hasOriginal(store, photo)))
  const restored: Photo[] = []
  for (const [index, photo] of photos.entries()) {
    const original = originals.find(({ sha256 }) => sha256 === photo.sha256)
    if (whole[index] || !original) {
      restored.push(photo)
      continue
    }
    const data = { ...WAITING, filename: original.filename, revision: { increment: 1 } }
    restored.push(await tx.photo.update({ where: { id: photo.id }, data }))
    // What is left of the old one, if anything.
    await tx.objectRemoval.createMany({ data: [{ key: originalKey(photo.filename) }], skipDuplicates: true })
  }
  await publishChanged(tx, ...restored.filter((photo, index) => photo !== photos[index]))
  return restored
}

function rowOf(original: StoredOriginal, { userId, form }: Upload, folder: Folder | null): Prisma.PhotoCreateManyInput {
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

/** Objects that became no photo's original are to be removed: their files are known. */
async function dropSpare(tx: Transaction, originals: StoredOriginal[], photos: Photo[]): Promise<void> {
  const taken = new Set(photos.map(({ filename }) => filename))
  const spare = originals.filter(({ filename }) => !taken.has(filename))
  const removals = spare.map(({ filename }) => ({ key: originalKey(filename) }))
  await tx.objectRemoval.createMany({ data: removals, skipDuplicates: true })
}

/**
 * Makes photos of stored originals: rows and events commit together. A file that the user already has becomes no new
 * photo: the one that there is moves into the chosen folder. When it fails the outcome may be unknown, so the
 * originals stay where they are, for the sweeper to judge.
 * @throws AppError 503
 */
export async function addPhotos(db: Database, store: ObjectStore, folders: Folders, upload: Upload): Promise<Stored> {
  const { form, originals, userId } = upload
  await refreshForPrivate(folders, await db.photo.findMany({ where: withHashes(upload) }), form.folderId)
  return db.$transaction(async (tx) => {
    await adopt(tx, store, originals)
    await lockUploads(tx, userId)
    const known = await restoreLost(tx, store, await lockKnown(tx, upload), originals)
    const { photos: filed, folder } =
      form.folderId === null ? { photos: known, folder: null } : await fileInto(tx, known, form.folderId)

    const photoOf = new Map(filed.map((photo) => [photo.sha256, photo]))
    const news = originals.filter(
      ({ sha256 }, index) =>
        !photoOf.has(sha256) && index === originals.findIndex((original) => original.sha256 === sha256),
    )
    const created = await tx.photo.createManyAndReturn({ data: news.map((one) => rowOf(one, upload, folder)) })
    await publishChanged(tx, ...created)
    for (const photo of created) photoOf.set(photo.sha256, photo)
    await dropSpare(tx, originals, [...photoOf.values()])
    return {
      photoOf,
      created: new Set(created.map(({ id }) => id)),
      folderGone: form.folderId !== null && folder === null,
    }
  })
}

/** The answer to an upload of which nothing was stored: all issues, with the status that fits them all. */
export function nothingStored(message: string, refusals: AppError[]): AppError {
  const statuses = new Set(refusals.map((refusal) => refusal.status))
  const [only] = refusals
  const issues = refusals.map((refusal) => refusal.message)
  if (statuses.size === 1 && only) return new AppError(only.status, only.code, message, { issues })
  return new AppError(400, 'bad_request', message, { issues })
}
