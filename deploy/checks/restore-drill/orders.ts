import type { RuntimeState } from '../../local/runtime-file.ts'
import { type Account, openSignedInClient, type SignedInClient } from '../../local/signed-in-client.ts'
import { type PlacedOrder, placePrintOrder } from '../../smoke/print-order.ts'
import type { StoredData } from '../faults/consistency.ts'
import { expectEventually, type Verdict } from '../faults/runner.ts'
import { type Environment, query } from './query.ts'

const DULUTH = { latitude: 46.7867, longitude: -92.1005 }
const TIMEOUT_MS = 60_000

/** Orders prints of a photo from the partner's sandbox. */
export function orderPrints(session: SignedInClient, photoId: number, quantity: number): Promise<PlacedOrder> {
  return placePrintOrder(session.call, { photoId, quantity, ...DULUTH })
}

interface OrderRow {
  id: number
  vendorOrderId: string | null
  orderStatus: string
}

/** Reads the projection of photos in print-orders. */
export function readOrderedPhotos(env: Environment): Promise<{ id: number; revision: number }[]> {
  return query(env, 'print-orders', 'SELECT id, revision FROM photos WHERE NOT deleted ORDER BY id')
}

function readOrders(env: Environment): Promise<OrderRow[]> {
  return query(
    env,
    'print-orders',
    'SELECT id, vendor_order_id AS "vendorOrderId", order_status::text AS "orderStatus" FROM walgreens_orders',
  )
}

/**
 * Checks the orders of a restored system: those placed before the backup are there, none was invented, and one that was being placed at
 * the snapshot is shown as unknown, since only the partner knows its outcome.
 */
export async function checkOrders(
  verdict: Verdict,
  { env }: RuntimeState,
  placed: PlacedOrder[],
  placedMeanwhile: PlacedOrder[],
): Promise<void> {
  await expectEventually(verdict, 'no order is a claim', TIMEOUT_MS, async () => {
    return (await readOrders(env)).every(({ orderStatus }) => orderStatus !== 'claimed')
  })
  const rows = await readOrders(env)
  const numbers = new Map(rows.map(({ id, vendorOrderId }) => [id, vendorOrderId]))
  for (const { orderId, vendorOrderId } of placed)
    if (numbers.get(orderId) !== vendorOrderId) verdict.errors.push(`order ${orderId} is not ${vendorOrderId}`)
  const known = new Set([...placed, ...placedMeanwhile].map(({ vendorOrderId }) => vendorOrderId))
  for (const { id, vendorOrderId } of rows)
    if (vendorOrderId && !known.has(vendorOrderId)) verdict.errors.push(`order ${id} was never acknowledged`)
  const unknown = rows.filter(({ orderStatus }) => orderStatus === 'unknown').length
  verdict.facts.push(`print orders: ${rows.length}, ${placed.length} compared, ${unknown} with an unknown outcome`)
}

/** Waits until the projection of photos in print-orders matches media. */
export async function checkOrderedPhotos(verdict: Verdict, { env }: RuntimeState, evidence: StoredData): Promise<void> {
  const revisions = (photos: { id: number; revision: number }[]) =>
    photos.map(({ id, revision }) => `${id} ${revision}`).join()
  await expectEventually(verdict, 'the projection in print-orders matches media', TIMEOUT_MS, async () => {
    return revisions(await readOrderedPhotos(env)) === revisions(await evidence.photos())
  })
}

/** Orders prints of a restored photo. */
export async function checkNewOrder(verdict: Verdict, url: string, account: Account, photoId: number): Promise<void> {
  const session = await openSignedInClient(url, account)
  await orderPrints(session, photoId, 7).catch((error: Error) => verdict.errors.push(`a new order: ${error.message}`))
}
