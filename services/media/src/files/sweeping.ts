import { isUnavailable, type Logger, type ObjectStore } from '@skyfolio/kit'
import type { Database, Transaction } from '../database.ts'
import { keysOf, namesOf } from './objects.ts'

export interface SweepingDeps {
  db: Database
  store: ObjectStore
  logger: Logger
}

const BATCH = 200
/** Longer than any transaction: an upload that takes an object over has committed, or never will, when it is removed. */
const GRACE_SECONDS = 60
const RETRY_SECONDS = 60
/** Longer than the store may be silent. */
const REMOVAL_MS = 60_000

/** Of these keys those that a photo has. */
async function keysInUse(tx: Transaction | Database, keys: string[]): Promise<Set<string>> {
  const names = keys.flatMap(namesOf)
  const photos = await tx.photo.findMany({
    where: { OR: [{ filename: { in: names } }, { thumbnail: { in: names } }, { preview: { in: names } }] },
    select: { filename: true, thumbnail: true, preview: true },
  })
  return new Set(photos.flatMap(keysOf))
}

/** Removes one object whose removal is due, unless a photo took it over meanwhile or somebody else is at it. */
async function removeObject({ db, store }: SweepingDeps, key: string): Promise<void> {
  await db.$transaction(
    async (tx) => {
      const locked = await tx.$queryRaw<
        unknown[]
      >`SELECT 1 FROM object_removals WHERE key = ${key} FOR UPDATE SKIP LOCKED`
      if (locked.length === 0) return
      if (!(await keysInUse(tx, [key])).has(key)) await store.remove(key)
      await tx.objectRemoval.delete({ where: { key } })
    },
    { timeout: REMOVAL_MS },
  )
}

/**
 * Carries out the object removals that are due. One that fails is tried again later; while the store is away all of
 * them wait.
 */
export async function removeObjects(deps: SweepingDeps): Promise<void> {
  while ((await removeSome(deps)) === BATCH);
}

async function removeSome(deps: SweepingDeps): Promise<number> {
  const due = await deps.db.objectRemoval.findMany({
    where: { notBefore: { lte: new Date() } },
    orderBy: { notBefore: 'asc' },
    take: BATCH,
  })
  for (const { key } of due) {
    try {
      await removeObject(deps, key)
    } catch (error) {
      deps.logger.warn({ err: error, key }, 'an object could not be removed; it is tried again later')
      if (isUnavailable(error)) return 0
      const notBefore = new Date(Date.now() + RETRY_SECONDS * 1000)
      await deps.db.objectRemoval.updateMany({ where: { key }, data: { notBefore } })
    }
  }
  return due.length
}

/**
 * Notes those of the objects for removal that no photo has, or only counts them in a dry run. Gives their number. An
 * upload that takes one over meanwhile keeps it.
 */
export async function markOrphans({ db }: SweepingDeps, keys: string[], dryRun: boolean): Promise<number> {
  const used = await keysInUse(db, keys)
  const orphans = keys.filter((key) => !used.has(key))
  const notBefore = new Date(Date.now() + GRACE_SECONDS * 1000)
  const data = orphans.map((key) => ({ key, notBefore }))
  if (!dryRun && data.length > 0) await db.objectRemoval.createMany({ data, skipDuplicates: true })
  return orphans.length
}
