import { type ObjectStore, unavailable } from '@skyfolio/kit'
import type { Transaction } from '../database.ts'
import { hasOriginal, originalKey } from '../files/object-keys.ts'
import type { StoredOriginal } from './store-original.ts'

/**
 * Claims stored originals for photos of this transaction: cancels their pending removals and checks that the objects
 * still exist. A removal that is scheduled later finds the photo before it removes the object.
 * @throws AppError 503 when an original was removed already
 */
export async function claimOriginals(tx: Transaction, store: ObjectStore, originals: StoredOriginal[]): Promise<void> {
  const keys = originals.map(({ filename }) => originalKey(filename))
  await tx.objectRemoval.deleteMany({ where: { key: { in: keys } } })
  const exist = await Promise.all(originals.map((original) => hasOriginal(store, original)))
  if (exist.includes(false)) throw unavailable('The upload took too long. Please try again.')
}
