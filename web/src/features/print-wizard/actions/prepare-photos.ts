import type { QueryClient } from '@tanstack/react-query'
import type { PrintImage, PrintImageRequest, UploadedPrintImage } from '../../../api/print-orders.ts'
import { preparePrintImages, readPhotoFile, uploadPrintImage } from '../../../api/print-orders.ts'
import { toast } from '../../../components/ui/toast.tsx'
import { countOf } from '../../../lib/format.ts'
import { ApiError, concernsSession, errorMessage } from '../../../lib/http.ts'
import type { Dimensions } from '../crop.ts'
import { printFilesOf } from '../order.ts'
import {
  changePhoto,
  goTo,
  type Picture,
  removePhoto,
  type WizardPhoto,
  type WizardState,
  withError,
} from '../wizard-state.ts'
import { change, currentSession, draft, type Session } from '../wizard-store.ts'
import { run } from './run.ts'

/** The next step follows the upload after this time. */
const NEXT_STEP_MS = 1_000
/** An upload during which no photo is finished for this time is given up. */
const UPLOAD_STALL_MS = 30_000
/** The same for the files of an order: a large photo takes its time, hundreds take minutes. */
const FILES_STALL_MS = 60_000
const STALLED = 'The photos could not be prepared in time. Please try again in a moment: finished photos are kept.'

const DEPS = {
  prepare: preparePrintImages,
  fetchFile: readPhotoFile,
  upload: uploadPrintImage,
  measure: measureImage,
  pause,
}

/** Validates and uploads the photos that are not ready yet, and goes on when all are. */
export async function validateAndUpload(client: QueryClient): Promise<void> {
  await run(client, { busy: 'upload', failed: NOT_UPLOADED }, async (session, order) => {
    const waiting = order.photos.filter(({ picture }) => picture === null)
    const total = waiting.length
    const images = total > 1 ? 'images' : 'image'
    const stall = stallGuard(UPLOAD_STALL_MS)
    const report = {
      validating: () => session.setBusy('upload', 10, `Validating ${images}...`),
      uploading(done: number) {
        stall.progress()
        session.setBusy('upload', 50, `Uploading ${images}...${total > 1 ? ` (${done} of ${total})` : ''}`)
      },
      ready: (id: number, picture: Picture) => session.change(changePhoto, id, { picture, failure: null }),
      failed: (id: number, failure: string) => session.change(changePhoto, id, { picture: null, failure }),
    }
    try {
      await uploadPhotos(waiting, DEPS, report, AbortSignal.any([session.signal, stall.signal]))
    } catch (error) {
      if (!stall.signal.aborted) throw error
      return session.change(withError, STALLED)
    } finally {
      stall.stop()
    }
    if (!showFailures(session)) await continueToProducts(session)
  })
}

/** True when photos failed: the user decides how to go on. */
function showFailures(session: Session): boolean {
  const photos = session.order()?.photos ?? []
  const failed = photos.filter(({ failure }) => failure !== null)
  if (failed.length === 0) return false
  const only = photos.length === 1 ? failed[0]?.failure : null
  const many = `${failed.length} of ${photos.length} photos cannot be printed. Try again, or go on without them.`
  session.change(withError, only ?? many)
  return true
}

async function continueToProducts(session: Session): Promise<void> {
  const count = session.order()?.photos.length ?? 0
  session.setBusy('upload', 100, count > 1 ? 'Images uploaded' : 'Image uploaded')
  toast({ title: 'Image Uploaded', description: `${countOf(count, 'photo')} ready for printing` })
  await pause(NEXT_STEP_MS, session.signal)
  // Before the step begins, which has work of its own.
  session.setBusy(null)
  if (session.order()?.step === 'upload') session.change(goTo, 'products')
}

/** Continues with the photos that are ready. */
export function continueWithoutFailed(): void {
  for (const { id, failure } of draft.get()?.photos ?? []) if (failure !== null) change(removePhoto, id)
  change(goTo, 'products')
}

let making = new AbortController()

/** Has the files of the prints made while the user goes on. Submitting waits for them, and shows what failed. */
export function makeFilesInBackground(): void {
  const session = currentSession()
  const order = session.order()
  if (!order) return
  making.abort()
  making = new AbortController()
  makePrintFiles(order, AbortSignal.any([making.signal, session.signal])).catch(() => {})
}

