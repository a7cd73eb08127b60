import type { IncompleteUpload, StoredObject } from '@skyfolio/kit'
import type { Database } from '../database.ts'
import { publishChanged } from '../events.ts'
import type { Photo, Prisma } from '../generated/client.ts'
import { LOST, WAITING } from '../processing/leases.ts'
import { hasOriginal } from '../uploads/known-files.ts'
import { sideBySide } from './merge-join.ts'
import { ORIGINALS, originalKey, RENDITIONS, renditionKey } from './objects.ts'
import { markOrphans, type SweepingDeps } from './sweeping.ts'

export interface ReconcileOptions {
  /** Age in milliseconds from which an object that no photo has is removed. */
  orphanAgeMs: number
  /** Finds all and changes nothing. */
  dryRun: boolean
}

/** What a comparison of store and database found, and did unless it was a dry run. */
export interface Reconciled {
  photos: number
  objects: number
  /** Objects that no photo has and that are old enough: they are noted for removal. */
  orphans: number
  /** Objects that no photo has yet. */
  young: number
  /** Uploads that began long ago and never ended: they are ended. */
  incompleteUploads: number
  /** Photos whose original is not in the store, or not whole: ready ones become failed. */
  lost: number
  /** The first of them. */
  lostIds: number[]
  /** Photos whose original was lost and is there again: they are processed again. */
  adopted: number
  /** Renditions that photos name and the store lacks: their photos are processed again. */
  missingRenditions: number
}

interface Run extends SweepingDeps, ReconcileOptions {
  found: Reconciled
}

const PAGE = 500
const ORPHANS_AT_ONCE = 200
const IDS_TO_REPORT = 100
/** Longer than any upload may take. */
const UPLOAD_MS = 24 * 3600 * 1000

type OriginalRow = Pick<Photo, 'id' | 'filename' | 'filesize' | 'status' | 'statusMessage'> & { key: string }

/** All photos in the order of their originals' keys: a name is its key and a format. */
async function* originalRows(db: Database): AsyncGenerator<OriginalRow> {
  for (let after = ''; ; ) {
    const rows = await db.photo.findMany({
      where: { filename: { gt: after } },
      orderBy: { filename: 'asc' },
      take: PAGE,
      select: { id: true, filename: true, filesize: true, status: true, statusMessage: true },
    })
    for (const row of rows) yield { ...row, key: originalKey(row.filename) }
    if (rows.length < PAGE) return
    after = rows.at(-1)?.filename ?? after
  }
}

interface RenditionRow {
  id: number
  name: string
  key: string
}

/** The renditions that photos name, in the order of their keys. */
async function* renditionRows(db: Database): AsyncGenerator<RenditionRow> {
  for (let after = ''; ; ) {
    const rows = await db.$queryRaw<{ id: number; name: string }[]>`
      (SELECT id, thumbnail AS name FROM photos WHERE thumbnail > ${after} ORDER BY thumbnail LIMIT ${PAGE})
      UNION ALL
      (SELECT id, preview AS name FROM photos WHERE preview > ${after} ORDER BY preview LIMIT ${PAGE})
      ORDER BY name LIMIT ${PAGE}`
    for (const row of rows) yield { ...row, key: renditionKey(row.name) }
    if (rows.length < PAGE) return
    after = rows.at(-1)?.name ?? after
  }
}

/** Changes a photo if it is still as `where` says. */
async function change({ db, dryRun }: Run, where: Prisma.PhotoWhereInput, data: typeof LOST | typeof WAITING) {
  if (dryRun) return
  await db.$transaction(async (tx) => {
    const changed = await tx.photo.updateManyAndReturn({ where, data: { ...data, revision: { increment: 1 } } })
    await publishChanged(tx, ...changed)
  })
}

/** Collects the keys of objects that no photo seems to have, and notes them in batches. */
function orphanage(run: Run) {
  const oldest = Date.now() - run.orphanAgeMs
  let keys: string[] = []
  async function flush(): Promise<void> {
    run.found.orphans += await markOrphans(run, keys, run.dryRun)
    keys = []
  }
  return {
    flush,
    async take({ key, modifiedAt }: StoredObject): Promise<void> {
      if (modifiedAt.getTime() > oldest) run.found.young++
      else if (keys.push(key) === ORPHANS_AT_ONCE) await flush()
    },
  }
}

