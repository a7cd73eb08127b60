import type { QueryClient } from '@tanstack/react-query'
import {
  type PrintImage,
  type PrintImageRequest,
  preparePrintImages,
  readPhotoFile,
  readPhotos,
  uploadPrintImage,
} from '../../../api/print-orders.ts'
import { toast } from '../../../components/ui/toast.tsx'
import { countOf } from '../../../lib/format.ts'
import { ApiError, concernsSession, errorMessage } from '../../../lib/http.ts'
import type { Dimensions } from '../crop.ts'
import { printFilesOf } from '../order.ts'
import {
  changePhoto,
  goTo,
  type Picture,
  photosLoaded,
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

/** Reads the photos that the wizard was opened with. */
export async function loadPhotos(client: QueryClient): Promise<void> {
  await run(client, { busy: 'photos', failed: 'Photos could not be loaded' }, async (session, { wanted }) => {
    if (!wanted) return
    const known = new Map(wanted.photos?.map((photo) => [photo.id, photo]))
    const missing = wanted.photoIds.filter((id) => !known.has(id))
    for (const photo of await readPhotos(missing, session.signal)) known.set(photo.id, photo)
    session.change(
      photosLoaded,
      wanted.photoIds.flatMap((id) => known.get(id) ?? []),
    )
  })
}

/** Validates and uploads the photos that are not ready yet, and goes on when all are. */
export async function validateAndUpload(client: QueryClient): Promise<void> {
  const session = currentSession()
  let isUploaded = false
  await run(client, { busy: 'upload', failed: NOT_UPLOADED }, async (_, order) => {
    const waiting = order.photos.filter(({ picture }) => picture === null)
    for (const { id } of waiting) session.change(changePhoto, id, { failure: null })
    const stall = stallGuard(UPLOAD_STALL_MS)
    try {
      await uploadPhotos(session, waiting, stall)
    } catch (error) {
      if (!stall.signal.aborted) throw error
      return session.change(withError, STALLED)
    } finally {
      stall.stop()
    }
    if (showFailures(session)) return
    const count = session.order()?.photos.length ?? 0
    session.setBusy('upload', 100, count > 1 ? 'Images uploaded' : 'Image uploaded')
    toast({ title: 'Image Uploaded', description: `${countOf(count, 'photo')} ready for printing` })
    await pause(NEXT_STEP_MS, session.signal)
    isUploaded = true
  })
  // Not before this work has ended: the step begins with work of its own.
  if (isUploaded && session.order()?.step === 'upload') session.change(goTo, 'products')
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
  await prepareAll(files, signal, (images) => {
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

const NOT_LOADED = 'Failed to load image for validation'
const NOT_FETCHED = 'Failed to fetch photo from server'
const NOT_UPLOADED = 'Failed to upload image to Walgreens'

/** A photo that cannot be printed; the others can. */
class PhotoFailure extends Error {}

/**
 * Validates photos in the browser and has them stored for printing: the user's own are rendered from their originals,
 * others are sent. A failure of one photo is reported and does not stop the others.
 * @throws the error of a request that concerns all of them
 */
async function uploadPhotos(
  session: Session,
  photos: readonly WizardPhoto[],
  stall: ReturnType<typeof stallGuard>,
): Promise<void> {
  const signal = AbortSignal.any([session.signal, stall.signal])
  const images = photos.length > 1 ? 'images' : 'image'
  let done = 0

  function showProgress(): void {
    stall.progress()
    const count = photos.length > 1 ? ` (${done} of ${photos.length})` : ''
    session.setBusy('upload', 50, `Uploading ${images}...${count}`)
  }

  async function settle(photoId: number, work: () => Promise<Picture>): Promise<void> {
    const result = await work().catch((error: unknown) => {
      if (error instanceof PhotoFailure) return error.message
      // It concerns all photos.
      throw error
    })
    signal.throwIfAborted()
    const isFailure = typeof result === 'string'
    const change = { picture: isFailure ? null : result, failure: isFailure ? result : null }
    session.change(changePhoto, photoId, change)
    done += 1
    showProgress()
  }

  session.setBusy('upload', 10, `Validating ${images}...`)
  const own = photos.filter((photo) => photo.own)
  const broken = await notDisplayed(own)
  showProgress()
  for (const { id } of broken) await settle(id, () => Promise.reject(new PhotoFailure(NOT_LOADED)))
  const others = photos.filter((photo) => !photo.own)
  await inParallel(others, (photo) => settle(photo.id, () => sendFile(photo, signal)))
  const proofs = own.filter((photo) => !broken.has(photo)).map(({ id }) => ({ photoId: id }))
  await prepareAll(proofs, signal, (settled) =>
    inParallel(settled, (image) => settle(image.photoId, () => toPicture(image))),
  )
}

/** The photos that the browser cannot display; some it can only display once they are rendered. */
async function notDisplayed(photos: readonly WizardPhoto[]): Promise<Set<WizardPhoto>> {
  const failed = new Set<WizardPhoto>()
  await inParallel(photos, async (photo) => {
    if (photo.thumbnailUrl) await measure(photo.thumbnailUrl).catch(() => failed.add(photo))
  })
  return failed
}

/** Repeats the preparation until no image is rendering; reports each image once. */
async function prepareAll(
  images: readonly PrintImageRequest[],
  signal: AbortSignal,
  onSettled: (images: PrintImage[]) => Promise<void> | void,
): Promise<void> {
  let waiting = [...images]
  while (waiting.length > 0) {
    const answers = await preparePrintImages(waiting, signal)
    await onSettled(answers.filter(({ status }) => status !== 'rendering'))
    waiting = waiting.filter((_, index) => answers[index]?.status === 'rendering')
    if (waiting.length > 0) await pause(ASK_AGAIN_MS, signal)
  }
}

/** The proof of an own photo, once the browser has loaded it. */
async function toPicture(image: PrintImage): Promise<Picture> {
  if (image.status !== 'ready' || image.url === null) throw new PhotoFailure(image.message ?? NOT_UPLOADED)
  const src = pathOf(image.url)
  const { width, height } = await measure(src)
  const [sourceWidth, sourceHeight] = [image.sourceWidth ?? width, image.sourceHeight ?? height]
  return { src, uploadedUrl: null, width, height, sourceWidth, sourceHeight }
}

/** Sends a photo that is not the user's own. */
async function sendFile(photo: WizardPhoto, signal: AbortSignal): Promise<Picture> {
  const file = await readPhotoFile(photo.fileUrl).catch((error: unknown) => {
    throw concernsSession(error) ? error : new PhotoFailure(NOT_FETCHED)
  })
  const { width, height } = await measure(file)
  const stored = await uploadPrintImage(photo.id, file, signal).catch((error: unknown) => {
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

/** Loads an image as the browser does. @throws PhotoFailure when it cannot be displayed */
function measure(source: string | Blob): Promise<Dimensions> {
  const image = new Image()
  const loaded = new Promise<Dimensions>((resolve, reject) => {
    const fail = () => reject(new PhotoFailure(NOT_LOADED))
    image.onload = () => resolve({ width: image.naturalWidth, height: image.naturalHeight })
    image.onerror = fail
    setTimeout(fail, IMAGE_TIMEOUT_MS)
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
