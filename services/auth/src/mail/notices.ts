import { timestampDate } from '@bufbuild/protobuf/wkt'
import { Environment, type ExportReady, type OrderChanged, OrderStatus, type UploadFailed } from '@skyfolio/proto'
import type { Transaction } from '../database.ts'
import type { ExportReadyData } from './kinds/export-ready.ts'
import type { OrderReadyData } from './kinds/order-ready.ts'
import type { PhotosFailedData } from './kinds/photos-failed.ts'
import { requestMail } from './request-mail.ts'

const DAY_MS = 24 * 3_600_000
/** An order that has been ready for longer is no news: events are published again after a restore. */
const NEWS_DAYS = 3
/** The status of older orders is no longer read, and the mail that announced one may be deleted after that time. */
const FOLLOWED_DAYS = 30

/** The notice of photos that could not be processed. */
export async function noticeFailedPhotos(tx: Transaction, { id, userId, photos, count }: UploadFailed): Promise<void> {
  if (count === 0 || !(await isUser(tx, userId))) return
  const data = { photos: photos.map(({ title, message }) => ({ title, message })), count } satisfies PhotosFailedData
  await requestMail(tx, { kind: 'photos-failed', userId, address: null, data, eventKey: `photos-failed:${id}` })
}

/** The notice of an order that is ready, once, while that is news. */
export async function noticeReadyOrder(tx: Transaction, { order }: OrderChanged): Promise<void> {
  if (order?.status !== OrderStatus.READY) return
  const { id, userId, updatedAt, createdAt } = order
  if (!isWithin(updatedAt, NEWS_DAYS) || !isWithin(createdAt, FOLLOWED_DAYS) || !(await isUser(tx, userId))) return
  const data = {
    orderId: id,
    orderNumber: order.vendorOrderId ?? null,
    storeNumber: order.storeNumber,
    prints: order.quantity,
    isTest: order.environment === Environment.SANDBOX,
  } satisfies OrderReadyData
  await requestMail(tx, { kind: 'order-ready', userId, address: null, data, eventKey: `order-ready:${id}` })
}

/** The response to the request for an export, once, while it can be downloaded. */
export async function noticeReadyExport(tx: Transaction, { userId, exportId, expiresAt }: ExportReady): Promise<void> {
  if (!expiresAt || timestampDate(expiresAt).getTime() <= Date.now() || !(await isUser(tx, userId))) return
  const data = { expiresAt: timestampDate(expiresAt).toISOString() } satisfies ExportReadyData
  await requestMail(tx, { kind: 'export-ready', userId, address: null, data, eventKey: `export-ready:${exportId}` })
}

function isWithin(time: Parameters<typeof timestampDate>[0] | undefined, days: number): boolean {
  return time !== undefined && timestampDate(time).getTime() > Date.now() - days * DAY_MS
}

/** The erasure of the user waits until the transaction ends. */
async function isUser(tx: Transaction, id: number): Promise<boolean> {
  const rows = await tx.$queryRaw<unknown[]>`SELECT 1 FROM users WHERE id = ${id} FOR KEY SHARE`
  return rows.length > 0
}
