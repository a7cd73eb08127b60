import type { Database } from '../database.ts'
import { publishOrderChanged } from './order-events.ts'

const PAGE_SIZE = 500

/**
 * Writes the state of every listed order to the outbox again, so that other services can rebuild their projections. Returns
 * their number. A relay publishes them.
 */
export async function republishOrders(db: Database): Promise<number> {
  let count = 0
  for (let after = 0; ; ) {
    const orders = await db.order.findMany({
      where: { id: { gt: after }, orderStatus: { notIn: ['claimed', 'rejected'] } },
      orderBy: { id: 'asc' },
      take: PAGE_SIZE,
      include: { items: { orderBy: { position: 'asc' } } },
    })
    const last = orders.at(-1)
    if (!last) return count
    await db.$transaction((tx) => publishOrderChanged(tx, ...orders))
    count += orders.length
    after = last.id
  }
}