/** A photo whose original the list of objects did not show whole: it is looked for once more, as is the photo. */
async function originalSeemsLost(run: Run, row: OriginalRow): Promise<void> {
  const { db, store, found } = run
  if (await hasOriginal(store, row)) return
  if (!(await db.photo.findFirst({ where: { id: row.id, filename: row.filename }, select: { id: true } }))) return
  found.lost++
  if (found.lostIds.length < IDS_TO_REPORT) found.lostIds.push(row.id)
  await change(run, { id: row.id, filename: row.filename, status: 'ready' }, LOST)
}

async function compareOriginals(run: Run): Promise<void> {
  const { db, store, found } = run
  const orphans = orphanage(run)
  for await (const [object, row] of sideBySide(store.list(ORIGINALS), originalRows(db))) {
    if (object) found.objects++
    if (row) found.photos++
    if (!row) await orphans.take(object)
    else if (object?.size !== row.filesize) await originalSeemsLost(run, row)
    else if (row.statusMessage === LOST.statusMessage) {
      found.adopted++
      await change(run, { id: row.id, ...LOST }, WAITING)
    }
  }
  await orphans.flush()
}

/** Only ready photos count: others are processed anyway, or cannot be. */
async function renditionSeemsMissing(run: Run, { id, name, key }: RenditionRow): Promise<void> {
  const { db, store, found } = run
  if (await store.head(key)) return
  const where = { id, status: 'ready', OR: [{ thumbnail: name }, { preview: name }] }
  if (!(await db.photo.findFirst({ where, select: { id: true } }))) return
  found.missingRenditions++
  await change(run, where, WAITING)
}

async function compareRenditions(run: Run): Promise<void> {
  const { db, store, found } = run
  const orphans = orphanage(run)
  for await (const [object, row] of sideBySide(store.list(RENDITIONS), renditionRows(db))) {
    if (object) found.objects++
    if (!row) await orphans.take(object)
    else if (!object) await renditionSeemsMissing(run, row)
  }
  await orphans.flush()
}

async function endIncompleteUploads({ store, dryRun, found }: Run): Promise<void> {
  const old = ({ startedAt }: IncompleteUpload) => startedAt.getTime() < Date.now() - UPLOAD_MS
  for await (const upload of store.incomplete()) {
    if (!old(upload)) continue
    found.incompleteUploads++
    if (!dryRun) await upload.end()
  }
}

/** A store without a single original is rather the wrong one than one that lost them all. */
async function refuseWrongStore({ db, store }: Run): Promise<void> {
  for await (const _ of store.list(ORIGINALS)) return
  if (await db.photo.findFirst({ select: { id: true } })) {
    throw new Error('the object store holds no originals although there are photos: is it the right one?')
  }
}

/**
 * Compares the object store with the database, both ways, and sets right what can be: see `Reconciled`. Runs beside
 * uploads and processing, and beside itself; holds a page of each side in memory.
 * @throws Error when the store has no originals at all
 */
export async function reconcile(deps: SweepingDeps, options: ReconcileOptions): Promise<Reconciled> {
  const found: Reconciled = {
    photos: 0,
    objects: 0,
    orphans: 0,
    young: 0,
    incompleteUploads: 0,
    lost: 0,
    lostIds: [],
    adopted: 0,
    missingRenditions: 0,
  }
  const run: Run = { ...deps, ...options, found }
  await refuseWrongStore(run)
  await compareOriginals(run)
  await compareRenditions(run)
  await endIncompleteUploads(run)
  if (found.lost > 0) {
    deps.logger.error({ photoIds: found.lostIds, photos: found.lost }, 'originals are missing from the store')
  }
  deps.logger.info({ ...found, lostIds: undefined, dryRun: options.dryRun }, 'store and database are compared')
  return found
}
