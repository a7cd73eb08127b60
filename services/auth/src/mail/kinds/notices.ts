import { timestampDate } from '@bufbuild/protobuf/wkt'
import { Environment, type ExportReady, type OrderChanged, OrderStatus, type UploadFailed } from '@skyfolio/proto'
import type { Transaction } from '../../database.ts'
import type { User } from '../../generated/client.ts'
import { requestMail } from '../request-mail.ts'
import {
  accountFooter,
  formatTime,
  mailTo,
  type OutgoingMail,
  plural,
  quote,
  quoteInert,
  type UserComposition,
} from './words.ts'

// The notices about events of other services. Of an event only what the words need is stored, so that they can change later.

const DAY_MS = 24 * 3_600_000
/** An order that has been ready for longer is no news: events are published again after a restore. */
const NEWS_DAYS = 3
/** The status of older orders is no longer read, and the mail that announced one may be deleted after that time. */
const FOLLOWED_DAYS = 30

interface PhotosFailedData {
  /** At most 20 of them. */
  photos: { title: string; message: string }[]
  /** Of all. */
  count: number
}

/** The notice of photos that could not be processed. */
export async function noticeFailedPhotos(tx: Transaction, { id, userId, photos, count }: UploadFailed): Promise<void> {
  if (count === 0 || !(await isUser(tx, userId))) return
  const data = { photos: photos.map(({ title, message }) => ({ title, message })), count } satisfies PhotosFailedData
  await requestMail(tx, { kind: 'photos-failed', userId, address: null, data, eventKey: `photos-failed:${id}` })
}

export function composePhotosFailed({ mail, user, origin }: UserComposition): OutgoingMail[] {
  const { photos, count } = mail.data as unknown as PhotosFailedData
  const listed = photos.map(({ title, message }) => `${quoteInert(title) || 'Untitled'}: ${quoteInert(message)}`)
  const rest = count - photos.length
  return mailTo(noticeAddress(user), {
    subject: `Skyfolio: ${plural(count, 'photo')} could not be processed`,
    title: `${plural(count, 'photo')} could not be processed`,
    blocks: [
      `${count === 1 ? 'This photo' : 'These photos'} that you uploaded to Skyfolio could not be processed:`,
      { items: rest > 0 ? [...listed, `and ${rest.toLocaleString('en-US')} more`] : listed },
      { label: 'Open Skyfolio', url: `${origin}/` },
    ],
    footer: noticeFooter(user.username, origin),
  })
}

interface OrderReadyData {
  orderId: number
  /** The partner's number. */
  orderNumber: string | null
  storeNumber: string
  prints: number
  /** Placed in the partner's sandbox. */
  isTest: boolean
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

export function composeOrderReady({ mail, user, origin }: UserComposition): OutgoingMail[] {
  const { orderId, orderNumber, storeNumber, prints, isTest } = mail.data as unknown as OrderReadyData
  const order = orderNumber === null ? 'Your order' : `Your order ${quoteInert(orderNumber)}`
  return mailTo(noticeAddress(user), {
    subject: 'Your prints are ready for pickup',
    title: 'Your prints are ready',
    blocks: [
      `${order} with ${plural(prints, 'print')} is ready for pickup at store ${quoteInert(storeNumber)}.`,
      ...(isTest ? ["This is a test order in the partner's sandbox, so nothing was printed."] : []),
      { label: 'Show order', url: `${origin}/orders/${orderId}` },
    ],
    footer: noticeFooter(user.username, origin),
  })
}

interface ExportReadyData {
  /** ISO 8601. */
  expiresAt: string
}

/** The response to the request for an export, once, while it can be downloaded. */
export async function noticeReadyExport(tx: Transaction, { userId, exportId, expiresAt }: ExportReady): Promise<void> {
  if (!expiresAt || timestampDate(expiresAt).getTime() <= Date.now() || !(await isUser(tx, userId))) return
  const data = { expiresAt: timestampDate(expiresAt).toISOString() } satisfies ExportReadyData
  await requestMail(tx, { kind: 'export-ready', userId, address: null, data, eventKey: `export-ready:${exportId}` })
}

/** The response to the user's own request, so it is sent without notices too, while the export can be downloaded. */
export function composeExportReady({ mail, user, origin }: UserComposition): OutgoingMail[] {
  const expiresAt = new Date((mail.data as unknown as ExportReadyData).expiresAt)
  if (expiresAt.getTime() <= Date.now()) return []
  return mailTo(user.emailConfirmed ? user.email : null, {
    subject: 'Your Skyfolio export is ready',
    title: 'Your export is ready',
    blocks: [
      `The export of your Skyfolio account ${quote(user.username)}, with all your photos and data, is ready.`,
      `You can download it in your profile until ${formatTime(expiresAt)}:`,
      { label: 'Open profile', url: `${origin}/profile` },
      'If you did not ask for it, choose a new password in your profile.',
    ],
    footer: accountFooter(user.username, origin),
  })
}

function isWithin(time: Parameters<typeof timestampDate>[0] | undefined, days: number): boolean {
  return time !== undefined && timestampDate(time).getTime() > Date.now() - days * DAY_MS
}

/** The erasure of the user waits until the transaction ends. */
async function isUser(tx: Transaction, id: number): Promise<boolean> {
  const rows = await tx.$queryRaw<unknown[]>`SELECT 1 FROM users WHERE id = ${id} FOR KEY SHARE`
  return rows.length > 0
}

/** Where notices go; null when the user wants none or has confirmed no address. */
function noticeAddress({ email, emailConfirmed, emailNotifications }: User): string | null {
  return emailConfirmed && emailNotifications ? email : null
}

/** For notices. */
function noticeFooter(username: string, origin: string): string[] {
  return [...accountFooter(username, origin), `You can turn these notices off in your profile: ${origin}/profile`]
}
