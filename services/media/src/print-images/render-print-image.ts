import { Readable } from 'node:stream'
import { inSpan, type Logger, metrics, type ObjectStore } from '@skyfolio/kit'
import type { Database } from '../database.ts'
import { originalKey, PRINT_IMAGE_MEDIA_TYPE, printImageKey } from '../files/object-keys.ts'
import { scheduleRemovals, unusedObjects } from '../files/object-removals.ts'
import type { PrintImage, Prisma } from '../generated/client.ts'
import { KINDS, own, type RowJob, type Started, startOf } from '../jobs/job-rows.ts'
import { RenderAbortedError } from '../renditions/isolated-renderer.ts'
import { type Original, openOriginal } from '../renditions/original.ts'
import { NotPrintableError } from '../renditions/print-plan.ts'
import { DamagedImageError } from '../renditions/render-image.ts'
import type { PrintRenderer } from '../renditions/renderer.ts'
import { UnsupportedImageError } from '../renditions/tiff-picture.ts'
import { TOO_MANY_PRINTS } from './prepare.ts'
import { expiryOf, FAILURE_MS, hasNoRoom } from './rows.ts'
import { targetOf } from './specification.ts'

export interface PrintRenderingDeps {
  db: Database
  store: ObjectStore
  printRenderer: PrintRenderer
  logger: Logger
}

const ORIGINAL_MISSING = 'The original file of this photo is missing.'
const DAMAGED = 'The photo is damaged and cannot be printed.'

type Result = Prisma.PrintImageUncheckedUpdateManyInput & { status: 'ready' | 'failed' }

const outcomes = metrics.counter('skyfolio_print_images_total', 'Renderings of print images by outcome', ['outcome'])

/**
 * Renders a print image, alone when it `wasTried`. Safe to call at any time and concurrently, as for photos.
 * @throws when a further attempt may succeed
 */
export async function renderPrintImage(
  deps: PrintRenderingDeps,
  job: RowJob<string>,
  wasTried: boolean,
): Promise<void> {
  const [image] = await deps.db.printImage.updateManyAndReturn(startOf('print-images', job))
  if (!image) return
  try {
    const result = await attempt(deps, image, wasTried)
    outcomes.inc({ outcome: (await saveResult(deps.db, image, result)) ? result.status : 'lost' })
  } catch (error) {
    outcomes.inc({ outcome: 'error' })
    throw error
  }
}

/** Ends an image whose job has failed. An upload keeps its original: the job may be retried. */
export async function endFailedPrintImage(db: Database, row: Started<string>): Promise<void> {
  await db.printImage.updateMany({ where: own('print-images', row), data: failedResult(KINDS['print-images'].failure) })
}

/**
 * Saves the result, and schedules the removal of an upload's original, which nobody needs any more. Returns false when the
 * image is no longer the worker's own, or was deleted; then its object is removed unless another result uses it.
 */
async function saveResult(db: Database, image: PrintImage, result: Result): Promise<boolean> {
  return db.$transaction(async (tx) => {
    const data = { ...result, source: null, sourceBytes: null }
    const { count } = await tx.printImage.updateMany({ where: own('print-images', image), data })
    const keys = count === 0 ? [printImageKey(image.id)] : image.source ? [originalKey(image.source)] : []
    await scheduleRemovals(tx, unusedObjects(image.userId, keys))
    return count > 0
  })
}

async function attempt(deps: PrintRenderingDeps, image: PrintImage, wasTried: boolean): Promise<Result> {
  // An image that was made before, and lost its object, may be in an order.
  const isNew = image.filesize === null
  if (isNew && (await hasNoRoom(deps.db, image.userId))) return failedResult(TOO_MANY_PRINTS)
  const original = await findOriginal(deps, image)
  if (!original) return failedResult(ORIGINAL_MISSING)
  try {
    return await renderAndStore(deps, image, original, wasTried)
  } catch (error) {
    const message = messageOf(error, wasTried)
    if (message === null) throw error
    deps.logger.info({ err: error, printImageId: image.id }, 'print image cannot be rendered')
    return failedResult(message)
  }
}

/** The original of the upload or photo; null when it is missing or the photo was deleted. */
async function findOriginal({ db, store }: PrintRenderingDeps, image: PrintImage): Promise<Original | null> {
  const { source, sourceBytes, photoId, userId } = image
  if (source !== null) return openOriginal(store, { filename: source, filesize: sourceBytes ?? 0 })
  if (photoId === null) return null
  const photo = await db.photo.findFirst({ where: { id: photoId, userId } })
  return photo && openOriginal(store, photo)
}

async function renderAndStore(
  deps: PrintRenderingDeps,
  image: PrintImage,
  original: Original,
  alone: boolean,
): Promise<Result> {
  const { store, printRenderer } = deps
  const { jpeg, width, height, source } = await inSpan('render', {}, () =>
    printRenderer.render(original, targetOf(image), { userId: image.userId, alone }),
  )
  await inSpan('store print image', {}, () =>
    store.put(printImageKey(image.id), Readable.from([jpeg]), { contentType: PRINT_IMAGE_MEDIA_TYPE }),
  )
  return {
    status: 'ready',
    statusMessage: null,
    width,
    height,
    sourceWidth: source.width,
    sourceHeight: source.height,
    filesize: jpeg.length,
    expiresAt: expiryOf(image),
  }
}

function failedResult(statusMessage: string): Result {
  return { status: 'failed', statusMessage, expiresAt: new Date(Date.now() + FAILURE_MS) }
}

/** The sentence for errors that are the image's fault; null when a further attempt may succeed. */
function messageOf(error: unknown, wasTried: boolean): string | null {
  if (error instanceof NotPrintableError || error instanceof UnsupportedImageError) return error.message
  if (error instanceof DamagedImageError) return DAMAGED
  // Tried once more, alone: the process may have been killed because of what else was rendered.
  return error instanceof RenderAbortedError && wasTried ? KINDS['print-images'].failure : null
}
