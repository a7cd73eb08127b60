import type { Photo } from '@skyfolio/proto'
import type { Transaction } from '../database.ts'
import { lockOrder, publishChange } from '../orders/change-order.ts'

interface PhotoRow {
  id: number
  revision: number
  deleted: boolean
  userId: number
  title: string
}

/** Stores owner and title of a photo unless a newer revision is stored. */
export async function savePhoto(
  tx: Transaction,
  { id, userId, title }: Pick<Photo, 'id' | 'userId' | 'title'>,
  revision: number,
): Promise<void> {
  await save(tx, { id, revision, deleted: false, userId, title })
}

/** Replaces a photo by a tombstone. Returns false if this or a newer revision is stored already. */
export function tombstonePhoto(tx: Transaction, id: number, userId: number, revision: number): Promise<boolean> {
  return save(tx, { id, revision, deleted: true, userId, title: '' })
}

/**
 * A revision identifies a state: a row that differs at the same revision is damaged and is corrected. A photo with an event is
 * no longer in doubt (see kit's events/commands.ts). Nothing of an erased user returns: only a tombstone without a title.
 */
async function save(tx: Transaction, { id, revision, deleted, userId, title }: PhotoRow): Promise<boolean> {
  const stored = await tx.$executeRaw`
    WITH confirmed AS (DELETE FROM doubted_photos WHERE id = ${id}),
    state AS (
      SELECT erased OR ${deleted} AS deleted, CASE WHEN erased THEN '' ELSE ${title} END AS title
      FROM (SELECT EXISTS (SELECT FROM deleted_users WHERE user_id = ${userId}) AS erased) AS owner
    )
    INSERT INTO photos AS stored (id, revision, deleted, user_id, title)
    SELECT ${id}::int, ${revision}::int, deleted, ${userId}::int, title FROM state
    ON CONFLICT (id) DO UPDATE SET
      revision = excluded.revision, deleted = excluded.deleted, user_id = excluded.user_id, title = excluded.title
    WHERE stored.revision < excluded.revision
      OR (stored.revision = excluded.revision AND NOT stored.deleted
          AND (stored.deleted, stored.user_id, stored.title)
            IS DISTINCT FROM (excluded.deleted, excluded.user_id, excluded.title))`
  return stored > 0
}

/** Takes a deleted photo out of the orders that have it. They keep its title. */
export async function detachPhoto(tx: Transaction, photoId: number): Promise<void> {
  for (const orderId of await ordersOf(tx, { photoId })) {
    const order = await lockOrder(tx, orderId)
    if (!order) continue
    await tx.orderItem.updateMany({ where: { orderId, photoId }, data: { photoId: null } })
    await tx.order.updateMany({ where: { id: orderId, photoId }, data: { photoId: null } })
    await publishChange(tx, orderId)
  }
}

/** Orders that were claimed before the first event of their photo arrived get its title now. A tombstone has none. */
export async function addMissingTitle(tx: Transaction, photoId: number): Promise<void> {
  const photo = await tx.photo.findUnique({ where: { id: photoId } })
  const title = photo?.title
  if (!title) return
  const untitled = { photoId, photoTitle: null }
  for (const orderId of await ordersOf(tx, untitled)) {
    await lockOrder(tx, orderId)
    const { count } = await tx.orderItem.updateMany({ where: { orderId, ...untitled }, data: { photoTitle: title } })
    if (count > 0) await publishChange(tx, orderId)
  }
}

/** The orders that have such items, in the order in which all transactions lock them. */
async function ordersOf(tx: Transaction, where: { photoId: number; photoTitle?: null }): Promise<number[]> {
  const query = { where, distinct: ['orderId' as const], select: { orderId: true } }
  const items = await tx.orderItem.findMany({ ...query, orderBy: { orderId: 'asc' } })
  return items.map(({ orderId }) => orderId)
}
