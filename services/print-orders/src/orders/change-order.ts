import type { Transaction } from '../database.ts'
import { type OrderWithItems, publishOrderChanged, publishOrderSubmitted } from './order-events.ts'
import { isListed, isOpen, mayFollow, type OrderStatus } from './status-order.ts'

/** What may change together with the status. */
export interface OrderChange {
  vendorOrderId?: string
  rejection?: string
}

interface LockedOrder {
  id: number
  status: OrderStatus
  vendorOrderId: string | null
  /** The time of the database. */
  now: Date
}

const items = { orderBy: { position: 'asc' } } as const

/** Reads an order and locks it until the transaction ends; null if there is none. */
export async function lockOrder(tx: Transaction, id: number): Promise<OrderWithItems | null> {
  await tx.$queryRaw`SELECT FROM walgreens_orders WHERE id = ${id} FOR NO KEY UPDATE`
  return tx.order.findUnique({ where: { id }, include: { items } })
}

/**
 * Gives an order another status, with its history and its events. Returns the changed order, or null when the order no
 * longer exists or its status does not lead there: an order never goes backwards.
 */
export async function applyStatus(
  tx: Transaction,
  { id }: { id: number },
  status: OrderStatus,
  note: string | null = null,
  change: OrderChange = {},
): Promise<OrderWithItems | null> {
  const [changed] = await changeStatuses(tx, new Map([[id, status]]), note, change)
  return changed ?? null
}

/** The same for very many orders at once, given as their ids with the new status. Returns those that changed. */
export async function changeStatuses(
  tx: Transaction,
  statuses: Map<number, OrderStatus>,
  note: string | null = null,
  change: OrderChange = {},
): Promise<OrderWithItems[]> {
  const nextOf = ({ id }: LockedOrder) => statuses.get(id) as OrderStatus
  const locked = await lockStatuses(tx, [...statuses.keys()])
  const leading = locked.filter((order) => mayFollow(order.status, nextOf(order)))
  const changed: OrderWithItems[] = []
  for (const [status, orders] of Map.groupBy(leading, nextOf)) {
    changed.push(...(await writeStatus(tx, orders, status, note, change)))
  }
  return changed
}

/** Raises the revision of a locked order whose items have changed, and publishes it where users see it. */
export async function publishChange(tx: Transaction, id: number): Promise<void> {
  await tx.$executeRaw`UPDATE walgreens_orders SET revision = revision + 1, updated_at = now() WHERE id = ${id}`
  const order = await tx.order.findUniqueOrThrow({ where: { id }, include: { items } })
  if (isListed(order.orderStatus as OrderStatus)) await publishOrderChanged(tx, order)
}

/** In the order of the ids, as everywhere: two transactions with the same orders never wait for each other. */
function lockStatuses(tx: Transaction, ids: number[]): Promise<LockedOrder[]> {
  return tx.$queryRaw`
    SELECT id, order_status AS status, vendor_order_id AS "vendorOrderId", now() AS now FROM walgreens_orders
    WHERE id = ANY (${ids}) ORDER BY id FOR NO KEY UPDATE`
}

/** Writes the status of locked orders that may have it. */
async function writeStatus(
  tx: Transaction,
  locked: LockedOrder[],
  status: OrderStatus,
  note: string | null,
  change: OrderChange,
): Promise<OrderWithItems[]> {
  const [{ now } = { now: new Date() }] = locked
  const where = { id: { in: locked.map(({ id }) => id) } }
  const dueAt = isOpen(status) ? change.vendorOrderId !== undefined && { nextCheckAt: now } : { nextCheckAt: null }
  await tx.order.updateMany({
    where,
    data: { ...change, ...dueAt, orderStatus: status, claimedUntil: null, revision: { increment: 1 }, updatedAt: now },
  })
  await tx.orderHistory.createMany({ data: locked.map(({ id }) => ({ orderId: id, status, note, at: now })) })
  const changed = await tx.order.findMany({ where, include: { items }, orderBy: { id: 'asc' } })
  const unplaced = new Set(locked.flatMap(({ id, vendorOrderId }) => (vendorOrderId === null ? id : [])))
  for (const order of changed) {
    if (order.vendorOrderId !== null && unplaced.has(order.id)) await publishOrderSubmitted(tx, order)
  }
  if (isListed(status)) await publishOrderChanged(tx, ...changed)
  return changed
}
