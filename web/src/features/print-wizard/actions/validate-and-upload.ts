import type { QueryClient } from '@tanstack/react-query'
import { preparePrintImages, readPhotoFile, uploadPrintImage } from '../../../api/print-orders.ts'
import { toast } from '../../../components/ui/toast.tsx'
import { countOf } from '../../../lib/format.ts'
import { measureImage, pause } from '../browser.ts'
import { NO_PHOTO, NOT_UPLOADED, type UploadReport, uploadPhotos } from '../upload-photos.ts'
import { goTo, photoFailed, photoReady, removePhoto, withError } from '../wizard-state.ts'
import { activity, change, currentOrder, setBusy } from '../wizard-store.ts'
import { reportError } from './report-error.ts'

/** The next step follows the upload after this time. */
const NEXT_STEP_MS = 1_000
/** An upload that shows no progress for this time is given up. */
const SAFETY_RESET_MS = 30_000
const VALIDATING = 10
const UPLOADING = 50
const DONE = 100

const DEPS = {
  prepare: preparePrintImages,
  fetchFile: readPhotoFile,
  upload: uploadPrintImage,
  measure: measureImage,
  pause,
}

/** Validates and uploads the photos that are not ready yet, and goes on when all are. */
export async function validateAndUpload(client: QueryClient): Promise<void> {
  const order = currentOrder()
  if (!order || activity.get().busy) return
  if (order.photos.length === 0) return change(withError, NO_PHOTO)
  change(withError, null)
  const waiting = order.photos.filter(({ picture }) => picture === null)
  const safety = safetyReset()
  try {
    const deps = { ...DEPS, prepare: safety.watch(DEPS.prepare) }
    await uploadPhotos(waiting, deps, reportTo(waiting.length, safety.restart), safety.signal)
    if (waiting.length === 0 || !showFailures()) await continueToProducts()
  } catch (error) {
    if (safety.signal.aborted) change(withError, 'The upload took too long. Please try again.')
    else reportError(client, error, NOT_UPLOADED)
  } finally {
    safety.stop()
    setBusy(null)
  }
}

/** Continues with the photos that are ready. */
export function continueWithoutFailed(): void {
  for (const { id, failure } of currentOrder()?.photos ?? []) if (failure !== null) change(removePhoto, id)
  change(goTo, 'products')
}

function reportTo(total: number, onProgress: () => void): UploadReport {
  const many = (done: number) => (total > 1 ? ` (${done} of ${total})` : '')
  return {
    validating() {
      setBusy('upload', VALIDATING, total > 1 ? 'Validating images...' : 'Validating image...')
    },
    uploading(done) {
      onProgress()
      setBusy('upload', UPLOADING, `${total > 1 ? 'Uploading images' : 'Uploading image'}...${many(done)}`)
    },
    ready: (id, picture) => change(photoReady, id, picture),
    failed: (id, reason) => change(photoFailed, id, reason),
  }
}

/** True when photos failed: the user decides how to go on. */
function showFailures(): boolean {
  const photos = currentOrder()?.photos ?? []
  const failed = photos.filter(({ failure }) => failure !== null)
  if (failed.length === 0) return false
  const only = photos.length === 1 ? failed[0]?.failure : null
  change(
    withError,
    only ?? `${failed.length} of ${photos.length} photos cannot be printed. Try again, or go on without them.`,
  )
  return true
}

async function continueToProducts(): Promise<void> {
  const order = currentOrder()
  if (!order) return
  const count = order.photos.length
  setBusy('upload', DONE, count > 1 ? 'Images uploaded' : 'Image uploaded')
  toast({ title: 'Image Uploaded', description: `${countOf(count, 'photo')} ready for printing` })
  await pause(NEXT_STEP_MS, new AbortController().signal)
  setBusy(null)
  if (currentOrder()?.step === 'upload') change(goTo, 'products')
}

/** Aborts an upload that shows no progress. */
function safetyReset() {
  const controller = new AbortController()
  const abort = () => controller.abort(new Error('The upload shows no progress'))
  let timer = setTimeout(abort, SAFETY_RESET_MS)

  function restart(): void {
    clearTimeout(timer)
    timer = setTimeout(abort, SAFETY_RESET_MS)
  }

  return {
    signal: controller.signal,
    restart,
    stop: () => clearTimeout(timer),
    /** Counts each response as progress: rendering a large photo takes its time. */
    watch<Args extends unknown[], T>(call: (...args: Args) => Promise<T>): (...args: Args) => Promise<T> {
      return async (...args) => {
        const result = await call(...args)
        restart()
        return result
      }
    },
  }
}
