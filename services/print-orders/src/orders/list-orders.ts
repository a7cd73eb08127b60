import { cursorInvalid, notFound } from '@skyfolio/kit'
import type { Database } from '../database.ts'
import type { OrderHistory } from '../generated/client.ts'
import type { OrderWithItems } from './order-events.ts'
import { isListed, type OrderStatus } from './status-order.ts'

const BATCH = 200
const items = { orderBy: { position: 'asc' } } as const
const listed = { orderStatus: { notIn: ['claimed', 'rejected'] satisfies OrderStatus[] as string[] } }

export interface OrderPage {
  orders: OrderWithItems[]
  /** Cursor of the next page; null on the last one. */
  next: string | null
}

export function countOrders(db: Database, userId: number): Promise<number> {
  return db.order.count({ where: { userId, ...listed } })
}

/** A page of the user's orders, newest first. @throws AppError 400 for an invalid cursor */
export async function listOrders(
  db: Database,
  userId: number,
  { limit, cursor }: { limit: number; cursor: string | null },
): Promise<OrderPage> {
  const before = cursor === null ? {} : { id: { lt: decodeCursor(cursor) } }
  const found = await db.order.findMany({
    where: { userId, ...listed, ...before },
    orderBy: { id: 'desc' },
    take: limit + 1,
    include: { items },
  })
  const orders = found.slice(0, limit)
  const last = orders.at(-1)
  return { orders, next: found.length > limit && last ? encodeCursor(last.id) : null }
}

/** All orders of the user, newest first, read in batches. */
export async function* eachOrder(db: Database, userId: number): AsyncGenerator<OrderWithItems> {
  let cursor: string | null = null
  do {
    const page: OrderPage = await listOrders(db, userId, { limit: BATCH, cursor })
    yield* page.orders
    cursor = page.next
  } while (cursor !== null)
}

/** An order with its history. @throws AppError 404 unless it is the viewer's or the viewer is an administrator */
export async function readOrder(
  db: Database,
  id: number,
  viewer: { userId: number; isAdmin: boolean },
): Promise<{ order: OrderWithItems; history: OrderHistory[] }> {
  const found = await db.order.findUnique({ where: { id }, include: { items, history: { orderBy: { id: 'asc' } } } })
  const maySee = found && (found.userId === viewer.userId || viewer.isAdmin)
  if (!maySee || !isListed(found.orderStatus as OrderStatus)) throw notFound('Order not found')
  const { history, ...order } = found
  return { order, history }
}

function encodeCursor(id: number): string {
  return Buffer.from(String(id)).toString('base64url')
}

function decodeCursor(cursor: string): number {
  const text = Buffer.from(cursor, 'base64url').toString()
  const id = Number(text)
  if (!/^\d{1,10}$/.test(text) || id >= 2 ** 31) throw cursorInvalid()
  return id
}
