import type { StoredObject } from '@skyfolio/kit'
import { type Database, inPages } from '../database.ts'
import { publishChanged } from '../events.ts'
import { type Photo, type PrintImage, Prisma } from '../generated/client.ts'
import { ORIGINAL_MISSING, waitingForProcessing } from '../photos/status.ts'
import { WAITING_FOR_RENDERING } from '../print-images/rows.ts'
import {
  EXPORTS_PREFIX,
  hasOriginal,
  ORIGINALS_PREFIX,
  originalKey,
  PRINT_IMAGES_PREFIX,
  printImageKey,
  RENDITION_COLUMNS,
  RENDITIONS_PREFIX,
  renditionKey,
} from './object-keys.ts'
import { findUsedKeys, type ObjectRemovalDeps, scheduleOrphanRemovals } from './object-removals.ts'

/** Longer than any upload in progress takes to commit; what is younger may be one. */
export const ORPHAN_AGE_MS = 6 * 3_600_000

interface ReconcileOptions {
  /** Age in milliseconds from which an object that belongs to nothing is removed. */
  orphanAgeMs: number
  /** Reports everything and changes nothing. */
  dryRun: boolean
}

/** What was found. Each finding was acted upon unless it was a dry run. */
const NOTHING = {
  photos: 0,
  objects: 0,
  /** Objects that belong to nothing and are old enough: their removal is scheduled. */
  orphans: 0,
  /** Newer objects that belong to nothing. */
  recent: 0,
  /** Multipart uploads that began long ago and did not complete: they are aborted. */
  incompleteUploads: 0,
  /** Photos whose original is missing from the store or incomplete: ready ones become failed. */
  missingOriginals: 0,
  /** The ids of the first of them. */
  missingOriginalIds: [] as number[],
  /** Photos whose original was missing and exists again: they are processed again. */
  foundOriginals: 0,
  /** Renditions that photos refer to and the store lacks: the photos are processed again. */
  missingRenditions: 0,
  /** Ready print images without their object: they are rendered again, or deleted when what they show is gone. */
  missingPrintImages: 0,
}
export type ReconcileResult = typeof NOTHING

interface ReconcileRun extends ObjectRemovalDeps, ReconcileOptions {
  result: ReconcileResult
}

/** A row that refers to the object with this key. */
type Referring<Row> = Row & { key: string }
type OriginalRow = Referring<Pick<Photo, 'id' | 'filename' | 'filesize' | 'status' | 'statusMessage'>>
type RenditionRow = Referring<{ id: number; name: string }>
type PrintImageRow = Referring<Pick<PrintImage, 'id' | 'photoId' | 'filesize'>>

const PAGE_SIZE = 500
const ORPHAN_BATCH = 200
const MAX_REPORTED_IDS = 100
/** Longer than the upload of any form can take. */
const MAX_UPLOAD_MS = 24 * 3600 * 1000

/**
 * Compares the object store with the database in both directions and repairs what it can: see `ReconcileResult`. Safe
 * during uploads and processing, and concurrently with itself. Holds one page of each side in memory.
 * @throws Error when the store has no originals although there are photos
 */
