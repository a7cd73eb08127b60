import { fromBinary } from '@bufbuild/protobuf'
import { connectNats, createLogger, onEvent, startConsumer, waitUntilCaughtUp } from '@skyfolio/kit'
import { openPool } from '@skyfolio/kit/database'
import { events, OrderChangedSchema, OrderStatus } from '@skyfolio/proto'
import type { RuntimeState } from '../../local/runtime-file.ts'

/** An order as the service has stored it. */
export interface OrderRow {
  id: number
  userId: number
  status: string
  vendorOrderId: string | null
  email: string
  key: string | null
  revision: number
}

/** An event of an order, as a consumer receives it. */
export interface OrderEvent {
  type: 'submitted' | 'changed'
  orderId: number
  revision: number
  status: string
  vendorOrderId: string | null
}

/** What print-orders has stored and published. */
export interface OrderRecords {
  pool: ReturnType<typeof openPool>
  rows(): Promise<OrderRow[]>
  unpublished(): Promise<number>
  /** The changes in the order of their commits. */
  committedChanges(): Promise<{ orderId: number; revision: number }[]>
  /** All events of the stream so far, as a new consumer receives them: in any order, some repeatedly. */
  events(): Promise<OrderEvent[]>
  close(): Promise<void>
}

export function openOrderRecords({ env }: RuntimeState): OrderRecords {
  const { DATABASE_URL = '', NATS_URL = '' } = env['print-orders'] ?? {}
  const pool = openPool(DATABASE_URL, { max: 3 })
  return {
    pool,
    async rows() {
      const { rows } = await pool.query<OrderRow & Record<string, never>>(
        `SELECT id, user_id AS "userId", order_status AS status, vendor_order_id AS "vendorOrderId",
           customer_email AS email, idempotency_key AS key, revision FROM walgreens_orders ORDER BY id`,
      )
      return rows
    },
    async unpublished() {
      const { rows } = await pool.query('SELECT count(*)::int AS count FROM outbox WHERE published_at IS NULL')
      return Number(rows[0]?.count)
    },
    async committedChanges() {
      const { rows } = await pool.query<{ payload: Buffer }>(
        'SELECT payload FROM outbox WHERE subject = $1 ORDER BY seq',
        [events.orderChanged.subject],
      )
      return rows.map(({ payload }) => {
        const { order, revision } = fromBinary(OrderChangedSchema, payload)
        return { orderId: order?.id ?? 0, revision }
      })
    },
    events: () => readEvents(NATS_URL),
    close: () => pool.end(),
  }
}

const STATUSES: Record<number, string> = {
  [OrderStatus.UNKNOWN]: 'unknown',
  [OrderStatus.SUBMITTED]: 'submitted',
  [OrderStatus.PROCESSING]: 'processing',
  [OrderStatus.READY]: 'ready',
  [OrderStatus.PICKED_UP]: 'picked_up',
  [OrderStatus.CANCELLED]: 'cancelled',
}

async function readEvents(natsUrl: string): Promise<OrderEvent[]> {
  const nats = await connectNats(natsUrl, 'fault-run')
  const received: OrderEvent[] = []
  const record = (type: OrderEvent['type']) => async (event: { order?: WireOrder | undefined; revision: number }) => {
    const { id = 0, status = 0, vendorOrderId = null } = event.order ?? {}
    const { revision } = event
    received.push({ type, orderId: id, revision, status: STATUSES[status] ?? `status ${status}`, vendorOrderId })
  }
  const durable = `fault-run-${Date.now()}`
  const consumer = await startConsumer({
    nats,
    durable,
    handlers: [onEvent(events.orderSubmitted, record('submitted')), onEvent(events.orderChanged, record('changed'))],
    transaction: (work) => work({}),
    logger: createLogger('fault-run', 'silent'),
  })
  await waitUntilCaughtUp(nats, { durable, subjects: [events.orderSubmitted.subject, events.orderChanged.subject] })
  await consumer.stop()
  await nats.close()
  return received
}

interface WireOrder {
  id: number
  status: number
  vendorOrderId?: string | undefined
}
