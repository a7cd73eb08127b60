import type { Database } from '../database.ts'
import { scheduleRemovals } from '../files/object-removals.ts'
import type { PrintImage } from '../generated/client.ts'
import { unusedObjectsOf } from '../print-images/rows.ts'

/**
 * Deletes the user's print images once print-orders has erased the user: until then the partner may fetch them for an order.
 * Those that expire are swept anyway. One in rendering follows when that has ended, so that no image is stored after the
 * erasure.
 */
export async function erasePrintImages(db: Database, userId: number): Promise<'erased' | 'in rendering' | 'needed'> {
  return db.$transaction(async (tx) => {
    const isUnneeded = (await tx.erasedOrders.findUnique({ where: { userId } })) !== null
    if (isUnneeded) {
      const erased = await tx.$queryRaw<Pick<PrintImage, 'id' | 'source' | 'userId'>[]>`
        DELETE FROM print_images
        WHERE user_id = ${userId} AND (status <> 'rendering' OR starts = 0)
        RETURNING id, source, user_id AS "userId"`
      await scheduleRemovals(tx, erased.flatMap(unusedObjectsOf))
    }
    if ((await tx.printImage.count({ where: { userId } })) === 0) return 'erased'
    return isUnneeded ? 'in rendering' : 'needed'
  })
}
