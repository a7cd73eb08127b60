import type { Logger, ObjectStore } from '@skyfolio/kit'
import type { Database, Transaction } from './database.ts'
import { keysOf, namesOf, ORIGINALS, originalKey, RENDITIONS } from './objects.ts'

export interface SweepingDeps {
  db: Database
  store: ObjectStore
  logger: Logger
}

const BATCH = 200
/** Longer than any transaction: an upload that takes an object over has committed, or never will, when it is removed. */
const GRACE_SECONDS = 60
const RETRY_SECONDS = 60

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
  await db.$transaction(async (tx) => {
    const locked = await tx.$queryRaw<
      unknown[]
    >`SELECT 1 FROM object_removals WHERE key = ${key} FOR UPDATE SKIP LOCKED`
    if (locked.length === 0) return
    if (!(await keysInUse(tx, [key])).has(key)) await store.remove(key)
    await tx.objectRemoval.delete({ where: { key } })
  })
}

/** Carries out the object removals that are due. One that fails is tried again later. */
export async function removeObjects(deps: SweepingDeps): Promise<void> {
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
      const notBefore = new Date(Date.now() + RETRY_SECONDS * 1000)
      await deps.db.objectRemoval.updateMany({ where: { key }, data: { notBefore } })
    }
  }
}

async function markOrphans({ db, logger }: SweepingDeps, keys: string[]): Promise<number> {
  const used = await keysInUse(db, keys)
  const orphans = keys.filter((key) => !used.has(key))
  if (orphans.length === 0) return 0
  logger.info({ objects: orphans.length }, 'objects without a photo will be removed')
  const notBefore = new Date(Date.now() + GRACE_SECONDS * 1000)
  await db.objectRemoval.createMany({ data: orphans.map((key) => ({ key, notBefore })), skipDuplicates: true })
  return orphans.length
}

/** Marks objects for removal that are older than `ageMs` and belong to no photo. Gives their number. */
export async function sweepObjects(deps: SweepingDeps, ageMs: number): Promise<number> {
  const oldEnough = Date.now() - ageMs
  let orphans = 0
  for (const prefix of [ORIGINALS, RENDITIONS]) {
    let keys: string[] = []
    for await (const { key, modifiedAt } of deps.store.list(prefix)) {
      if (modifiedAt.getTime() > oldEnough) continue
      keys.push(key)
      if (keys.length < BATCH) continue
      orphans += await markOrphans(deps, keys)
      keys = []
    }
    orphans += await markOrphans(deps, keys)
  }
  return orphans
}

/** Reports photos whose original is missing from the store, which must never be. Gives their ids. */
export async function findLostOriginals({ db, store, logger }: SweepingDeps): Promise<number[]> {
  const lost: number[] = []
  let after = 0
  for (;;) {
    const photos = await db.photo.findMany({ where: { id: { gt: after } }, orderBy: { id: 'asc' }, take: BATCH })
    for (const { id, filename } of photos) {
      if (await store.head(originalKey(filename))) continue
      // Deleted while we looked?
      if (await db.photo.findUnique({ where: { id } })) lost.push(id)
    }
    if (photos.length < BATCH) break
    after = photos.at(-1)?.id ?? after
  }
  if (lost.length > 0)
    logger.error({ photoIds: lost.slice(0, 100), photos: lost.length }, 'originals are missing from the store')
  return lost
}
