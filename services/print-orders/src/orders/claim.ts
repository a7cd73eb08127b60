import { accountDeleted } from '@skyfolio/kit'
import type { Customer } from '../customers/customer.ts'
import type { Database, Transaction } from '../database.ts'
import type { Environment } from '../partner/types.ts'
import { isErased, lockUser } from '../users/erasure.ts'
import type { PricedLine, PricedOrder } from './figures.ts'
import { imagePath } from './image-urls.ts'
import type { OrderWithItems } from './order-events.ts'

/** How long a request without a key stands for a repetition of the same. */
const AUTO_KEY_MINUTES = 10
/**
 * Time to record the outcome after the partner's time limit; then the claim counts as abandoned, and the customer sees the
 * order as unknown. A process that records it later still may.
 */
const RECORDING_SECONDS = 4

/** What makes requests of a user the same. */
export interface RequestKey {
  userId: number
  idempotencyKey: string
  /** Made by the server, valid for some minutes. */
  isAutomatic: boolean
  requestHash: string
}

interface OrderToClaim {
  key: RequestKey
  /** Of this attempt, a UUID. */
  claimId: string
  orderHash: string
  /** Identical orders that were decided when the request arrived: a customer may order the same again. */
  decidedBefore: number[]
  environment: Environment
  customer: Customer
  order: PricedOrder
  /** File name of the image of each line. */
  filenames: string[]
  /** Longest time of the call to the partner. */
  callMs: number
}

type Claim =
  /** The caller, and nobody else, sends this order to the partner. */
  | { kind: 'claimed'; order: OrderWithItems }
  /** An earlier request has made this order, or is making it. */
  | { kind: 'existing'; earlier: EarlierOrder }
  /** An identical order exists whose outcome is unknown. */
  | { kind: 'unresolved' }
  /** New orders go to another environment now. */
  | { kind: 'switched' }

export interface EarlierOrder {
  orderId: number
  requestHash: string
}

/** The order that an earlier request with this key made or waited for. */
export async function findEarlier(
  tx: Pick<Transaction, '$queryRaw'>,
  { userId, idempotencyKey, isAutomatic }: RequestKey,
): Promise<EarlierOrder | null> {
  const [earlier] = await tx.$queryRaw<(EarlierOrder & { isOld: boolean })[]>`
    SELECT order_id AS "orderId", request_hash AS "requestHash",
      created_at < now() - make_interval(mins => ${AUTO_KEY_MINUTES}) AS "isOld"
    FROM (
      SELECT id AS order_id, request_hash, created_at FROM walgreens_orders
      WHERE user_id = ${userId} AND idempotency_key = ${idempotencyKey}
      UNION ALL
      SELECT order_id, request_hash, created_at FROM order_key_aliases
      WHERE user_id = ${userId} AND idempotency_key = ${idempotencyKey}
    ) AS known`
  if (!earlier || (isAutomatic && earlier.isOld)) return null
  return { orderId: earlier.orderId, requestHash: earlier.requestHash }
}

/** Ids of the user's identical orders whose outcome is known. */
export async function findDecided(db: Database, userId: number, orderHash: string): Promise<number[]> {
  const where = { userId, orderHash, orderStatus: { notIn: ['claimed', 'unknown'] } }
  return (await db.order.findMany({ where, select: { id: true } })).map(({ id }) => id)
}

/**
 * Commits the row that gives the caller the right to send this order. It never does so twice for a key, nor for an
 * identical order before the outcome of the first one is known, nor for identical requests that were in progress at the
 * same time.
 */
export async function claimOrder(db: Database, claim: OrderToClaim): Promise<Claim> {
  return db.$transaction(async (tx) => {
    await lockUser(tx, claim.key.userId)
    if (await isErased(tx, claim.key.userId)) throw accountDeleted()
    const earlier = await findEarlier(tx, claim.key)
    if (earlier) return { kind: 'existing', earlier }
    const identical = await findIdentical(tx, claim)
    if (identical?.orderStatus === 'unknown') return { kind: 'unresolved' }
    await releaseOldKey(tx, claim.key)
    if (identical) return { kind: 'existing', earlier: await waitWith(tx, claim.key, identical.id) }
    const { environment, now } = await readCurrent(tx)
    if (environment !== claim.environment) return { kind: 'switched' }
    return { kind: 'claimed', order: await insertOrder(tx, claim, now) }
  })
}

/** Removes a claim of which its own process knows that it will not be sent. */
export async function dropClaim(db: Database, claimId: string): Promise<void> {
  await db.order.deleteMany({ where: { claimId, orderStatus: 'claimed' } })
}

