import type { ByteRange } from '../files/responses.ts'
import { directoryRecord, endOfArchive, localHeader, type ZipDirectory, type ZipFile } from './zip-records.ts'

/** A file of an archive: its bytes are an object of the store. */
export interface ArchiveFile extends ZipFile {
  key: string
}

/** A file whose place in the archive is known. */
export interface ArchiveEntry extends ArchiveFile {
  /** Of its local header. */
  offset: number
}

/** A ZIP archive that is made while it is sent: no byte of it is stored as such. */
export interface Archive {
  /** Bytes of the whole archive. */
  size: number
  directory: ZipDirectory
  /** The entries in their order, from the one that has the byte at `offset`. The same each time. */
  entries(offset?: number): AsyncIterable<ArchiveEntry>
}

/** Where the next file of an archive begins, and what its directory has so far. */
export interface ArchiveEnd {
  entryCount: number
  offset: number
  directoryBytes: number
}

export const EMPTY_ARCHIVE: ArchiveEnd = { entryCount: 0, offset: 0, directoryBytes: 0 }

/** Places files behind what an archive has so far. */
export function placeFiles<File extends ZipFile>(
  end: ArchiveEnd,
  files: File[],
): { placed: (File & { offset: number })[]; end: ArchiveEnd } {
  const placed: (File & { offset: number })[] = []
  let { offset, directoryBytes } = end
  for (const file of files) {
    placed.push({ ...file, offset })
    directoryBytes += directoryRecord(file, offset).length
    offset += localHeader(file).length + file.size
  }
  return { placed, end: { entryCount: end.entryCount + files.length, offset, directoryBytes } }
}

/** The directory and the size of an archive to which no further file is added. */
export function closeArchive({ entryCount, offset, directoryBytes }: ArchiveEnd): Omit<Archive, 'entries'> {
  const directory = { entryCount, offset, bytes: directoryBytes }
  return { directory, size: offset + directoryBytes + endOfArchive(directory).length }
}

/** A range of an object that has `size` bytes. */
export interface ObjectPart {
  key: string
  size: number
  range: ByteRange
}

/** A piece of an archive. */
type ArchivePart = Buffer | ObjectPart

/** The pieces of an archive that make up the range, in their order. */
export async function* archiveParts(archive: Archive, range: ByteRange): AsyncGenerator<ArchivePart> {
  const { offset, bytes } = archive.directory
  if (range.start < offset) yield* fileParts(archive, range)
  if (range.end < offset) return
  if (range.start < offset + bytes) yield* directoryParts(archive, range)
  const end = cut(endOfArchive(archive.directory), offset + bytes, range)
  if (end) yield end
}

async function* fileParts(archive: Archive, range: ByteRange): AsyncGenerator<ArchivePart> {
  for await (const entry of archive.entries(range.start)) {
    if (entry.offset > range.end) return
    const header = localHeader(entry)
    const wanted = cut(header, entry.offset, range)
    if (wanted) yield wanted
    const { key, size } = entry
    const begin = entry.offset + header.length
    const start = Math.max(0, range.start - begin)
    const end = Math.min(size - 1, range.end - begin)
    if (start <= end) yield { key, size, range: { start, end } }
  }
}

async function* directoryParts(archive: Archive, range: ByteRange): AsyncGenerator<ArchivePart> {
  let at = archive.directory.offset
  for await (const entry of archive.entries()) {
    if (at > range.end) return
    const record = directoryRecord(entry, entry.offset)
    const wanted = cut(record, at, range)
    if (wanted) yield wanted
    at += record.length
  }
}

/** The part of `bytes`, which begin at `offset`, that is in the range. */
function cut(bytes: Buffer, offset: number, range: ByteRange): Buffer | null {
  const start = Math.max(0, range.start - offset)
  const end = Math.min(bytes.length, range.end + 1 - offset)
  return start < end ? bytes.subarray(start, end) : null
}
