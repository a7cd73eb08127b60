import { Readable } from 'node:stream'
import { crc32 } from 'node:zlib'
import { type ArchiveFile, closeArchive, EMPTY_ARCHIVE, placeFiles } from '../archives/archive.ts'
import { exportFileKey } from '../files/object-keys.ts'
import type { Prisma } from '../generated/client.ts'
import { type ExportDeps, removeEntries, type StartedExport, saveProgress } from './export-rows.ts'

/** A file of an export; `photoId` for an original. */
export interface ExportFile extends ArchiveFile {
  photoId: number | null
}

export type ArchiveWriter = Awaited<ReturnType<typeof createArchiveWriter>>

/** Writes the entries of an export, one attempt of its preparation. What earlier attempts wrote is discarded. */
export async function createArchiveWriter({ db, store }: ExportDeps, row: StartedExport) {
  const exportId = row.id
  const keys: string[] = []
  let end = EMPTY_ARCHIVE
  await db.$transaction(async (tx) => {
    await saveProgress(tx, row)
    await removeEntries(tx, row)
  })

  /** Adds files, in their order, while the export is the worker's own. @throws PreparationLostError */
  async function add(files: ExportFile[]): Promise<void> {
    const first = end.entryCount
    const next = placeFiles(end, files)
    const data = next.placed.map(({ offset, ...file }, index): Prisma.ExportEntryCreateManyInput => {
      return { ...file, exportId, position: first + index, archiveOffset: offset }
    })
    await db.$transaction(async (tx) => {
      await saveProgress(tx, row)
      await tx.exportEntry.createMany({ data })
    })
    end = next.end
  }

  /** Adds a file whose content is stored while it is made. The content may add other files to the archive. */
  async function addFile(path: string, content: Iterable<string> | AsyncIterable<string>): Promise<void> {
    const key = exportFileKey(row, keys.length)
    keys.push(key)
    let size = 0
    let checksum = 0
    async function* encode() {
      for await (const text of content) {
        const bytes = Buffer.from(text)
        size += bytes.length
        checksum = crc32(bytes, checksum)
        yield bytes
      }
    }
    const encoded = encode()
    const body = Readable.from(encoded)
    // The store reports it.
    body.on('error', () => {})
    try {
      await store.put(key, body, { contentType: 'application/octet-stream' })
    } finally {
      // A store that fails leaves nothing of this attempt running.
      await encoded.return()
    }
    await add([{ path, key, size, crc32: checksum, modifiedAt: row.createdAt.toISOString(), photoId: null }])
  }

  return {
    add,
    addFile,
    /** The keys of the objects that this attempt stored, or began to. */
    keys,
    /** The columns of an archive with these files. */
    close() {
      const { size, directory } = closeArchive(end)
      const { entryCount, offset, bytes } = directory
      return { size, entryCount, directoryOffset: offset, directoryBytes: bytes }
    },
  }
}

/** A JSON array as text, one item in memory at a time. */
export async function* jsonList(items: AsyncIterable<object>): AsyncGenerator<string> {
  let separator = '[\n  '
  let end = '[]\n'
  for await (const item of items) {
    yield separator + JSON.stringify(item, null, 2).replaceAll('\n', '\n  ')
    separator = ',\n  '
    end = '\n]\n'
  }
  yield end
}
