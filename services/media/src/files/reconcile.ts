import type { IncompleteUpload } from '@skyfolio/kit'
import type { Database } from '../database.ts'
import { publishChanged } from '../events.ts'
import type { Photo, Prisma } from '../generated/client.ts'
import { ORIGINAL_MISSING, waitingForProcessing } from '../photos/status.ts'
import { mergeJoin } from './merge-join.ts'
import {
  hasOriginal,
  ORIGINALS_PREFIX,
  originalKey,
  RENDITION_COLUMNS,
  RENDITIONS_PREFIX,
  renditionKey,
} from './object-keys.ts'
import type { ObjectRemovalDeps } from './object-removals.ts'
import { compareExportFiles } from './reconcile-exports.ts'
import { comparePrintImages } from './reconcile-print-images.ts'
import {
  createOrphanCollector,
  type ReconcileOptions,
  type ReconcileResult,
  type ReconcileRun,
} from './reconcile-run.ts'

type OriginalRow = Pick<Photo, 'id' | 'filename' | 'filesize' | 'status' | 'statusMessage'> & { key: string }

interface RenditionRow {
  id: number
  name: string
  key: string
}

const PAGE_SIZE = 500
const MAX_REPORTED_IDS = 100
/** Longer than the upload of any form can take. */
const MAX_UPLOAD_MS = 24 * 3600 * 1000

/**
 * Compares the object store with the database in both directions and repairs what it can: see `ReconcileResult`. Safe
 * during uploads and processing, and concurrently with itself. Holds one page of each side in memory.
 * @throws Error when the store has no originals although there are photos
 */
export async function reconcile(deps: ObjectRemovalDeps, options: ReconcileOptions): Promise<ReconcileResult> {
  const result: ReconcileResult = {
    photos: 0,
    objects: 0,
    orphans: 0,
    recent: 0,
    incompleteUploads: 0,
    missingOriginals: 0,
    missingOriginalIds: [],
    foundOriginals: 0,
    missingRenditions: 0,
    missingPrintImages: 0,
  }
  const run: ReconcileRun = { ...deps, ...options, result }
  await assertStoreHasOriginals(run)
  await compareOriginals(run)
  await compareRenditions(run)
  await comparePrintImages(run)
  await compareExportFiles(run)
  await abortIncompleteUploads(run)
  const { missingOriginalIds: photoIds, ...counts } = result
  if (result.missingOriginals > 0) {
    deps.logger.error({ photoIds, photos: result.missingOriginals }, 'originals missing from the object store')
  }
  deps.logger.info({ ...counts, dryRun: options.dryRun }, 'object store and database compared')
  return result
}

/** A store without a single original is more likely the wrong store than one that lost all of them. */
async function assertStoreHasOriginals({ db, store }: ReconcileRun): Promise<void> {
  for await (const _ of store.list(ORIGINALS_PREFIX)) return
  if (await db.photo.findFirst({ select: { id: true } })) {
    throw new Error('the object store holds no originals although there are photos: is it the right one?')
  }
}

async function compareOriginals(run: ReconcileRun): Promise<void> {
  const { db, store, result } = run
  const orphans = createOrphanCollector(run)
  for await (const [object, row] of mergeJoin(store.list(ORIGINALS_PREFIX), listOriginalRows(db))) {
    if (object) result.objects++
    if (row) result.photos++
    if (!row) await orphans.add(object)
    else if (object?.size !== row.filesize) await handleMissingOriginal(run, row)
    else if (row.statusMessage === ORIGINAL_MISSING.statusMessage) {
      result.foundOriginals++
      await updatePhotos(run, { id: row.id, ...ORIGINAL_MISSING }, waitingForProcessing())
    }
  }
  await orphans.flush()
}

async function compareRenditions(run: ReconcileRun): Promise<void> {
  const { db, store, result } = run
  const orphans = createOrphanCollector(run)
  for await (const [object, row] of mergeJoin(store.list(RENDITIONS_PREFIX), listRenditionRows(db))) {
    if (object) result.objects++
    if (!row) await orphans.add(object)
    else if (!object) await handleMissingRendition(run, row)
  }
  await orphans.flush()
}

