import type { Archive, ArchiveEntry } from '../archives/archive.ts'
import { type Database, inPages } from '../database.ts'
import type { Export, ExportEntry } from '../generated/client.ts'

const PAGE_SIZE = 1000

/** The archive of a ready export, one page of its entries in memory at a time. */
export function openExportArchive(db: Database, row: Export): Archive {
  return {
    size: Number(row.size),
    directory: {
      entryCount: Number(row.entryCount),
      offset: Number(row.directoryOffset),
      bytes: Number(row.directoryBytes),
    },
    entries: (offset = 0) => listEntries(db, row.id, offset),
  }
}

/** Whether an original of the export's files behind `offset` was deleted or replaced. */
export async function lacksOriginals(db: Database, id: string, offset: number): Promise<boolean> {
  const from = await findPosition(db, id, offset)
  const found = await db.$queryRaw<unknown[]>`
    SELECT 1 FROM export_entries AS entry
    LEFT JOIN photos ON photos.id = entry.photo_id
      AND 'originals/' || split_part(photos.filename, '.', 1) = entry.key
    WHERE entry.export_id = ${id} AND entry.position >= ${from} AND entry.photo_id IS NOT NULL AND photos.id IS NULL
    LIMIT 1`
  return found.length > 0
}

async function* listEntries(db: Database, exportId: string, offset: number): AsyncGenerator<ArchiveEntry> {
  const first = await findPosition(db, exportId, offset)
  const pages = inPages(PAGE_SIZE, (last?: ExportEntry) => {
    const position = { gte: last ? last.position + 1 : first }
    return db.exportEntry.findMany({ where: { exportId, position }, orderBy: { position: 'asc' }, take: PAGE_SIZE })
  })
  for await (const page of pages) yield* page.map(toEntry)
}

/** The position of the entry that has the byte at `offset`. */
async function findPosition(db: Database, exportId: string, offset: number): Promise<number> {
  const entry = await db.exportEntry.findFirst({
    where: { exportId, archiveOffset: { lte: offset } },
    orderBy: { archiveOffset: 'desc' },
    select: { position: true },
  })
  return entry?.position ?? 0
}

function toEntry({ path, key, size, crc32, modifiedAt, archiveOffset }: ExportEntry): ArchiveEntry {
  return { path, key, modifiedAt, size: Number(size), crc32: Number(crc32), offset: Number(archiveOffset) }
}
