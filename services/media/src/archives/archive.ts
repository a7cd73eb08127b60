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

export const EMPTY_ARCHIVE: ZipDirectory = { entryCount: 0, offset: 0, bytes: 0 }

/** Places files behind those that an archive has so far, where its directory would be. Returns where that is now. */
export function placeFiles<File extends ZipFile>(
  { entryCount, offset, bytes }: ZipDirectory,
  files: File[],
): { placed: (File & { offset: number })[]; end: ZipDirectory } {
  const end = { entryCount: entryCount + files.length, offset, bytes }
  const placed = files.map((file) => {
    const entry = { ...file, offset: end.offset }
    end.bytes += directoryRecord(file, entry.offset).length
    end.offset += localHeader(file).length + file.size
    return entry
  })
  return { placed, end }
}

/** The directory and the size of an archive to which no further file is added. */
export function closeArchive(directory: ZipDirectory): Omit<Archive, 'entries'> {
  return { directory, size: directory.offset + directory.bytes + endOfArchive(directory).length }
}

/** A range of an object that has `size` bytes. */
export interface ObjectPart {
  key: string
  size: number
  range: ByteRange
}

/** The pieces of an archive that make up the range, in their order. */
export async function* archiveParts(archive: Archive, range: ByteRange): AsyncGenerator<Buffer | ObjectPart> {
  const { offset, bytes } = archive.directory
  if (range.start < offset) yield* fileParts(archive, range)
  if (range.end < offset) return
  if (range.start < offset + bytes) yield* directoryParts(archive, range)
  const end = cut(endOfArchive(archive.directory), offset + bytes, range)
  if (end) yield end
}

async function* fileParts(archive: Archive, range: ByteRange): AsyncGenerator<Buffer | ObjectPart> {
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

async function* directoryParts(archive: Archive, range: ByteRange): AsyncGenerator<Buffer | ObjectPart> {
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
