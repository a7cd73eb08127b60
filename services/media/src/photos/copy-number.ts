import type { Transaction } from '../database.ts'

/** The next free number among the user's photos with this SHA-256. The caller holds the lock of the user's uploads. */
export async function nextCopyNumber(tx: Transaction, userId: number, sha256: string): Promise<number> {
  const { _max } = await tx.photo.aggregate({
    where: { userId, sha256, purpose: 'gallery' },
    _max: { copyNumber: true },
  })
  return _max.copyNumber === null ? 0 : _max.copyNumber + 1
}