/** Waits for the files of the order; false when one cannot be made, which the banner says. */
export async function filesAreReady(session: Session, order: WizardState): Promise<boolean> {
  making.abort()
  const stall = stallGuard(FILES_STALL_MS)
  const signal = AbortSignal.any([session.signal, stall.signal])
  try {
    const failures = await makePrintFiles(order, signal, (done, total) => {
      stall.progress()
      if (total > 0) session.setBusy('prepare', (done / total) * 80, `Preparing your photos: ${done} of ${total}`)
    })
    if (failures.length === 0) return !session.signal.aborted
    session.change(withError, failures.join(' '))
    return false
  } finally {
    stall.stop()
  }
}

/** Has the files of the order made; repeating it costs little. Resolves to what went wrong. */
async function makePrintFiles(
  order: WizardState,
  signal: AbortSignal,
  onProgress: (done: number, total: number) => void = () => {},
): Promise<string[]> {
  const files = printFilesOf(order)
  const failures: string[] = []
  let done = 0
  onProgress(done, files.length)
  await prepareAll(files, DEPS, signal, (images) => {
    for (const { photoId, status, message } of images) {
      if (status !== 'failed') continue
      const title = order.photos.find(({ id }) => id === photoId)?.title ?? 'A photo'
      failures.push(`${title}: ${message ?? 'It could not be prepared for printing.'}`)
    }
    done += images.length
    onProgress(done, files.length)
  })
  return failures
}

/** Aborts work that makes no progress for this time. */
function stallGuard(ms: number) {
  const controller = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  const progress = () => {
    clearTimeout(timer)
    timer = setTimeout(() => controller.abort(new Error('The work shows no progress')), ms)
  }
  progress()
  return { signal: controller.signal, progress, stop: () => clearTimeout(timer) }
}

/** While a photo is rendered the server is asked again after this time at the earliest. */
const ASK_AGAIN_MS = 500
/** Files that are read or sent at the same time. */
const AT_ONCE = 4
const IMAGE_TIMEOUT_MS = 25_000

export const NOT_LOADED = 'Failed to load image for validation'
export const NOT_FETCHED = 'Failed to fetch photo from server'
const NOT_UPLOADED = 'Failed to upload image to Walgreens'

export interface UploadDeps {
  prepare(images: PrintImageRequest[], signal: AbortSignal): Promise<PrintImage[]>
  fetchFile(path: string): Promise<Blob>
  upload(photoId: number, file: Blob, signal: AbortSignal): Promise<UploadedPrintImage>
  /** Loads an image in the browser. */
  measure(source: string | Blob): Promise<Dimensions>
  pause(ms: number, signal: AbortSignal): Promise<void>
}

interface UploadReport {
  validating(): void
  uploading(done: number): void
  ready(photoId: number, picture: Picture): void
  failed(photoId: number, reason: string): void
}

/** A photo that cannot be printed; the others can. */
class PhotoFailure extends Error {}

/**
 * Validates photos in the browser and has them stored for printing: the user's own are rendered from their originals,
 * others are sent. A failure of one photo is reported and does not stop the others.
 * @throws the error of a request that concerns all of them
 */
export async function uploadPhotos(
  photos: readonly WizardPhoto[],
  deps: UploadDeps,
  report: UploadReport,
  signal: AbortSignal,
): Promise<void> {
  let done = 0

  async function settle(photoId: number, work: () => Promise<Picture>): Promise<void> {
    const result = await work().catch((error: unknown) => {
      if (error instanceof PhotoFailure) return error.message
      // It concerns all photos.
      throw error
    })
    signal.throwIfAborted()
    if (typeof result === 'string') report.failed(photoId, result)
    else report.ready(photoId, result)
    done += 1
    report.uploading(done)
  }

  report.validating()
  const own = photos.filter((photo) => photo.own)
  const broken = await notDisplayed(own, deps)
  report.uploading(done)
  for (const { id } of broken) await settle(id, () => Promise.reject(new PhotoFailure(NOT_LOADED)))
  const others = photos.filter((photo) => !photo.own)
  await inParallel(others, (photo) => settle(photo.id, () => sendFile(photo, deps, signal)))
  const images = own.filter((photo) => !broken.has(photo)).map(({ id }) => ({ photoId: id }))
  await prepareAll(images, deps, signal, (settled) =>
    inParallel(settled, (image) => settle(image.photoId, () => toPicture(image, deps))),
  )
}

