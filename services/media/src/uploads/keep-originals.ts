import { type ObjectStore, type SqlTransaction, unavailable } from '@skyfolio/kit'
import { hasOriginal, originalKey } from '../files/object-keys.ts'
import type { StoredOriginal } from './store-original.ts'

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
