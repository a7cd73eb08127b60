import type { ByteRange } from '../files/range-header.ts'
import type { Archive } from './archive.ts'
import { directoryRecord, endOfArchive, localHeader, localHeaderBytes } from './zip-records.ts'

/** A range of an object that has `size` bytes. */
export interface ObjectPart {
  key: string
  size: number
  range: ByteRange
}

/** A piece of an archive. */
export type ArchivePart = Buffer | ObjectPart

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
    const header = cut(localHeader(entry), entry.offset, range)
    if (header) yield header
    const { key, size } = entry
    const begin = entry.offset + localHeaderBytes(entry)
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
