import type { PrintImage, PrintImageRequest, UploadedPrintImage } from '../../api/print-types.ts'
import { ApiError, concernsSession, errorMessage } from '../../lib/http.ts'
import type { Dimensions } from './crop.ts'
import type { Picture, WizardPhoto } from './wizard-state.ts'

/** While a photo is rendered the server is asked again after this time at the earliest. */
const ASK_AGAIN_MS = 500
/** Files that are read or sent at the same time. */
const AT_ONCE = 4
const IMAGE_TIMEOUT_MS = 25_000

export const NOT_LOADED = 'Failed to load image for validation'
export const NOT_FETCHED = 'Failed to fetch photo from server'
export const NOT_UPLOADED = 'Failed to upload image to Walgreens'

export interface UploadDeps {
  prepare(images: PrintImageRequest[], signal: AbortSignal): Promise<PrintImage[]>
  fetchFile(path: string): Promise<Blob>
  upload(photoId: number, file: Blob, signal: AbortSignal): Promise<UploadedPrintImage>
  /** Loads an image in the browser. */
  measure(source: string | Blob): Promise<Dimensions>
  pause(ms: number, signal: AbortSignal): Promise<void>
}

export interface UploadReport {
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

  async function settle(photoId: number, work: Promise<Picture>): Promise<void> {
    const result = await work.catch(failureOf)
    signal.throwIfAborted()
    if (typeof result === 'string') report.failed(photoId, result)
    else report.ready(photoId, result)
    done += 1
    report.uploading(done)
  }

  report.validating()
  const own = photos.filter((photo) => photo.own)
  const displayed = await onlyDisplayed(own, deps)
  report.uploading(done)
  for (const photo of own) {
    if (!displayed.includes(photo)) await settle(photo.id, Promise.reject(new PhotoFailure(NOT_LOADED)))
  }
  const others = photos.filter((photo) => !photo.own)
  await inParallel(others, (photo) => settle(photo.id, sendFile(photo, deps, signal)))
  const images = displayed.map(({ id }) => ({ photoId: id }))
  await prepareAll(images, deps, signal, (settled) =>
    inParallel(settled, (image) => settle(image.photoId, toPicture(image, deps))),
  )
}

/** The reason of a photo's failure; other errors concern all photos. */
function failureOf(error: unknown): string {
  if (error instanceof PhotoFailure) return error.message
  throw error
}

/** The photos that the browser displays, and those that it can only display once they are rendered. */
async function onlyDisplayed(photos: readonly WizardPhoto[], deps: UploadDeps): Promise<WizardPhoto[]> {
  const failed = new Set<WizardPhoto>()
  await inParallel(photos, async (photo) => {
    if (photo.thumbnailUrl) await deps.measure(photo.thumbnailUrl).catch(() => failed.add(photo))
  })
  return photos.filter((photo) => !failed.has(photo))
}

/** Repeats the preparation until no image is rendering; reports each image once. */
export async function prepareAll(
  images: readonly PrintImageRequest[],
  deps: Pick<UploadDeps, 'prepare' | 'pause'>,
  signal: AbortSignal,
  onSettled: (images: PrintImage[], requests: PrintImageRequest[]) => Promise<void> | void,
): Promise<void> {
  let waiting = [...images]
  while (waiting.length > 0) {
    const answers = await deps.prepare(waiting, signal)
    const isSettled = (_: unknown, index: number) => answers[index]?.status !== 'rendering'
    await onSettled(answers.filter(isSettled), waiting.filter(isSettled))
    waiting = waiting.filter((_, index) => answers[index]?.status === 'rendering')
    if (waiting.length > 0) await deps.pause(ASK_AGAIN_MS, signal)
  }
}

/** The proof of an own photo, once the browser has loaded it. */
async function toPicture(image: PrintImage, deps: UploadDeps): Promise<Picture> {
  if (image.status !== 'ready' || image.url === null) throw new PhotoFailure(image.message ?? NOT_UPLOADED)
  const src = pathOf(image.url)
  const { width, height } = await deps.measure(src).catch(() => {
    throw new PhotoFailure(NOT_LOADED)
  })
  const [sourceWidth, sourceHeight] = [image.sourceWidth ?? width, image.sourceHeight ?? height]
  return { src, uploadedUrl: null, width, height, sourceWidth, sourceHeight }
}

/** Sends a photo that is not the user's own. */
async function sendFile(photo: WizardPhoto, deps: UploadDeps, signal: AbortSignal): Promise<Picture> {
  const file = await deps.fetchFile(photo.fileUrl).catch((error: unknown) => {
    throw concernsSession(error) ? error : new PhotoFailure(NOT_FETCHED)
  })
  const { width, height } = await deps.measure(file).catch(() => {
    throw new PhotoFailure(NOT_LOADED)
  })
  const stored = await deps.upload(photo.id, file, signal).catch((error: unknown) => {
    // Another photo may be accepted.
    const own = error instanceof ApiError && [400, 404, 413, 415, 422].includes(error.status)
    throw own ? new PhotoFailure(errorMessage(error, NOT_UPLOADED)) : error
  })
  const source = { sourceWidth: stored.width, sourceHeight: stored.height }
  return { src: pathOf(stored.url), uploadedUrl: stored.url, width, height, ...source }
}

/** Images are shown from the page's own origin. */
function pathOf(url: string): string {
  return new URL(url, 'http://localhost').pathname
}

/** Loads an image as the browser does; rejects when it cannot be displayed. */
export function measureImage(source: string | Blob): Promise<Dimensions> {
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
