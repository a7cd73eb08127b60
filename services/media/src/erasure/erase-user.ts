import { type ErasureProgress, isUnavailable, type Logger, type ObjectStore } from '@skyfolio/kit'
import type { Database, Transaction } from '../database.ts'
import { removeObjectsOf, scheduleRemovals, unusedObjects } from '../files/object-removals.ts'
import { LOCK_FLIGHTS } from '../flights/group-flights.ts'
import { type PrintImage, Prisma } from '../generated/client.ts'
import { deleteSome } from '../photos/delete-photos.ts'
import { unusedObjectsOf } from '../print-images/rows.ts'
import { eraseSessions } from '../upload-sessions/upkeep.ts'
import { waitForAdding } from './tombstone.ts'

interface UserErasureDeps {
  db: Database
  store: ObjectStore
  logger: Logger
  /** Called after each commit with events. */
  afterCommit(): void
}

/** The work of one call: between two of them other users are erased, and the process may stop. */
const SECONDS = 5
const CONTINUES: ErasureProgress = { waitsFor: '' }
const WAITS_FOR_STORE: ErasureProgress = { waitsFor: 'Files are still to be removed from the object store.' }

/**
 * Erases what media has of a user, as far as it can in some seconds. Complete when no object of the user is in the store any more
 * either; objects that several users' photos share stay.
 */
export async function eraseUser(deps: UserErasureDeps, userId: number): Promise<ErasureProgress> {
  try {
    return await eraseAll(deps, userId)
  } catch (error) {
    if (!isUnavailable(error)) throw error
    deps.logger.warn({ err: error, userId }, 'erasure waits for the object store')
    return WAITS_FOR_STORE
  }
}

async function eraseAll(deps: UserErasureDeps, userId: number): Promise<ErasureProgress> {
  const photos = await erasePhotos(deps, userId, SECONDS)
  if (photos === 'more') return CONTINUES
  const sessions = await eraseSessions(deps, userId)
  const exports = await eraseExports(deps, userId)
  const printImages = await erasePrintImages(deps.db, userId)
  if (photos === 'erased') await deps.db.$transaction((tx) => eraseRows(tx, userId))
  const isRemoved = await removeObjectsOf(deps, userId, SECONDS)
  if (photos === 'in processing') return { waitsFor: 'A photo is still being processed.' }
  if (sessions === 'being completed') return { waitsFor: 'An upload is still being completed.' }
  if (exports === 'in preparation') return { waitsFor: 'An export is still being prepared.' }
  if (!isRemoved) return WAITS_FOR_STORE
  if (printImages === 'needed')
    return { waitsFor: 'Print images stay until the orders are erased or the images expire.' }
  return printImages === 'in rendering' ? { waitsFor: 'A print image is still being rendered.' } : 'complete'
}

/** What is kept for a user beside photos, exports and print images. */
const TABLES_OF_USERS = [
  ...['failed_uploads', 'flight_changes', 'flight_photos', 'flights', 'user_usage'],
  ...['photo_sums', 'photo_places', 'photo_cameras', 'photo_hours', 'photo_taken_days', 'photo_cells'],
]

/** What is left without photos. Folders become tombstones, so that a late event does not bring them back. */
async function eraseRows(tx: Transaction, userId: number): Promise<void> {
  // After whoever groups the user's flights.
  await tx.$queryRawUnsafe(LOCK_FLIGHTS, userId)
  for (const table of TABLES_OF_USERS) await tx.$executeRawUnsafe(`DELETE FROM ${table} WHERE user_id = $1`, userId)
  await tx.$executeRaw`UPDATE folders SET deleted = true, is_public = false WHERE user_id = ${userId} AND NOT deleted`
}

/** Photos per transaction: short enough not to delay others. */
const BATCH = 200

/**
 * Deletes the user's photos, those of the metadata screen too, for some seconds. A photo in processing follows when that
 * has ended, so that no rendition is stored after the erasure.
 */
async function erasePhotos(
  { db, afterCommit }: UserErasureDeps,
  userId: number,
  seconds: number,
): Promise<'erased' | 'in processing' | 'more'> {
  const until = performance.now() + seconds * 1000
  const ended = Prisma.sql`user_id = ${userId} AND (status <> 'processing' OR starts = 0)`
  while ((await deleteSome(db, ended, BATCH)) === BATCH) {
    afterCommit()
    if (performance.now() > until) return 'more'
  }
  afterCommit()
  return (await db.photo.findFirst({ where: { userId }, select: { id: true } })) ? 'in processing' : 'erased'
}

/** Deletes the user's exports with their files. One in preparation follows when that has ended. */
async function eraseExports({ db, store }: UserErasureDeps, userId: number): Promise<'erased' | 'in preparation'> {
  // No request that began before is left, and none follows the tombstone.
  await db.$transaction((tx) => waitForAdding(tx, 'exports', userId))
  for (const { id } of await endExports(db, userId)) {
    const keys: string[] = []
    for await (const { key } of store.list(`exports/${id}/`)) keys.push(key)
    await db.$transaction(async (tx) => {
      await scheduleRemovals(tx, unusedObjects(userId, keys))
      await tx.export.deleteMany({ where: { id } })
    })
  }
  return (await db.export.count({ where: { userId } })) > 0 ? 'in preparation' : 'erased'
}

/** Ends those on which no worker has started, so that none does. */
function endExports(db: Database, userId: number): Promise<{ id: string }[]> {
  return db.$queryRaw`
    UPDATE exports SET status = 'failed', run = run + 1
    WHERE user_id = ${userId} AND (status <> 'preparing' OR starts = 0) RETURNING id`
}

/**
 * Deletes the user's print images once print-orders has erased the user: until then the partner may fetch them for an order.
 * Those that expire are swept anyway. One in rendering follows when that has ended, so that no image is stored after the
 * erasure.
 */
async function erasePrintImages(db: Database, userId: number): Promise<'erased' | 'in rendering' | 'needed'> {
  return db.$transaction(async (tx) => {
    const isUnneeded = (await tx.erasedOrders.findUnique({ where: { userId } })) !== null
    if (isUnneeded) {
      const erased = await tx.$queryRaw<Pick<PrintImage, 'id' | 'source' | 'userId'>[]>`
        DELETE FROM print_images
        WHERE user_id = ${userId} AND (status <> 'rendering' OR starts = 0)
        RETURNING id, source, user_id AS "userId"`
      await scheduleRemovals(tx, erased.flatMap(unusedObjectsOf))
    }
    if ((await tx.printImage.count({ where: { userId } })) === 0) return 'erased'
    return isUnneeded ? 'in rendering' : 'needed'
  })
}
