import type { SqlTransaction } from '@skyfolio/kit'
import { readUsedBytes } from '../usage/quota.ts'
import type { StoredOriginal } from './store-original.ts'

/**
 * Selects the originals that fit into the quota, in their order; a small one may follow one that is too large. The caller
 * holds the lock of the user's uploads. `used` counts the selected ones.
 */
export async function selectFitting(
  tx: SqlTransaction,
  userId: number,
  limit: number | null,
  originals: StoredOriginal[],
): Promise<{ fitting: StoredOriginal[]; used: number }> {
  if (limit === null || originals.length === 0) return { fitting: originals, used: 0 }
  let used = await readUsedBytes(tx, userId)
  const fitting = originals.filter(({ filesize }) => {
    const fits = used + filesize <= limit
    if (fits) used += filesize
    return fits
  })
  return { fitting, used }
}
