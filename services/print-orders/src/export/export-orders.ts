import type { MessageInitShape } from '@bufbuild/protobuf'
import type { GetExportRequest, GetExportResponseSchema } from '@skyfolio/proto'
import { readRemembered } from '../customers/customer.ts'
import type { Database } from '../database.ts'
import { type OrderBody, orderBody } from '../orders/order-body.ts'

type ExportPage = MessageInitShape<typeof GetExportResponseSchema>
interface ExportedFile {
  path: string
  content: Buffer<ArrayBuffer>
}

interface ExportDeps {
  db: Database
  publicOrigin: string
}

/** Bytes after which a file ends; one order is far smaller than the rest of half a megabyte. */
const FILE_BYTES = 256 * 1024
const BATCH = 50

/**
 * A page of what print-orders has of a user, for the user's export: the remembered details, then the orders with their items
 * and history, oldest first. Orders that the store rejected are among them: they have the customer's details.
 */
export async function exportOrders(
  deps: ExportDeps,
  { userId, cursor }: Pick<GetExportRequest, 'userId' | 'cursor'>,
): Promise<ExportPage> {
  const { number, after } = readCursor(cursor)
  const files = number === 1 ? await exportCustomer(deps.db, userId) : []
  const { orders, last } = await readOrders(deps, userId, after)
  const name = `orders/orders-${String(number).padStart(4, '0')}.json`
  if (orders.length > 0) files.push({ path: name, content: Buffer.from(`[\n${orders.join(',\n')}\n]\n`) })
  return { files, next: last === null ? '' : `${number + 1}:${last}` }
}

async function exportCustomer(db: Database, userId: number): Promise<ExportedFile[]> {
  const customer = await readRemembered(db, userId)
  return customer ? [{ path: 'orders/customer.json', content: toJson(customer) }] : []
}

/** Orders for one file. `last` is the id after which the next file begins; null when there are no more. */
async function readOrders(
  { db, publicOrigin }: ExportDeps,
  userId: number,
  after: number,
): Promise<{ orders: string[]; last: number | null }> {
  const orders: string[] = []
  let bytes = 0
  let last = after
  for (;;) {
    const batch = await db.order.findMany({
      where: { userId, id: { gt: last } },
      orderBy: { id: 'asc' },
      take: BATCH,
      include: { items: { orderBy: { position: 'asc' } }, history: { orderBy: { id: 'asc' } } },
    })
    for (const { history, ...order } of batch) {
      const entries = history.map(({ at, status, note }) => ({ at: at.toISOString(), status, note }))
      const text = JSON.stringify(
        { ...withoutImages(orderBody(order, publicOrigin)), rejection: order.rejection, history: entries },
        null,
        2,
      )
      orders.push(text.replaceAll(/^/gm, '  '))
      bytes += Buffer.byteLength(text)
      last = order.id
      if (bytes >= FILE_BYTES) return { orders, last }
    }
    if (batch.length < BATCH) return { orders, last: null }
  }
}

/** The address of a print image opens it without signing in, so whoever gets the archive must not read it there. */
function withoutImages({ imageUrl: _, items, ...order }: OrderBody) {
  return { ...order, items: items.map(({ imageUrl: _, ...item }) => item) }
}

function toJson(value: object): Buffer<ArrayBuffer> {
  return Buffer.from(`${JSON.stringify(value, null, 2)}\n`)
}

/** @throws Error for a cursor that is not of this service */
function readCursor(cursor: string): { number: number; after: number } {
  if (cursor === '') return { number: 1, after: 0 }
  const [, number, after] = /^(\d{1,6}):(\d{1,10})$/.exec(cursor) ?? []
  if (!number || !after) throw new Error('the cursor of an export is not valid')
  return { number: Number(number), after: Number(after) }
}
