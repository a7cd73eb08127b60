import { setTimeout as delay } from 'node:timers/promises'
import { badRequest, type ObjectStore, tooManyRequests, unavailable } from '@skyfolio/kit'
import type { FastifyRequest } from 'fastify'
import type { Database, Transaction } from '../database.ts'
import { lockForAdding } from '../erasure/tombstone.ts'
import { originalKey } from '../files/object-keys.ts'
import { scheduleRemovals, unusedObjects } from '../files/object-removals.ts'
import type { PrintImage } from '../generated/client.ts'
import { keepOriginals, orDiscard } from '../uploads/add-photos.ts'
import { type ReceiveDeps, receiveUpload } from '../uploads/receive.ts'
import type { StoredOriginal } from '../uploads/store-original.ts'
import type { PrintImagesDeps } from './prepare.ts'
import { createRows, extendSoonExpiring, findBySpecification, readRoom, renderAgain } from './rows.ts'

export interface PrintUploadDeps extends ReceiveDeps, PrintImagesDeps {
  /** Where browsers reach the application. */
  publicOrigin: string
}

const POLL_MS = 150
/** So that the response comes within 10 seconds. An image that takes longer is found by a repeated upload. */
const RENDERING_MS = 8_000
const RETRY_AFTER_SECONDS = 2
const STILL_RENDERING = 'The image is still being prepared. Please send it again in a moment.'

/**
 * Receives an image for a print order, and waits until the worker has converted it.
 * @throws AppError 400, 413, 415, 429, 503
 */
export async function savePrintUpload(deps: PrintUploadDeps, request: FastifyRequest, userId: number) {
  // Without the database or room nothing can be stored: fail before megabytes are stored.
  await rejectWhenFull(deps.db, userId)
  const original = await receiveOne(deps, request, userId)
  const deadline = performance.now() + RENDERING_MS
  const added = await orDiscard(deps, userId, [original], () => addUploadedImage(deps.db, deps.store, userId, original))
  if (added.status === 'rendering') deps.enqueue('print-images', [added])
  const image = await waitUntilRendered(deps.db, added, deadline)
  if (image.status === 'failed') throw badRequest(image.statusMessage ?? '')
  return toResponse(deps, image)
}

async function receiveOne(deps: PrintUploadDeps, request: FastifyRequest, userId: number): Promise<StoredOriginal> {
  const { files } = await receiveUpload(deps, request, { userId, fieldName: 'image', maxFiles: 1, purpose: 'print' })
  const [file] = files
  if (!file) throw badRequest('An image is required in the field "image".')
  if ('rejection' in file) throw file.rejection
  return file.original
}

/** @throws AppError 503 when the worker takes too long */
async function waitUntilRendered(db: Database, added: PrintImage, deadline: number): Promise<PrintImage> {
  let image: PrintImage | null = added
  for (; performance.now() < deadline; await delay(POLL_MS)) {
    if (image && image.status !== 'rendering') return image
    image = await db.printImage.findUnique({ where: { id: added.id } })
    if (!image) break
  }
  throw unavailable(STILL_RENDERING, RETRY_AFTER_SECONDS)
}

function toResponse({ printImageNames, publicOrigin }: PrintUploadDeps, image: PrintImage) {
  const { id, expiresAt, width, height } = image
  const filename = printImageNames.sign(id, expiresAt)
  return {
    filename,
    url: new URL(`/api/uploads/${filename}`, publicOrigin).href,
    expiresAt: expiresAt.toISOString(),
    width: width ?? 0,
    height: height ?? 0,
  }
}

const FULL_RETRY_AFTER_SECONDS = 3600
const TOO_MANY_UPLOADS = 'You have too many images for prints. Please try again in a few days, when some have expired.'

/**
 * Creates a print image from a stored original, which the worker renders. The same file of the same user is one image, so
 * a client may send it again: then the new original is removed.
 * @throws AppError 404 when the user was erased, 429 when the user has too many images, 503
 */
async function addUploadedImage(
  db: Database,
  store: ObjectStore,
  userId: number,
  original: StoredOriginal,
): Promise<PrintImage> {
  const { filename, filesize, sha256 } = original
  const specification = `upload:${sha256}`
  const source = { source: filename, sourceBytes: filesize }
  return db.$transaction(async (tx) => {
    await keepOriginals(tx, store, [original])
    await lockForAdding(tx, 'printImages', userId)
    const [existing] = await findBySpecification(tx, userId, [specification])
    if (existing?.status === 'failed') {
      if (existing.source) await scheduleRemovals(tx, unusedObjects(userId, [originalKey(existing.source)]))
      return renderAgain(tx, existing, source)
    }
    if (existing) {
      await scheduleRemovals(tx, unusedObjects(userId, [originalKey(filename)]))
      const [extended = existing] = await extendSoonExpiring(tx, [existing])
      return extended
    }
    await rejectWhenFull(tx, userId)
    const [created] = await createRows(tx, userId, [{ specification, ...source }])
    if (!created) throw new Error('no row was created')
    return created
  })
}

/** @throws AppError 429 when the user may have no further image */
async function rejectWhenFull(db: Database | Transaction, userId: number): Promise<void> {
  if ((await readRoom(db, userId)) > 0) return
  throw tooManyRequests(TOO_MANY_UPLOADS, FULL_RETRY_AFTER_SECONDS, 'print-images-of-user')
}
