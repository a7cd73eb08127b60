import { metrics } from '@skyfolio/kit'
import type { Database, Transaction } from '../database.ts'
import { publishChanged } from '../events.ts'
import type { Photo } from '../generated/client.ts'
import { NEXT_RUN } from '../jobs/job-rows.ts'
import { forgetFailedUploads } from './failed-uploads.ts'
import { lockGalleryPhotos } from './locks.ts'

/** Columns of a photo that waits for processing as if it were new. Its renditions stay until new ones replace them. */
export const waitingForProcessing = () => ({ status: 'processing', ...NEXT_RUN, requestedAt: new Date() }) as const

/** Columns of a photo whose original is not the file that the client announced. */
export const WRONG_FILE = {
  status: 'failed',
  statusMessage:
    'This is not the file that was announced: it changed while it was being uploaded. Delete this photo and choose the file again.',
} as const

/** Columns of a photo whose original is not in the object store. */
export const ORIGINAL_MISSING = { status: 'failed', statusMessage: 'The original file is missing.' } as const

/** `right` and `wrong` are counted by the worker, `taken_over` by the API. */
export const hashClaims = metrics.counter(
  'skyfolio_upload_claims_total',
  'SHA-256 hashes declared for files in parts, by outcome: right, wrong, or taken over by a form upload of the file',
  ['outcome'],
)
// From the start, so that the alert sees the first wrong one.
for (const outcome of ['right', 'wrong', 'taken_over']) hashClaims.inc({ outcome }, 0)

/** The next free number among the user's photos with this SHA-256. The caller holds the lock of the user's uploads. */
export async function nextCopyNumber(tx: Transaction, userId: number, sha256: string): Promise<number> {
  const where = { userId, sha256, purpose: { not: 'metadata' } }
  const { _max } = await tx.photo.aggregate({ where, _max: { copyNumber: true } })
  return _max.copyNumber === null ? 0 : _max.copyNumber + 1
}

/** Restarts the processing of the user's photos among these, unless they wait for it anyway. Returns all of them. */
export async function reprocessPhotos(db: Database, ids: number[], userId: number): Promise<Photo[]> {
  return db.$transaction(async (tx) => {
    const own = await lockGalleryPhotos(tx, ids, userId)
    const named = own.filter(({ id }) => ids.includes(id))
    const processed = named.filter((photo) => photo.status !== 'processing').map(({ id }) => id)
    // The owner looks at them: failures are not reported.
    const data = { ...waitingForProcessing(), reportFailure: false, revision: { increment: 1 } }
    const restarted = await tx.photo.updateManyAndReturn({ where: { id: { in: processed } }, data })
    await forgetFailedUploads(tx, userId, processed)
    await publishChanged(tx, ...restarted)
    return named.map((photo) => restarted.find(({ id }) => id === photo.id) ?? photo)
  })
}
