import { Nullable } from '@skyfolio/kit'
import { type Static, Type } from 'typebox'
import type { OrderHistory } from '../generated/client.ts'
import { formatCents } from '../money.ts'
import { absoluteUrl } from './image-urls.ts'
import type { OrderWithItems } from './order-events.ts'
import { isListed, type ListedStatus, type OrderStatus } from './status-order.ts'

const Text = Nullable(Type.String())
const Amount = Type.String({ description: 'Dollars with two decimals' })
const DateTime = Type.String({ format: 'date-time' })
const Status = Type.Union([
  Type.Literal('unknown'),
  Type.Literal('submitted'),
  Type.Literal('processing'),
  Type.Literal('ready'),
  Type.Literal('picked_up'),
  Type.Literal('cancelled'),
])

const ItemBody = Type.Object({
  productId: Type.String(),
  productSize: Text,
  quantity: Type.Integer(),
  photoId: Nullable(Type.Integer()),
  photoTitle: Text,
  imageUrl: Type.String(),
})

/** An order as its user gets it. The photo, the product and the image are those of its first item. */
export const OrderBody = Type.Object({
  id: Type.Integer(),
  userId: Type.Integer(),
  environment: Type.Union([Type.Literal('sandbox'), Type.Literal('production')]),
  orderStatus: Status,
  vendorOrderId: Type.Union([Type.String(), Type.Null()], { description: "The partner's number; null while unknown" }),
  photoId: Nullable(Type.Integer()),
  photoTitle: Text,
  productId: Type.String(),
  productSize: Text,
  quantity: Type.Integer({ description: 'Sum of the items' }),
  imageUrl: Text,
  storeNumber: Type.String(),
  storeName: Text,
  storeAddress: Text,
  storeCity: Text,
  storeState: Text,
  storePhone: Text,
  subtotalAmount: Amount,
  discountAmount: Amount,
  totalAmount: Amount,
  taxAmount: Nullable(Type.String({ description: "The partner's tax figure, not part of the total" })),
  couponCode: Text,
  couponDiscount: Text,
  customerFirstName: Type.String(),
  customerLastName: Type.String(),
  customerEmail: Type.String(),
  customerPhone: Type.String(),
  promiseTime: Nullable(Type.String({ description: 'MM-DD-YYYY H:MM AM, local time of the store' })),
  createdAt: DateTime,
  updatedAt: DateTime,
  items: Type.Array(ItemBody),
})

const HistoryBody = Type.Object({ at: DateTime, status: Status, note: Text })
export const OrderWithHistoryBody = Type.Object({ ...OrderBody.properties, history: Type.Array(HistoryBody) })

export type OrderBody = Static<typeof OrderBody>
export type OrderWithHistoryBody = Static<typeof OrderWithHistoryBody>

/** A listed order as the body of a response. */
export function orderBody(order: OrderWithItems, publicOrigin: string): OrderBody {
  const { items, couponCode, taxCents, imageUrl } = order
  return {
    id: order.id,
    userId: order.userId,
    environment: order.environment === 'production' ? 'production' : 'sandbox',
    orderStatus: order.orderStatus as ListedStatus,
    vendorOrderId: order.vendorOrderId,
    photoId: order.photoId,
    photoTitle: items[0]?.photoTitle ?? null,
    productId: order.productId,
    productSize: order.productSize,
    quantity: order.quantity,
    imageUrl: imageUrl && absoluteUrl(publicOrigin, imageUrl),
    storeNumber: order.storeNumber,
    storeName: order.storeName,
    storeAddress: order.storeAddress,
    storeCity: order.storeCity,
    storeState: order.storeState,
    storePhone: order.storePhone,
    subtotalAmount: formatCents(order.subtotalCents),
    discountAmount: formatCents(order.discountCents),
    totalAmount: formatCents(order.totalCents),
    taxAmount: taxCents === null ? null : formatCents(taxCents),
    couponCode,
    couponDiscount: couponCode === null ? null : formatCents(order.discountCents),
    customerFirstName: order.customerFirstName,
    customerLastName: order.customerLastName,
    customerEmail: order.customerEmail,
    customerPhone: order.customerPhone,
    promiseTime: order.promiseTime,
    createdAt: order.createdAt.toISOString(),
    updatedAt: order.updatedAt.toISOString(),
    items: items.map((item) => ({
      productId: item.productId,
      productSize: item.productSize,
      quantity: item.quantity,
      photoId: item.photoId,
      photoTitle: item.photoTitle,
      imageUrl: absoluteUrl(publicOrigin, item.imageUrl),
    })),
  }
}

export function historyBody(history: OrderHistory[]): OrderWithHistoryBody['history'] {
  return history.flatMap(({ at, status, note }) =>
    isListed(status as OrderStatus) ? [{ at: at.toISOString(), status: status as ListedStatus, note }] : [],
  )
}
