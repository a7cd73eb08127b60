import { AppError, type ObjectStore, unavailable } from '@skyfolio/kit'
import type { Database, Transaction } from './database.ts'
import { publishChanged } from './events.ts'
import type { Folder, Photo, Prisma } from './generated/client.ts'
import { originalKey } from './objects.ts'
import { originalsOf, type Received, type StoredOriginal } from './receiving.ts'
import { titleOf, type UploadForm } from './upload-form.ts'

export interface Stored {
  photos: Photo[]
  folder: Folder | null
  /** The chosen folder was deleted while the upload ran. */
  folderGone: boolean
}

/**
 * Takes the originals over from the sweeper: no removal is pending any more, and each is still there. One that the
 * sweeper marks from here on is found to have a photo before it is removed.
 */
async function adopt(tx: Transaction, store: ObjectStore, originals: StoredOriginal[]): Promise<void> {
  const keys = originals.map(({ filename }) => originalKey(filename))
  await tx.objectRemoval.deleteMany({ where: { key: { in: keys } } })
  const heads = await Promise.all(keys.map((key) => store.head(key)))
  const kept = heads.every((head, index) => head?.size === originals[index]?.filesize)
  if (!kept) throw unavailable('The upload took too long. Please try again.')
}

/** The folder as it is now. It cannot be deleted before the transaction ends: then its photos leave it in order. */
async function lockFolder(tx: Transaction, id: number): Promise<Folder | null> {
  await tx.$queryRaw`SELECT 1 FROM folders WHERE id = ${id} FOR SHARE`
  const folder = await tx.folder.findUnique({ where: { id } })
  return folder?.deleted ? null : folder
}

function rowOf(
  original: StoredOriginal,
  userId: number,
  form: UploadForm,
  folder: Folder | null,
): Prisma.PhotoCreateManyInput {
  const ownIsPublic = folder ? null : form.isPublic
  return {
    ...original,
    userId,
    folderId: folder?.id ?? null,
    title: titleOf(original.originalName),
    description: form.description,
    ownIsPublic,
    privateByChoice: ownIsPublic === false,
  }
}

/**
 * Makes photos of stored originals: rows and events commit together. When it fails the outcome may be unknown, so
 * the originals stay where they are, for the sweeper to judge.
 */
export async function addPhotos(db: Database, store: ObjectStore, userId: number, received: Received): Promise<Stored> {
  const { form } = received
  const originals = originalsOf(received)
  return db.$transaction(async (tx) => {
    await adopt(tx, store, originals)
    const folder = form.folderId === null ? null : await lockFolder(tx, form.folderId)
    const photos = await tx.photo.createManyAndReturn({
      data: originals.map((original) => rowOf(original, userId, form, folder)),
    })
    await publishChanged(tx, ...photos)
    return { photos, folder, folderGone: form.folderId !== null && folder === null }
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
