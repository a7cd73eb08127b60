import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import { crc32 } from 'node:zlib'
import { type ArchiveEnd, type ArchiveFile, closeArchive, EMPTY_ARCHIVE, placeFiles } from '../archives/archive.ts'
import { exportFileKey } from '../files/object-keys.ts'
import type { Prisma } from '../generated/client.ts'
import { type ExportDeps, removeEntries, type StartedExport, saveProgress } from './export-rows.ts'

/** A file of an export; `photoId` for an original. */
export interface ExportFile extends ArchiveFile {
  photoId: number | null
}

/** A file that is stored while it is written. */
interface OpenFile {
  write(text: string): Promise<void>
  /** Adds the file to the archive, when it is stored. */
  close(): Promise<void>
  /** Discards the file unless it was closed. */
  discard(): void
}

export type ArchiveWriter = Awaited<ReturnType<typeof createArchiveWriter>>

const INSERTED_AT_ONCE = 1000

/** Writes the entries of an export, one attempt of its preparation. What earlier attempts wrote is discarded. */
export async function createArchiveWriter({ db, store }: ExportDeps, row: StartedExport) {
  const exportId = row.id
  const keys: string[] = []
  let end: ArchiveEnd = EMPTY_ARCHIVE
  await db.$transaction(async (tx) => {
    await saveProgress(tx, row)
    await removeEntries(tx, row)
  })

  /** Adds files, in their order, while the export is the worker's own. @throws PreparationLostError */
  async function add(files: ExportFile[]): Promise<void> {
    for (let at = 0; at < files.length; at += INSERTED_AT_ONCE) {
      const first = end.entryCount
      const next = placeFiles(end, files.slice(at, at + INSERTED_AT_ONCE))
      await db.$transaction(async (tx) => {
        await saveProgress(tx, row)
        const data = next.placed.map(({ offset, ...file }, index): Prisma.ExportEntryCreateManyInput => {
          return { ...file, exportId, position: first + index, archiveOffset: offset }
        })
        await tx.exportEntry.createMany({ data })
      })
      end = next.end
    }
  }

  function open(path: string): OpenFile {
    const key = exportFileKey(row, keys.length)
    keys.push(key)
    const body = new PassThrough()
    let size = 0
    let checksum = 0
    let isClosed = false
    const stored = store.put(key, body, { contentType: 'application/octet-stream' })
    // Reported by the next write, or the end.
    stored.catch(() => {})
    body.on('error', () => {})
    return {
      async write(text) {
        const bytes = Buffer.from(text)
        size += bytes.length
        checksum = crc32(bytes, checksum)
        if (!body.write(bytes)) await Promise.race([once(body, 'drain'), stored])
      },
      async close() {
        isClosed = true
        body.end()
        await stored
        await add([{ path, key, size, crc32: checksum, modifiedAt: row.createdAt, photoId: null }])
      },
      discard() {
        if (!isClosed) body.destroy(new Error('the file was discarded'))
      },
    }
  }

  return {
    add,
    open,
    /** The keys of the objects that this attempt stored, or began to. */
    keys,
    /** Adds a file with this content. */
    async addFile(path: string, content: string): Promise<void> {
      const file = open(path)
      try {
        await file.write(content)
        await file.close()
      } finally {
        file.discard()
      }
    },
    /** The columns of an archive with these files. */
    close() {
      const { size, directory } = closeArchive(end)
      return {
        size,
        entryCount: directory.entryCount,
        directoryOffset: directory.offset,
        directoryBytes: directory.bytes,
      }
    },
  }
}

interface List {
  file: OpenFile
  items: number
  parts: number
}

export type JsonLists = ReturnType<typeof createJsonLists>

/** Writes items into JSON arrays of the archive, without holding them in memory. */
export function createJsonLists(writer: ArchiveWriter) {
  const lists = new Map<string, List>()

  function open(name: string, parts: number, itemsPerFile: number | null): List {
    const suffix = itemsPerFile === null ? '' : `-${String(parts).padStart(4, '0')}`
    const list = { file: writer.open(`${name}${suffix}.json`), items: 0, parts }
    lists.set(name, list)
    return list
  }

  async function close({ file, items }: List): Promise<void> {
    await file.write(items === 0 ? '[]\n' : '\n]\n')
    await file.close()
  }

  return {
    /** Adds an item to the file of this name; with `itemsPerFile` to one of its numbered parts. */
    async add(name: string, itemsPerFile: number | null, item: object): Promise<void> {
      let list = lists.get(name) ?? open(name, 1, itemsPerFile)
      if (list.items === itemsPerFile) {
        await close(list)
        list = open(name, list.parts + 1, itemsPerFile)
      }
      const text = JSON.stringify(item, null, 2).replaceAll('\n', '\n  ')
      await list.file.write(`${list.items === 0 ? '[\n  ' : ',\n  '}${text}`)
      list.items += 1
    },
    async close(): Promise<void> {
      for (const list of lists.values()) await close(list)
    },
    /** Discards the files that are not closed. */
    discard(): void {
      for (const { file } of lists.values()) file.discard()
    },
  }
}