/** The photos that the browser cannot display; some it can only display once they are rendered. */
async function notDisplayed(photos: readonly WizardPhoto[], deps: UploadDeps): Promise<Set<WizardPhoto>> {
  const failed = new Set<WizardPhoto>()
  await inParallel(photos, async (photo) => {
    if (photo.thumbnailUrl) await deps.measure(photo.thumbnailUrl).catch(() => failed.add(photo))
  })
  return failed
}

/** Repeats the preparation until no image is rendering; reports each image once. */
async function prepareAll(
  images: readonly PrintImageRequest[],
  deps: Pick<UploadDeps, 'prepare' | 'pause'>,
  signal: AbortSignal,
  onSettled: (images: PrintImage[]) => Promise<void> | void,
): Promise<void> {
  let waiting = [...images]
  while (waiting.length > 0) {
    const answers = await deps.prepare(waiting, signal)
    await onSettled(answers.filter(({ status }) => status !== 'rendering'))
    waiting = waiting.filter((_, index) => answers[index]?.status === 'rendering')
    if (waiting.length > 0) await deps.pause(ASK_AGAIN_MS, signal)
  }
}

/** The proof of an own photo, once the browser has loaded it. */
async function toPicture(image: PrintImage, deps: UploadDeps): Promise<Picture> {
  if (image.status !== 'ready' || image.url === null) throw new PhotoFailure(image.message ?? NOT_UPLOADED)
  const src = pathOf(image.url)
  const { width, height } = await measured(src, deps)
  const [sourceWidth, sourceHeight] = [image.sourceWidth ?? width, image.sourceHeight ?? height]
  return { src, uploadedUrl: null, width, height, sourceWidth, sourceHeight }
}

/** Sends a photo that is not the user's own. */
async function sendFile(photo: WizardPhoto, deps: UploadDeps, signal: AbortSignal): Promise<Picture> {
  const file = await deps.fetchFile(photo.fileUrl).catch((error: unknown) => {
    throw concernsSession(error) ? error : new PhotoFailure(NOT_FETCHED)
  })
  const { width, height } = await measured(file, deps)
  const stored = await deps.upload(photo.id, file, signal).catch((error: unknown) => {
    // Another photo may be accepted.
    const own = error instanceof ApiError && [400, 404, 413, 415, 422].includes(error.status)
    throw own ? new PhotoFailure(errorMessage(error, NOT_UPLOADED)) : error
  })
  const source = { sourceWidth: stored.width, sourceHeight: stored.height }
  return { src: pathOf(stored.url), uploadedUrl: stored.url, width, height, ...source }
}

function measured(source: string | Blob, deps: UploadDeps): Promise<Dimensions> {
  return deps.measure(source).catch(() => {
    throw new PhotoFailure(NOT_LOADED)
  })
}

/** Images are shown from the page's own origin. */
function pathOf(url: string): string {
  return new URL(url, 'http://localhost').pathname
}

/** Loads an image as the browser does; rejects when it cannot be displayed. */
function measureImage(source: string | Blob): Promise<Dimensions> {
  const image = new Image()
  const loaded = new Promise<Dimensions>((resolve, reject) => {
    image.onload = () => resolve({ width: image.naturalWidth, height: image.naturalHeight })
    image.onerror = () => reject(new Error('The image could not be loaded'))
    setTimeout(reject, IMAGE_TIMEOUT_MS, new Error('The image took too long'))
  })
  image.src = typeof source === 'string' ? source : URL.createObjectURL(source)
  return loaded.finally(() => {
    if (typeof source !== 'string') URL.revokeObjectURL(image.src)
  })
}

/** Waits; rejects at once when the signal aborts. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason)
    setTimeout(resolve, ms)
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}

async function inParallel<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const queue = [...items]
  const run = async () => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) await work(item)
  }
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, items.length) }, run))
}
