import type { Database } from '../database.ts'
import { publishChanged } from '../events.ts'

const BATCH = 500

/** Publishes every photo again, so that projections can be rebuilt. Returns the number of photos. */
export async function republishPhotos(db: Database): Promise<number> {
  let after = 0
  let count = 0
  for (;;) {
    const photos = await db.$transaction(async (tx) => {
      const batch = await tx.photo.findMany({ where: { id: { gt: after } }, orderBy: { id: 'asc' }, take: BATCH })
      await publishChanged(tx, ...batch)
      return batch
    })
    count += photos.length
    if (photos.length < BATCH) return count
    after = photos.at(-1)?.id ?? after
  }
}