/** Those of upload sessions end with them. */
async function abortIncompleteUploads(run: ReconcileRun): Promise<void> {
  const isOld = ({ startedAt }: IncompleteUpload) => startedAt.getTime() < Date.now() - MAX_UPLOAD_MS
  let old: IncompleteUpload[] = []
  for await (const upload of run.store.incomplete()) {
    if (isOld(upload)) old.push(upload)
    if (old.length < PAGE_SIZE) continue
    await abortUploads(run, old)
    old = []
  }
  await abortUploads(run, old)
}

async function abortUploads({ db, dryRun, result }: ReconcileRun, uploads: IncompleteUpload[]): Promise<void> {
  if (uploads.length === 0) return
  const sessions = await db.$queryRaw<{ uploadId: string }[]>`
    SELECT upload_id AS "uploadId" FROM upload_sessions
    WHERE upload_id = ANY (${uploads.map(({ id }) => id)}) AND state IN ('open', 'completing')`
  const kept = new Set(sessions.map(({ uploadId }) => uploadId))
  for (const upload of uploads.filter(({ id }) => !kept.has(id))) {
    result.incompleteUploads++
    if (!dryRun) await upload.end()
  }
}

/** All photos in the order of their originals' keys: a file name is its key and an extension. */
async function* listOriginalRows(db: Database): AsyncGenerator<OriginalRow> {
  for (let after = ''; ; ) {
    const rows = await db.photo.findMany({
      where: { filename: { gt: after } },
      orderBy: { filename: 'asc' },
      take: PAGE_SIZE,
      select: { id: true, filename: true, filesize: true, status: true, statusMessage: true },
    })
    for (const row of rows) yield { ...row, key: originalKey(row.filename) }
    if (rows.length < PAGE_SIZE) return
    after = rows.at(-1)?.filename ?? after
  }
}

/** All renditions that photos refer to, in the order of their keys. */
async function* listRenditionRows(db: Database): AsyncGenerator<RenditionRow> {
  for (let after = ''; ; ) {
    const rows = await db.$queryRaw<{ id: number; name: string }[]>`
      (SELECT id, thumbnail AS name FROM photos WHERE thumbnail > ${after} ORDER BY thumbnail LIMIT ${PAGE_SIZE})
      UNION ALL
      (SELECT id, preview AS name FROM photos WHERE preview > ${after} ORDER BY preview LIMIT ${PAGE_SIZE})
      UNION ALL
      (SELECT id, small AS name FROM photos WHERE small > ${after} ORDER BY small LIMIT ${PAGE_SIZE})
      UNION ALL
      (SELECT id, medium AS name FROM photos WHERE medium > ${after} ORDER BY medium LIMIT ${PAGE_SIZE})
      ORDER BY name LIMIT ${PAGE_SIZE}`
    for (const row of rows) yield { ...row, key: renditionKey(row.name) }
    if (rows.length < PAGE_SIZE) return
    after = rows.at(-1)?.name ?? after
  }
}

/** The list of objects lacks the original or shows it incomplete. Both object and photo may have changed since. */
async function handleMissingOriginal(run: ReconcileRun, row: OriginalRow): Promise<void> {
  const { db, store, result } = run
  if (await hasOriginal(store, row)) return
  if (!(await db.photo.findFirst({ where: { id: row.id, filename: row.filename }, select: { id: true } }))) return
  result.missingOriginals++
  if (result.missingOriginalIds.length < MAX_REPORTED_IDS) result.missingOriginalIds.push(row.id)
  await updatePhotos(run, { id: row.id, filename: row.filename, status: 'ready' }, ORIGINAL_MISSING)
}

/** Only ready photos count: others are processed anyway, or cannot be. */
async function handleMissingRendition(run: ReconcileRun, { id, name, key }: RenditionRow): Promise<void> {
  const { db, store, result } = run
  if (await store.head(key)) return
  const where = { id, status: 'ready', OR: RENDITION_COLUMNS.map((column) => ({ [column]: name })) }
  if (!(await db.photo.findFirst({ where, select: { id: true } }))) return
  result.missingRenditions++
  await updatePhotos(run, where, waitingForProcessing())
}

/** Updates photos that still match `where`. */
async function updatePhotos(
  { db, dryRun }: ReconcileRun,
  where: Prisma.PhotoWhereInput,
  columns: typeof ORIGINAL_MISSING | ReturnType<typeof waitingForProcessing>,
): Promise<void> {
  if (dryRun) return
  await db.$transaction(async (tx) => {
    const data = { ...columns, revision: { increment: 1 } }
    await publishChanged(tx, ...(await tx.photo.updateManyAndReturn({ where, data })))
  })
}