/** An identical order without a known outcome, or one that was placed since this request arrived. */
async function findIdentical(tx: Transaction, { key, orderHash, decidedBefore }: OrderToClaim) {
  const isOver = { orderStatus: { in: ['rejected', 'cancelled'] } }
  const found = await tx.order.findFirst({
    where: { userId: key.userId, orderHash, id: { notIn: decidedBefore }, NOT: isOver },
    orderBy: { id: 'desc' },
    select: { id: true },
  })
  if (!found) return null
  // Kept until the transaction ends. It may be gone meanwhile: a claim of which nothing was sent is deleted.
  const [kept] = await tx.$queryRaw<{ id: number; orderStatus: string }[]>`
    SELECT id, order_status AS "orderStatus" FROM walgreens_orders WHERE id = ${found.id} FOR KEY SHARE`
  return kept ?? null
}

/** Binds the key to an order in progress: repeated later, this request must not make an order of its own. */
async function waitWith(tx: Transaction, key: RequestKey, orderId: number): Promise<EarlierOrder> {
  const { userId, idempotencyKey, requestHash } = key
  await tx.orderKeyAlias.create({ data: { userId, idempotencyKey, requestHash, orderId } })
  return { orderId, requestHash }
}

/** A key made by the server may have been used by an earlier order, whose time as a repetition is over. */
async function releaseOldKey(tx: Transaction, { userId, idempotencyKey, isAutomatic }: RequestKey): Promise<void> {
  if (!isAutomatic) return
  await tx.order.updateMany({ where: { userId, idempotencyKey }, data: { idempotencyKey: null } })
  await tx.orderKeyAlias.deleteMany({ where: { userId, idempotencyKey } })
}

/** The environment, whose switch waits for this transaction, and the database's time, by which claims expire. */
async function readCurrent(tx: Transaction): Promise<{ environment: string; now: Date }> {
  const [current] = await tx.$queryRaw<{ environment: string; now: Date }[]>`
    SELECT environment, clock_timestamp() AS now FROM partner_environment FOR SHARE`
  if (!current) throw new Error('the table partner_environment is empty')
  return current
}

async function insertOrder(tx: Transaction, claim: OrderToClaim, now: Date): Promise<OrderWithItems> {
  const { key, order, customer, filenames } = claim
  const { store, lines } = order
  const titles = await lockTitles(tx, key.userId, lines)
  const items = lines.map((line, position) => toItem(line, position, filenames[position] ?? '', titles))
  return tx.order.create({
    data: {
      ...{ userId: key.userId, idempotencyKey: key.idempotencyKey, requestHash: key.requestHash },
      ...{ orderHash: claim.orderHash, environment: claim.environment, claimId: claim.claimId },
      claimedUntil: new Date(now.getTime() + claim.callMs + RECORDING_SECONDS * 1000),
      ...{ storeNumber: store.storeNum, storeName: store.storeName, storeAddress: store.street },
      ...{ storeCity: store.city, storeState: store.state, storePhone: store.phone },
      ...firstOf(items),
      quantity: items.reduce((sum, { quantity }) => sum + quantity, 0),
      ...{ subtotalCents: order.subtotalCents, discountCents: order.discountCents, totalCents: order.totalCents },
      ...{ taxCents: order.taxCents, couponCode: order.couponCode, promiseTime: order.promiseTime },
      ...{ customerFirstName: customer.firstName, customerLastName: customer.lastName },
      ...{ customerEmail: customer.email, customerPhone: customer.phone },
      ...{ createdAt: now, updatedAt: now },
      items: { createMany: { data: items } },
    },
    include: { items: { orderBy: { position: 'asc' } } },
  })
}

type Item = ReturnType<typeof toItem>

function toItem({ product, quantity, image }: PricedLine, position: number, filename: string, titles: Titles) {
  const photo = 'photoId' in image ? titles.get(image.photoId) : undefined
  return {
    position,
    quantity,
    productId: product.productId,
    productSize: product.productSize,
    unitPriceCents: product.priceCents,
    photoId: 'photoId' in image && !photo?.deleted ? image.photoId : null,
    photoTitle: photo?.title || null,
    imageUrl: imagePath(filename),
  }
}

function firstOf([first]: Item[]) {
  if (!first) throw new Error('an order without prints')
  const { productId, productSize, photoId, imageUrl } = first
  return { productId, productSize, photoId, imageUrl }
}

type Titles = Map<number, { title: string; deleted: boolean }>

/**
 * An event of one of these photos waits until the order is committed, and then finds it: also the first event of a photo,
 * for which a row without a title stands here.
 */
async function lockTitles(tx: Transaction, userId: number, lines: PricedLine[]): Promise<Titles> {
  const ids = [...new Set(lines.flatMap(({ image }) => ('photoId' in image ? image.photoId : [])))]
  if (ids.length === 0) return new Map()
  await tx.$executeRaw`
    INSERT INTO photos (id, revision, user_id)
    SELECT id, 0, ${userId} FROM unnest(${ids}::int[]) AS ordered (id) ORDER BY id ON CONFLICT DO NOTHING`
  const photos = await tx.$queryRaw<{ id: number; title: string; deleted: boolean }[]>`
    SELECT id, title, deleted FROM photos WHERE id = ANY (${ids}) AND user_id = ${userId} ORDER BY id FOR SHARE`
  return new Map(photos.map((photo) => [photo.id, photo]))
}
