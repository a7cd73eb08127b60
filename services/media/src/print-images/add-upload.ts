import { type ObjectStore, tooManyRequests } from '@skyfolio/kit'
import type { Database, Transaction } from '../database.ts'
import { originalKey } from '../files/object-keys.ts'
import { scheduleRemovals, unusedObjects } from '../files/object-removals.ts'
import type { PrintImage } from '../generated/client.ts'
import { keepOriginals } from '../uploads/add-photos.ts'
import type { StoredOriginal } from '../uploads/store-original.ts'
import {
  createRows,
  extendSoonExpiring,
  findBySpecification,
  lockPrintImages,
  type PrintImageLimits,
  readRoom,
  renderAgain,
} from './rows.ts'

const RETRY_AFTER_SECONDS = 3600
const TOO_MANY_UPLOADS = 'You have too many images for prints. Please try again in a few days, when some have expired.'

/**
 * Creates a print image from a stored original, which the worker renders. The same file of the same user is one image, so
 * a client may send it again: then the new original is removed.
 * @throws AppError 404 when the user was erased, 429 when the user has too many images, 503
 */
export async function addUploadedImage(
  db: Database,
  store: ObjectStore,
  userId: number,
  original: StoredOriginal,
  limits: PrintImageLimits,
): Promise<PrintImage> {
  const { filename, filesize, sha256 } = original
  const specification = `upload:${sha256}`
  const source = { source: filename, sourceBytes: filesize }
  return db.$transaction(async (tx) => {
    await keepOriginals(tx, store, [original])
    await lockPrintImages(tx, userId)
    const [existing] = await findBySpecification(tx, userId, [specification])
    if (existing?.status === 'failed') {
      if (existing.source) await scheduleRemovals(tx, unusedObjects(userId, [originalKey(existing.source)]))
      return renderAgain(tx, existing, limits, source)
    }
    if (existing) {
      await scheduleRemovals(tx, unusedObjects(userId, [originalKey(filename)]))
      return extended(tx, existing, limits)
    }
    await rejectWhenFull(tx, userId, limits)
    const [created] = await createRows(tx, userId, [{ specification, ...source }], limits)
    if (!created) throw new Error('no row was created')
    return created
  })
}

/** @throws AppError 429 when the user may have no further image */
export async function rejectWhenFull(
  db: Database | Transaction,
  userId: number,
  limits: PrintImageLimits,
): Promise<void> {
  if ((await readRoom(db, userId, limits)) > 0) return
  throw tooManyRequests(TOO_MANY_UPLOADS, RETRY_AFTER_SECONDS, 'print-images-of-user')
}

async function extended(tx: Transaction, image: PrintImage, limits: PrintImageLimits): Promise<PrintImage> {
  if (image.status !== 'ready') return image
  const [later = image] = await extendSoonExpiring(tx, [image], limits)
  return later
}
