import { Readable } from 'node:stream'
import { inSpan, isUnavailable, type Logger, metrics, type ObjectStore, resumeTrace } from '@skyfolio/kit'
import type { Database } from '../database.ts'
import { PRINT_IMAGE_MEDIA_TYPE, printImageKey } from '../files/object-keys.ts'
import type { PrintImage, Prisma } from '../generated/client.ts'
import { RenderAbortedError } from '../renditions/isolated-renderer.ts'
import { type Original, openOriginal } from '../renditions/original.ts'
import { NotPrintableError } from '../renditions/print-plan.ts'
import type { PrintRenderer } from '../renditions/print-renderer.ts'
import { DamagedImageError } from '../renditions/render-image.ts'
import {
  acquireNextPrintLease,
  completePrintLease,
  type PrintLease,
  releasePrintLease,
  renewPrintLease,
} from './leases.ts'
import { expiryOf, FAILURE_MS } from './lifetime.ts'
import { TOO_MANY_PRINTS } from './responses.ts'
import { hasBytes } from './rows.ts'
import { targetOf } from './specification.ts'

export interface PrintRenderingDeps {
  db: Database
  store: ObjectStore
  printRenderer: PrintRenderer
  logger: Logger
  leaseSeconds: number
  /** Attempts after which an image counts as failed. */
  maxAttempts: number
  /** How long a ready image can be fetched. */
  lifetimeMs: number
  /** Bytes of a user's images above which no further one is rendered. */
  bytesPerUser: number
}

const RETRY_SECONDS = 5
/** One further attempt, alone: the process may have been killed because of what else was rendered. */
const ABORTED_ATTEMPTS = 2
const ORIGINAL_MISSING = 'The original file of this photo is missing.'
const DAMAGED = 'The photo is damaged and cannot be printed.'
const NOT_RENDERED = 'The photo could not be prepared for printing.'

type Result = Prisma.PrintImageUncheckedUpdateManyInput & { status: 'ready' | 'failed' }

const outcomes = metrics.counter('skyfolio_print_images_total', 'Renderings of print images by outcome', ['outcome'])
const durations = metrics.histogram(
  'skyfolio_print_image_seconds',
  'Time to render a print image',
  [],
  [0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120],
)

/** Renders the next waiting print image, if any. Safe to call at any time and concurrently. */
export async function renderNextPrintImage(deps: PrintRenderingDeps): Promise<void> {
  const lease = await acquireNextPrintLease(deps.db, deps.leaseSeconds)
  if (!lease) return
  const { id, attempts, trace } = lease.image
  const attributes = { 'print_image.id': id, 'print_image.attempt': attempts }
  await resumeTrace(trace, 'render print image', attributes, () => renderLeased(deps, lease))
}

async function renderLeased(deps: PrintRenderingDeps, lease: PrintLease): Promise<void> {
  const renewal = setInterval(
    () => renewPrintLease(deps.db, lease, deps.leaseSeconds).catch(() => {}),
    (deps.leaseSeconds * 1000) / 3,
  )
  const measure = durations.startTimer()
  try {
    const result = await attempt(deps, lease.image)
    const isSaved = await completePrintLease(deps.db, lease, result)
    outcomes.inc({ outcome: isSaved ? result.status : 'lost' })
  } catch (error) {
    outcomes.inc({ outcome: 'error' })
    await handleError(deps, lease, error)
  } finally {
    measure()
    clearInterval(renewal)
  }
}

async function attempt(deps: PrintRenderingDeps, image: PrintImage): Promise<Result> {
  // Earlier attempts ended without a result: the image may have crashed its workers.
  if (image.attempts > deps.maxAttempts) return failedResult(NOT_RENDERED)
  if (await isFull(deps, image)) return failedResult(TOO_MANY_PRINTS)
  const original = await findOriginal(deps, image)
  if (!original) return failedResult(ORIGINAL_MISSING)
  try {
    return await renderAndStore(deps, image, original)
  } catch (error) {
    const message = messageOf(error, image)
    if (message === null) throw error
    deps.logger.info({ err: error, printImageId: image.id }, 'print image cannot be rendered')
    return failedResult(message)
  }
}

/** Whether there is no room for a new image. One that was made before, and lost its object, may be in an order. */
async function isFull({ db, bytesPerUser }: PrintRenderingDeps, { userId, filesize }: PrintImage): Promise<boolean> {
  return filesize === null && hasBytes(db, userId, bytesPerUser)
}

/** The original of the upload or photo; null when it is missing or the photo was deleted. */
async function findOriginal({ db, store }: PrintRenderingDeps, image: PrintImage): Promise<Original | null> {
  const { source, sourceBytes, photoId, userId } = image
  if (source !== null) return openOriginal(store, { filename: source, filesize: sourceBytes ?? 0 })
  if (photoId === null) return null
  const photo = await db.photo.findFirst({ where: { id: photoId, userId } })
  return photo && openOriginal(store, photo)
}

async function renderAndStore(deps: PrintRenderingDeps, image: PrintImage, original: Original): Promise<Result> {
  const { store, printRenderer, lifetimeMs } = deps
  const { jpeg, width, height, source } = await inSpan('render', {}, () =>
    printRenderer.render(original, targetOf(image), { userId: image.userId, alone: image.attempts > 1 }),
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
    expiresAt: expiryOf(image, lifetimeMs),
  }
}

function failedResult(statusMessage: string): Result {
  return { status: 'failed', statusMessage, expiresAt: new Date(Date.now() + FAILURE_MS) }
}

/** The sentence for errors that are the image's fault; null when a further attempt may succeed. */
function messageOf(error: unknown, { attempts }: PrintImage): string | null {
  if (error instanceof NotPrintableError) return error.message
  if (error instanceof DamagedImageError) return DAMAGED
  return error instanceof RenderAbortedError && attempts >= ABORTED_ATTEMPTS ? NOT_RENDERED : null
}

async function handleError(deps: PrintRenderingDeps, lease: PrintLease, error: unknown): Promise<void> {
  const { id, attempts } = lease.image
  const outage = isUnavailable(error)
  deps.logger.warn({ err: error, printImageId: id, attempts }, 'print image rendering failed')
  const isLast = !outage && attempts >= deps.maxAttempts
  if (isLast) await completePrintLease(deps.db, lease, failedResult(NOT_RENDERED))
  else await releasePrintLease(deps.db, lease, RETRY_SECONDS, outage)
}
