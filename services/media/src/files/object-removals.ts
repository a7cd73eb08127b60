import { isUnavailable, type Logger, type ObjectStore } from '@skyfolio/kit'
import type { Database, Transaction } from '../database.ts'
import { objectKeysOf, objectKeysOfPrintImage, possibleNames } from './object-keys.ts'

export interface ObjectRemovalDeps {
  db: Database
  store: ObjectStore
  logger: Logger
}

const BATCH = 200
/** Longer than any transaction: at the removal, an upload that claimed the object has committed or never will. */
const GRACE_SECONDS = 60
const RETRY_SECONDS = 60
/** Longer than the stall timeout of the store. */
const REMOVAL_TIMEOUT_MS = 60_000

/** Removes all objects whose removal is due. A failed removal is retried later; in an outage of the store all wait. */
export async function removeDueObjects(deps: ObjectRemovalDeps): Promise<void> {
  while ((await removeDueBatch(deps)) === BATCH);
}

async function removeDueBatch(deps: ObjectRemovalDeps): Promise<number> {
  const due = await deps.db.objectRemoval.findMany({
    where: { notBefore: { lte: new Date() } },
    orderBy: { notBefore: 'asc' },
    take: BATCH,
  })
  for (const { key } of due) {
    try {
      await removeIfUnused(deps, key)
    } catch (error) {
      deps.logger.warn({ err: error, key }, 'object removal failed, will retry')
      if (isUnavailable(error)) return 0
      const notBefore = new Date(Date.now() + RETRY_SECONDS * 1000)
      await deps.db.objectRemoval.updateMany({ where: { key }, data: { notBefore } })
    }
  }
  return due.length
}

/** Removes the object, unless a photo or print image claimed it meanwhile or another process is removing it. */
async function removeIfUnused({ db, store }: ObjectRemovalDeps, key: string): Promise<void> {
  await db.$transaction(
    async (tx) => {
      const locked = await tx.$queryRaw<
        unknown[]
      >`SELECT 1 FROM object_removals WHERE key = ${key} FOR UPDATE SKIP LOCKED`
      if (locked.length === 0) return
      if (!(await findUsedKeys(tx, [key])).has(key)) await store.remove(key)
      await tx.objectRemoval.delete({ where: { key } })
    },
    { timeout: REMOVAL_TIMEOUT_MS },
  )
}

/**
 * Schedules the removal of those objects that belong to nothing and returns their number; a dry run only counts them.
 * An upload that claims one before its removal keeps it.
 */
export async function scheduleOrphanRemovals(
  { db }: ObjectRemovalDeps,
  keys: string[],
  dryRun: boolean,
): Promise<number> {
  const used = await findUsedKeys(db, keys)
  const orphans = keys.filter((key) => !used.has(key))
  const notBefore = new Date(Date.now() + GRACE_SECONDS * 1000)
  const data = orphans.map((key) => ({ key, notBefore }))
  if (!dryRun && data.length > 0) await db.objectRemoval.createMany({ data, skipDuplicates: true })
  return orphans.length
}

/** Returns the keys that belong to photos or print images. */
async function findUsedKeys(tx: Transaction | Database, keys: string[]): Promise<Set<string>> {
  const names = keys.flatMap(possibleNames)
  const photos = await tx.photo.findMany({
    where: { OR: [{ filename: { in: names } }, { thumbnail: { in: names } }, { preview: { in: names } }] },
    select: { filename: true, thumbnail: true, preview: true },
  })
  const printImages = await tx.printImage.findMany({
    where: { OR: [{ id: { in: names } }, { source: { in: names } }] },
    select: { id: true, source: true },
  })
  return new Set([...photos.flatMap(objectKeysOf), ...printImages.flatMap(objectKeysOfPrintImage)])
}
