import type { MessageInitShape } from '@bufbuild/protobuf'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { emit } from '@skyfolio/kit'
import {
  events,
  type OrderChangedSchema,
  OrderStatus,
  type OrderSubmittedSchema,
  Environment as WireEnvironment,
} from '@skyfolio/proto'
import type { Database, Transaction } from '../database.ts'
import type { Order, OrderItem } from '../generated/client.ts'
import type { ListedStatus } from './status-order.ts'

/** An order with its items in their order. */
export type OrderWithItems = Order & { items: OrderItem[] }

/** Events of one transaction of `republishOrders`. */
const PAGE_SIZE = 500

const STATUS: Record<ListedStatus, OrderStatus> = {
  unknown: OrderStatus.UNKNOWN,
  submitted: OrderStatus.SUBMITTED,
  processing: OrderStatus.PROCESSING,
  ready: OrderStatus.READY,
  picked_up: OrderStatus.PICKED_UP,
  cancelled: OrderStatus.CANCELLED,
}

/** Writes the event of an order that the partner accepted to the outbox. */
export async function publishOrderSubmitted(tx: Transaction, order: OrderWithItems): Promise<void> {
  const message: MessageInitShape<typeof OrderSubmittedSchema> = { order: orderState(order), revision: order.revision }
  await emit(tx, events.orderSubmitted, message)
}

/** Writes the state of these listed orders to the outbox. The transaction must have raised their `revision`. */
export async function publishOrderChanged(tx: Transaction, ...orders: OrderWithItems[]): Promise<void> {
  const messages = orders.map(
    (order): MessageInitShape<typeof OrderChangedSchema> => ({
      order: orderState(order),
      revision: order.revision,
    }),
  )
  await emit(tx, events.orderChanged, ...messages)
}

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

/** What events tell of an order: names, address, telephone number and images of the customer are not in it. */
function orderState(order: OrderWithItems): MessageInitShape<typeof OrderChangedSchema>['order'] {
  return {
    id: order.id,
    userId: order.userId,
    environment: order.environment === 'production' ? WireEnvironment.PRODUCTION : WireEnvironment.SANDBOX,
    status: STATUS[order.orderStatus as ListedStatus],
    vendorOrderId: order.vendorOrderId ?? undefined,
    storeNumber: order.storeNumber,
    quantity: order.quantity,
    subtotalCents: order.subtotalCents,
    discountCents: order.discountCents,
    totalCents: order.totalCents,
    promiseTime: order.promiseTime ?? undefined,
    items: order.items.map(({ productId, productSize, quantity, photoId, photoTitle }) => ({
      productId,
      productSize: productSize ?? '',
      quantity,
      photoId: photoId ?? undefined,
      photoTitle: photoTitle ?? '',
    })),
    createdAt: timestampFromDate(order.createdAt),
    updatedAt: timestampFromDate(order.updatedAt),
  }
}
