import type { QueryClient } from '@tanstack/react-query'
import { preparePrintImages, readPhotoFile, uploadPrintImage } from '../../../api/print-orders.ts'
import { toast } from '../../../components/ui/toast.tsx'
import { countOf } from '../../../lib/format.ts'
import { measureImage, pause } from '../browser.ts'
import { removePhoto } from '../prints-state.ts'
import { type StallGuard, stallGuard } from '../stall-guard.ts'
import { NO_PHOTO, NOT_UPLOADED, type UploadReport, uploadPhotos } from '../upload-photos.ts'
import { goTo, photoFailed, photoReady, withError } from '../wizard-state.ts'
import { activity, change, currentOrder, currentSession, type Session } from '../wizard-store.ts'
import { reportError } from './report-error.ts'

/** The next step follows the upload after this time. */
const NEXT_STEP_MS = 1_000
/** An upload during which no photo is finished for this time is given up. */
const STALL_MS = 30_000
const STALLED = 'The photos could not be prepared in time. Please try again in a moment: finished photos are kept.'
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
  const session = currentSession()
  const order = session.order()
  if (!order || activity.get().busy) return
  if (order.photos.length === 0) return session.change(withError, NO_PHOTO)
  session.change(withError, null)
  const waiting = order.photos.filter(({ picture }) => picture === null)
  const stall = stallGuard(STALL_MS)
  const signal = AbortSignal.any([session.signal, stall.signal])
  try {
    await uploadPhotos(waiting, DEPS, reportTo(session, waiting.length, stall), signal)
    if (waiting.length === 0 || !showFailures(session)) await continueToProducts(session)
  } catch (error) {
    if (session.signal.aborted) return
    if (stall.signal.aborted) session.change(withError, STALLED)
    else reportError(client, session, error, NOT_UPLOADED)
  } finally {
    stall.stop()
    session.setBusy(null)
  }
}

/** Continues with the photos that are ready. */
export function continueWithoutFailed(): void {
  for (const { id, failure } of currentOrder()?.photos ?? []) if (failure !== null) change(removePhoto, id)
  change(goTo, 'products')
}

function reportTo({ setBusy, change }: Session, total: number, stall: StallGuard): UploadReport {
  const many = (done: number) => (total > 1 ? ` (${done} of ${total})` : '')
  return {
    validating() {
      setBusy('upload', VALIDATING, total > 1 ? 'Validating images...' : 'Validating image...')
    },
    uploading(done) {
      stall.progress()
      setBusy('upload', UPLOADING, `${total > 1 ? 'Uploading images' : 'Uploading image'}...${many(done)}`)
    },
    ready: (id, picture) => change(photoReady, id, picture),
    failed: (id, reason) => change(photoFailed, id, reason),
  }
}

/** True when photos failed: the user decides how to go on. */
function showFailures(session: Session): boolean {
  const photos = session.order()?.photos ?? []
  const failed = photos.filter(({ failure }) => failure !== null)
  if (failed.length === 0) return false
  const only = photos.length === 1 ? failed[0]?.failure : null
  session.change(
    withError,
    only ?? `${failed.length} of ${photos.length} photos cannot be printed. Try again, or go on without them.`,
  )
  return true
}

async function continueToProducts(session: Session): Promise<void> {
  const order = session.order()
  if (!order) return
  const count = order.photos.length
  session.setBusy('upload', DONE, count > 1 ? 'Images uploaded' : 'Image uploaded')
  toast({ title: 'Image Uploaded', description: `${countOf(count, 'photo')} ready for printing` })
  await pause(NEXT_STEP_MS, session.signal)
  session.setBusy(null)
  if (session.order()?.step === 'upload') session.change(goTo, 'products')
}
