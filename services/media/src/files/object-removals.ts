import { isUnavailable, type Logger, type ObjectStore, type SqlTransaction } from '@skyfolio/kit'
import type { Database, Transaction } from '../database.ts'
import {
  EXPORTS_PREFIX,
  OBJECT_NAMES,
  ORIGINALS_PREFIX,
  objectKeysOf,
  objectKeysOfPrintImage,
  originalKey,
  possibleNames,
  RENDITION_COLUMNS,
} from './object-keys.ts'

export interface ObjectRemovalDeps {
  db: Database
  store: ObjectStore
  logger: Logger
}

/** An object that nothing of its user needs any more. */
export interface UnusedObject {
  key: string
  userId: number
}

export function unusedObjects(userId: number, keys: string[]): UnusedObject[] {
  return keys.map((key) => ({ key, userId }))
}

/** Removed at the same time, in one transaction, which lasts as long as the slowest. */
const BATCH = 10
/** Longer than any transaction: at the removal, an upload that keeps the object has committed or never will. */
export const GRACE_SECONDS = 60
const RETRY_SECONDS = 60
/** Longer than the stall timeout of the store. */
const REMOVAL_TIMEOUT_MS = 60_000

/**
 * Schedules the removal of objects of users, in so many seconds, or when an earlier call said. An upload that commits with one
 * before its removal keeps it.
 */
export async function scheduleRemovals(tx: SqlTransaction, objects: UnusedObject[], seconds = 0): Promise<void> {
  if (objects.length === 0) return
  await tx.$executeRawUnsafe(
    `INSERT INTO object_removals (key, user_id, not_before)
    SELECT DISTINCT ON (key) key, user_id, now() + make_interval(secs => $3)
    FROM unnest($1::text[], $2::int[]) AS unused (key, user_id) ORDER BY key
    ON CONFLICT (key) DO UPDATE SET user_id = EXCLUDED.user_id`,
    objects.map(({ key }) => key),
    objects.map(({ userId }) => userId),
    seconds,
  )
}

/** Removes all objects whose removal is due. A failed removal is retried later; in an outage of the store all wait. */
export async function removeDueObjects(deps: ObjectRemovalDeps): Promise<void> {
  while ((await removeDueBatch(deps)) === BATCH);
}

/** Does so with the objects of a user, for some seconds. Returns whether none of them is left. */
export async function removeObjectsOf(deps: ObjectRemovalDeps, userId: number, seconds: number): Promise<boolean> {
  const until = performance.now() + seconds * 1000
  while ((await removeDueBatch(deps, userId)) === BATCH && performance.now() < until);
  return (await deps.db.objectRemoval.findFirst({ where: { userId } })) === null
}

/**
 * Removes the due objects that no photo, print image or upload session has and no other process is removing. Returns how many
 * were due, none in an outage of the store.
 */
async function removeDueBatch(deps: ObjectRemovalDeps, userId: number | null = null): Promise<number> {
  return deps.db.$transaction(
    async (tx) => {
      const due = await tx.$queryRaw<{ key: string }[]>`
        SELECT key FROM object_removals WHERE not_before <= now() AND (${userId}::int IS NULL OR user_id = ${userId}::int)
        ORDER BY not_before LIMIT ${BATCH} FOR UPDATE SKIP LOCKED`
      const keys = due.map(({ key }) => key)
      const failures = await removeUnused(deps, tx, keys)
      const failed = failures.map(({ key }) => key)
      await tx.objectRemoval.deleteMany({ where: { key: { in: keys.filter((key) => !failed.includes(key)) } } })
      if (failures.some(({ error }) => isUnavailable(error))) return 0
      const notBefore = new Date(Date.now() + RETRY_SECONDS * 1000)
      if (failed.length > 0) await tx.objectRemoval.updateMany({ where: { key: { in: failed } }, data: { notBefore } })
      return due.length
    },
    { timeout: REMOVAL_TIMEOUT_MS },
  )
}

/** Returns the failures, which do not affect other objects. */
async function removeUnused(
  { store, logger }: ObjectRemovalDeps,
  tx: Transaction,
  keys: string[],
): Promise<{ key: string; error: unknown }[]> {
  if (keys.length === 0) return []
  const used = await findUsedKeys(tx, keys)
  const removals = keys.map(async (key) => {
    try {
      if (!used.has(key)) await store.remove(key)
      return []
    } catch (error) {
      logger.warn({ err: error, key }, 'object removal failed, will retry')
      return [{ key, error }]
    }
  })
  return (await Promise.all(removals)).flat()
}

/** Schedules the removal of objects that belong to nobody who is known. */
export async function scheduleOrphanRemovals(db: Database, keys: string[]): Promise<void> {
  const notBefore = new Date(Date.now() + GRACE_SECONDS * 1000)
  await db.objectRemoval.createMany({ data: keys.map((key) => ({ key, notBefore })), skipDuplicates: true })
}

/** Returns the keys that belong to upload sessions, photos, print images or exports. */
export async function findUsedKeys(tx: Transaction | Database, keys: string[]): Promise<Set<string>> {
  const names = keys.flatMap(possibleNames)
  const originals = keys.filter((key) => key.startsWith(ORIGINALS_PREFIX))
  const ids = originals.map((key) => key.slice(ORIGINALS_PREFIX.length))
  // Sessions first: the object of one that is completed meanwhile is found as the photo's.
  const sessions = await tx.$queryRaw<{ objectId: string }[]>`
    SELECT object_id AS "objectId" FROM upload_sessions
    WHERE object_id = ANY (${ids}) AND state IN ('open', 'completing')`
  const photos = await tx.photo.findMany({
    where: { OR: ['filename', ...RENDITION_COLUMNS].map((column) => ({ [column]: { in: names } })) },
    select: OBJECT_NAMES,
  })
  const printImages = await tx.printImage.findMany({
    where: { OR: [{ id: { in: names } }, { source: { in: names } }] },
    select: { id: true, source: true },
  })
  const ofExports = keys.filter((key) => key.startsWith(EXPORTS_PREFIX))
  const files = await tx.exportEntry.findMany({
    where: { key: { in: ofExports }, photoId: null },
    select: { key: true },
  })
  return new Set([
    ...sessions.map(({ objectId }) => originalKey(objectId)),
    ...files.map(({ key }) => key),
    ...photos.flatMap(objectKeysOf),
    ...printImages.flatMap(objectKeysOfPrintImage),
  ])
}
