import type { Database } from '../database.ts'
import { publishChanged } from '../events.ts'
import type { Photo } from '../generated/client.ts'
import { forgetFailedUploads } from './failed-uploads.ts'
import { lockOwnPhotos } from './locks.ts'
import { waitingForProcessing } from './status.ts'

/** Restarts the processing of the user's photos among these, unless they wait for it anyway. Returns all of them. */
export async function reprocessPhotos(db: Database, ids: number[], userId: number): Promise<Photo[]> {
  return db.$transaction(async (tx) => {
    const own = await lockOwnPhotos(tx, ids, userId)
    const processed = own.filter((photo) => photo.status !== 'processing').map(({ id }) => id)
    // The owner looks at them: failures are not reported.
    const data = { ...waitingForProcessing(), reportFailure: false, revision: { increment: 1 } }
    const restarted = await tx.photo.updateManyAndReturn({ where: { id: { in: processed } }, data })
    await forgetFailedUploads(tx, userId, processed)
    await publishChanged(tx, ...restarted)
    return own.map((photo) => restarted.find(({ id }) => id === photo.id) ?? photo)
  })
}
