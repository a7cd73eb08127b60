import { AppError, isStorageFull, type ObjectStore, type SqlTransaction, unavailable } from '@skyfolio/kit'
import { hasOriginal, originalKey } from '../files/object-keys.ts'
import { GRACE_SECONDS, type ObjectRemovalDeps, scheduleRemovals, unusedObjects } from '../files/object-removals.ts'
import { discardOriginals, type StoredOriginal } from './store-original.ts'

/**
 * Keeps stored originals for photos of this transaction: cancels their pending removals and checks that the objects
 * still exist. A removal that is scheduled later finds the photo before it removes the object. Originals whose SHA-256 is
 * not verified are kept by their upload sessions until then.
 * @throws AppError 503 when an original was removed already
 */
export async function keepOriginals(
  tx: SqlTransaction,
  store: ObjectStore,
  originals: StoredOriginal[],
): Promise<void> {
  const ownerless = originals.filter(({ sha256Verified }) => sha256Verified)
  const keys = ownerless.map(({ filename }) => originalKey(filename))
  if (keys.length === 0) return
  await tx.$executeRawUnsafe('DELETE FROM object_removals WHERE key = ANY ($1::text[])', keys)
  const exist = await Promise.all(ownerless.map((original) => hasOriginal(store, original)))
  if (exist.includes(false)) throw unavailable('The upload took too long. Please try again.')
}

/**
 * Saves an upload. When it is rejected, its originals go, but for those that upload sessions keep. When its outcome is unknown,
 * they go a minute later unless a row has them by then; without the database the sweep does that.
 */
export async function orDiscard<T>(
  deps: ObjectRemovalDeps,
  userId: number,
  originals: StoredOriginal[],
  save: () => Promise<T>,
): Promise<T> {
  try {
    return await save()
  } catch (error) {
    const names = originals.filter(({ sha256Verified }) => sha256Verified).map(({ filename }) => filename)
    const objects = unusedObjects(userId, names.map(originalKey))
    if (error instanceof AppError) await scheduleRemovals(deps.db, objects)
    // A database without room has rolled back, and could not note a removal.
    else if (isStorageFull(error)) await discardOriginals(deps, names)
    else {
      // The response does not wait for a database that may be away.
      scheduleRemovals(deps.db, objects, GRACE_SECONDS).catch((err) =>
        deps.logger.warn({ err, names }, 'removal of an upload could not be scheduled, left to the sweep'),
      )
    }
    throw error
  }
}
