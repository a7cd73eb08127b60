import type { Database, Transaction } from '../database.ts'
import { newId, objectKeysOfPrintImage } from '../files/object-keys.ts'
import { scheduleRemovals, type UnusedObject, unusedObjects } from '../files/object-removals.ts'
import type { PrintImage, Prisma } from '../generated/client.ts'
import { NEXT_RUN } from '../jobs/job-rows.ts'
import { isProof, type Specification } from './specification.ts'

const HOUR_MS = 3_600_000
/** The partner may fetch an image for so long after an order. */
const MIN_REMAINING_MS = 36 * HOUR_MS
/** How long a ready image can be fetched: two weeks, within which an order is printed. */
const LIFETIME_MS = 14 * 24 * HOUR_MS
/** A proof is on the screen only while somebody orders. */
const PROOF_MS = 48 * HOUR_MS
/** For so long a failure is answered without a further attempt. */
export const FAILURE_MS = 10 * 60_000

/** When an image that becomes ready or is extended now expires, to the second, as its name says. */
export function expiryOf(image: Parameters<typeof isProof>[0], now = Date.now()): Date {
  return new Date(Math.ceil((now + (isProof(image) ? PROOF_MS : LIFETIME_MS)) / 1000) * 1000)
}

/** Whether an order now could outlive the image. */
export function expiresSoon({ expiresAt }: Pick<PrintImage, 'expiresAt'>, now = Date.now()): boolean {
  return expiresAt.getTime() < now + MIN_REMAINING_MS
}

/** Images that a user may have at the same time: ten of the largest orders. */
export const IMAGES_PER_USER = 2_000
/** Bytes that these may have, 2 MB each. The last one may exceed it: its size is known when it is rendered. */
export const BYTES_PER_USER = 4 * 1024 ** 3

/** Columns of an image that waits for its rendering as if it were new. */
export const WAITING_FOR_RENDERING = { status: 'rendering', ...NEXT_RUN } as const

/** The objects of a deleted image. */
export function unusedObjectsOf(image: Pick<PrintImage, 'id' | 'source' | 'userId'>): UnusedObject[] {
  return unusedObjects(image.userId, objectKeysOfPrintImage(image))
}

export function findBySpecification(
  db: Database | Transaction,
  userId: number,
  specifications: string[],
): Promise<PrintImage[]> {
  return db.printImage.findMany({ where: { userId, specification: { in: specifications } } })
}

/** How many further images the user may have. None when those that have not expired fill the limit in bytes. */
export async function readRoom(db: Database | Transaction, userId: number): Promise<number> {
  const [live] = await db.$queryRaw<{ images: number; bytes: number }[]>`
    SELECT count(*)::int AS images,
      coalesce(sum(coalesce(filesize, 0) + coalesce(source_bytes, 0)), 0)::float8 AS bytes
    FROM print_images WHERE user_id = ${userId} AND expires_at > now()`
  const { images = 0, bytes = 0 } = live ?? {}
  return bytes >= BYTES_PER_USER ? 0 : Math.max(0, IMAGES_PER_USER - images)
}

/** Whether the rendered images of the user that have not expired fill the limit in bytes. */
export async function hasNoRoom(db: Database, userId: number): Promise<boolean> {
  const [live] = await db.$queryRaw<{ isFull: boolean }[]>`
    SELECT coalesce(sum(filesize), 0) >= ${BYTES_PER_USER}::float8 AS "isFull"
    FROM print_images WHERE user_id = ${userId} AND expires_at > now()`
  return live?.isFull ?? false
}

/** Creates rows that wait for their rendering, of photos or of uploads. The caller holds the user's lock. */
export function createRows(
  tx: Transaction,
  userId: number,
  images: (Partial<Specification> &
    Pick<PrintImage, 'specification'> &
    Partial<Pick<PrintImage, 'source' | 'sourceBytes'>>)[],
): Promise<PrintImage[]> {
  return tx.printImage.createManyAndReturn({
    data: images.map((image) => ({ ...image, id: newId(), userId, expiresAt: expiryOf(image) })),
  })
}

/** Gives images that are ready, and that an order could outlive, a later expiry. Those that were swept meanwhile are left out. */
export async function extendSoonExpiring(db: Database | Transaction, images: PrintImage[]): Promise<PrintImage[]> {
  const isExpiring = (image: PrintImage) => image.status === 'ready' && expiresSoon(image)
  const extended = images.filter((image) => !isExpiring(image))
  for (const isForScreen of [true, false]) {
    const expiring = images.filter((image) => isExpiring(image) && isProof(image) === isForScreen)
    const [first] = expiring
    if (!first) continue
    const where = { id: { in: expiring.map(({ id }) => id) }, status: 'ready' }
    const data = { expiresAt: expiryOf(first) }
    extended.push(...(await db.printImage.updateManyAndReturn({ where, data })))
  }
  return extended
}

/** Starts the rendering of an image that failed again. */
export function renderAgain(
  tx: Transaction,
  image: PrintImage,
  columns: Prisma.PrintImageUncheckedUpdateInput = {},
): Promise<PrintImage> {
  const renewed = { createdAt: new Date(), expiresAt: expiryOf(image) }
  const data = { ...WAITING_FOR_RENDERING, ...renewed, ...columns }
  return tx.printImage.update({ where: { id: image.id }, data })
}

const BATCH = 500

/** Deletes expired images, and schedules the removal of their objects. Returns their number. */
export async function sweepExpiredPrintImages(db: Database, now = new Date()): Promise<number> {
  let swept = 0
  for (let batch = BATCH; batch === BATCH; swept += batch) batch = await sweepBatch(db, now)
  return swept
}

async function sweepBatch(db: Database, now: Date): Promise<number> {
  return db.$transaction(async (tx) => {
    const expired = await tx.$queryRaw<Pick<PrintImage, 'id' | 'source' | 'userId'>[]>`
      DELETE FROM print_images WHERE id IN (
        SELECT id FROM print_images WHERE expires_at < ${now} ORDER BY expires_at LIMIT ${BATCH} FOR UPDATE SKIP LOCKED
      ) RETURNING id, source, user_id AS "userId"`
    await scheduleRemovals(tx, expired.flatMap(unusedObjectsOf))
    return expired.length
  })
}
