import type { QueryClient } from '@tanstack/react-query'
import { preparePrintImages, readPhotoFile, uploadPrintImage } from '../../../api/print-orders.ts'
import { toast } from '../../../components/ui/toast.tsx'
import { countOf } from '../../../lib/format.ts'
import { printFilesOf } from '../order.ts'
import { measureImage, NOT_UPLOADED, pause, prepareAll, uploadPhotos } from '../upload-photos.ts'
import { changePhoto, goTo, type Picture, removePhoto, type WizardState, withError } from '../wizard-state.ts'
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
