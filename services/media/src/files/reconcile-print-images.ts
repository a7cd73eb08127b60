import type { Database } from '../database.ts'
import type { PrintImage } from '../generated/client.ts'
import { WAITING_FOR_RENDERING } from '../print-images/rows.ts'
import { mergeJoin } from './merge-join.ts'
import { PRINT_IMAGES_PREFIX, printImageKey } from './object-keys.ts'
import { createOrphanCollector, type ReconcileRun } from './reconcile-run.ts'

type PrintImageRow = Pick<PrintImage, 'id' | 'photoId' | 'filesize'> & { key: string }

const PAGE_SIZE = 500

/** Compares the objects of print images with the rows of ready ones. */
export async function comparePrintImages(run: ReconcileRun): Promise<void> {
  const { db, store, result } = run
  const orphans = createOrphanCollector(run)
  for await (const [object, row] of mergeJoin(store.list(PRINT_IMAGES_PREFIX), listReadyRows(db))) {
    if (object) result.objects++
    if (!row) await orphans.add(object)
    else if (object?.size !== row.filesize) await handleMissing(run, row)
  }
  await orphans.flush()
}

/** Ready images in the order of their keys. */
async function* listReadyRows(db: Database): AsyncGenerator<PrintImageRow> {
  for (let after = ''; ; ) {
    const rows = await db.printImage.findMany({
      where: { id: { gt: after }, status: 'ready' },
      orderBy: { id: 'asc' },
      take: PAGE_SIZE,
      select: { id: true, photoId: true, filesize: true },
    })
    for (const row of rows) yield { ...row, key: printImageKey(row.id) }
    if (rows.length < PAGE_SIZE) return
    after = rows.at(-1)?.id ?? after
  }
}

/**
 * The list of objects lacks the image or shows another size; both may have changed since. It is rendered again under its
 * id, so that names in orders work again, or deleted when its photo or upload no longer exists.
 */
async function handleMissing({ db, store, dryRun, result }: ReconcileRun, row: PrintImageRow): Promise<void> {
  const head = await store.head(row.key)
  if (head?.size === row.filesize) return
  const where = { id: row.id, status: 'ready', filesize: row.filesize }
  if (!(await db.printImage.findFirst({ where, select: { id: true } }))) return
  result.missingPrintImages++
  if (dryRun) return
  const photo = row.photoId === null ? null : await db.photo.findUnique({ where: { id: row.photoId } })
  if (!photo) await db.printImage.deleteMany({ where })
  else await db.printImage.updateMany({ where, data: { ...WAITING_FOR_RENDERING, createdAt: new Date() } })
}