export async function reconcile(deps: ObjectRemovalDeps, options: ReconcileOptions): Promise<ReconcileResult> {
  const result: ReconcileResult = { ...NOTHING, missingOriginalIds: [] }
  const run: ReconcileRun = { ...deps, ...options, result }
  const { db } = deps
  await assertStoreHasOriginals(run)
  await compare(run, ORIGINALS_PREFIX, listOriginals(db), (row, object) => checkOriginal(run, row, object))
  await compare(run, RENDITIONS_PREFIX, listRenditions(db), (row, object) => checkRendition(run, row, object))
  await compare(run, PRINT_IMAGES_PREFIX, listPrintImages(db), (row, object) => checkPrintImage(run, row, object))
  // Objects of abandoned preparations and deleted exports are orphans; a missing one is found when the archive is sent.
  await compare(run, EXPORTS_PREFIX, (async function* () {})(), async () => {})
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

/**
 * Checks each row with its object, if the store has it, and collects the objects to which no row refers. Both sides
 * ascend by key.
 */
async function compare<Row extends { key: string }>(
  run: ReconcileRun,
  prefix: string,
  pages: AsyncGenerator<Row[]>,
  check: (row: Row, object: StoredObject | null) => Promise<void>,
): Promise<void> {
  const rows = (async function* () {
    for await (const page of pages) yield* page
  })()
  const nextRow = async (): Promise<Row | undefined> => (await rows.next()).value ?? undefined
  let unreferred: StoredObject[] = []
  let row = await nextRow()
  for await (const object of run.store.list(prefix)) {
    run.result.objects++
    for (; row && row.key < object.key; row = await nextRow()) await check(row, null)
    if (row?.key !== object.key) unreferred.push(object)
    for (; row?.key === object.key; row = await nextRow()) await check(row, object)
    if (unreferred.length < ORPHAN_BATCH) continue
    await handleOrphans(run, unreferred)
    unreferred = []
  }
  for (; row; row = await nextRow()) await check(row, null)
  await handleOrphans(run, unreferred)
}

/** Schedules the removal of those of the objects that belong to nothing and are old enough. */
async function handleOrphans(run: ReconcileRun, objects: StoredObject[]): Promise<void> {
  const { db, result, dryRun, orphanAgeMs } = run
  const newest = Date.now() - orphanAgeMs
  const keys = objects.map(({ key }) => key)
  const used = await findUsedKeys(db, keys)
  const unused = objects.filter(({ key }) => !used.has(key))
  const orphans = unused.filter(({ modifiedAt }) => modifiedAt.getTime() <= newest).map(({ key }) => key)
  result.recent += unused.length - orphans.length
  result.orphans += orphans.length
  if (!dryRun) await scheduleOrphanRemovals(db, orphans)
}

/** Those of upload sessions end with them. */
async function abortIncompleteUploads({ db, store, dryRun, result }: ReconcileRun): Promise<void> {
  const newest = Date.now() - MAX_UPLOAD_MS
  for await (const upload of store.incomplete()) {
    if (upload.startedAt.getTime() >= newest) continue
    const where = { uploadId: upload.id, state: { in: ['open', 'completing'] } }
    if (await db.uploadSession.findFirst({ where, select: { id: true } })) continue
    result.incompleteUploads++
    if (!dryRun) await upload.end()
  }
}

/** All photos in the order of their originals' keys: a file name is its key and an extension. */
function listOriginals(db: Database): AsyncGenerator<OriginalRow[]> {
  return inPages(PAGE_SIZE, async (last?: OriginalRow) => {
    const rows = await db.photo.findMany({
      where: { filename: { gt: last?.filename ?? '' } },
      orderBy: { filename: 'asc' },
      take: PAGE_SIZE,
      select: { id: true, filename: true, filesize: true, status: true, statusMessage: true },
    })
    return rows.map((row) => ({ ...row, key: originalKey(row.filename) }))
  })
}

/** All renditions that photos refer to, in the order of their keys. */
function listRenditions(db: Database): AsyncGenerator<RenditionRow[]> {
  return inPages(PAGE_SIZE, async (last?: RenditionRow) => {
    const parts = RENDITION_COLUMNS.map((name) => {
      const column = Prisma.raw(name)
      return Prisma.sql`(SELECT id, ${column} AS name FROM photos WHERE ${column} > ${last?.name ?? ''}
        ORDER BY ${column} LIMIT ${PAGE_SIZE})`
    })
    const rows = await db.$queryRaw<{ id: number; name: string }[]>`
      ${Prisma.join(parts, ' UNION ALL ')} ORDER BY name LIMIT ${PAGE_SIZE}`
    return rows.map((row) => ({ ...row, key: renditionKey(row.name) }))
  })
}

/** Ready images in the order of their keys. */
function listPrintImages(db: Database): AsyncGenerator<PrintImageRow[]> {
  return inPages(PAGE_SIZE, async (last?: PrintImageRow) => {
    const rows = await db.printImage.findMany({
      where: { id: { gt: last?.id ?? '' }, status: 'ready' },
      orderBy: { id: 'asc' },
      take: PAGE_SIZE,
      select: { id: true, photoId: true, filesize: true },
    })
    return rows.map((row) => ({ ...row, key: printImageKey(row.id) }))
  })
}

/** An original that the list of objects lacks, or shows incomplete, is looked at again: object and photo may have changed since. */
async function checkOriginal(run: ReconcileRun, row: OriginalRow, object: StoredObject | null): Promise<void> {
  const { db, store, result } = run
  const { id, filename, filesize, statusMessage } = row
  result.photos++
  if (object?.size === filesize) {
    if (statusMessage !== ORIGINAL_MISSING.statusMessage) return
    result.foundOriginals++
    return updatePhotos(run, { id, ...ORIGINAL_MISSING }, waitingForProcessing())
  }
  if (await hasOriginal(store, row)) return
  if (!(await db.photo.findFirst({ where: { id, filename }, select: { id: true } }))) return
  result.missingOriginals++
  if (result.missingOriginalIds.length < MAX_REPORTED_IDS) result.missingOriginalIds.push(id)
  await updatePhotos(run, { id, filename, status: 'ready' }, ORIGINAL_MISSING)
}

/** Only ready photos count: others are processed anyway, or cannot be. */
async function checkRendition(
  run: ReconcileRun,
  { id, name, key }: RenditionRow,
  object: StoredObject | null,
): Promise<void> {
  const { db, store, result } = run
  if (object || (await store.head(key))) return
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

/**
 * A missing image is rendered again under its id, so that names in orders work again, or deleted when its photo or upload
 * no longer exists.
 */
async function checkPrintImage(run: ReconcileRun, row: PrintImageRow, object: StoredObject | null): Promise<void> {
  const { db, store, dryRun, result } = run
  const { id, photoId, filesize } = row
  if (object?.size === filesize || (await store.head(row.key))?.size === filesize) return
  const where = { id, status: 'ready', filesize }
  if (!(await db.printImage.findFirst({ where, select: { id: true } }))) return
  result.missingPrintImages++
  if (dryRun) return
  const photo = photoId === null ? null : await db.photo.findUnique({ where: { id: photoId } })
  if (!photo) await db.printImage.deleteMany({ where })
  else await db.printImage.updateMany({ where, data: { ...WAITING_FOR_RENDERING, createdAt: new Date() } })
}
