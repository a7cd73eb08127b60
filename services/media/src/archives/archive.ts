import type { ByteRange } from '../files/responses.ts'
import { directoryRecord, endOfArchive, localHeader, type ZipDirectory, type ZipFile } from './zip-records.ts'

/** A file of an archive: its bytes are an object of the store. */
export interface ArchiveFile extends ZipFile {
  key: string
  /** Of a file that is not the object as it is: what it consists of. Read when it is sent. */
  pieces?(): Promise<Piece[]>
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

/** Some bytes of what is sent. */
export type Piece = Buffer | ObjectPart

/** The pieces of an archive that make up the range, in their order. */
export async function* archivePieces(archive: Archive, range: ByteRange): AsyncGenerator<Piece> {
  const { offset, bytes } = archive.directory
  if (range.start < offset) yield* filePieces(archive, range)
  if (range.end < offset) return
  if (range.start < offset + bytes) yield* directoryPieces(archive, range)
  yield* piecesInRange([endOfArchive(archive.directory)], range, offset + bytes)
}

/** Bytes of a piece. */
export function sizeOf(piece: Piece): number {
  return Buffer.isBuffer(piece) ? piece.length : piece.range.end + 1 - piece.range.start
}

/** What is in the range of these pieces, of which the first begins at `offset`. */
export function* piecesInRange(pieces: Piece[], range: ByteRange, offset = 0): Generator<Piece> {
  let at = offset
  for (const piece of pieces) {
    const length = sizeOf(piece)
    const start = Math.max(0, range.start - at)
    const end = Math.min(length, range.end + 1 - at)
    at += length
    if (start >= end) continue
    if (Buffer.isBuffer(piece)) yield piece.subarray(start, end)
    else yield { ...piece, range: { start: piece.range.start + start, end: piece.range.start + end - 1 } }
  }
}

async function* filePieces(archive: Archive, range: ByteRange): AsyncGenerator<Piece> {
  for await (const entry of archive.entries(range.start)) {
    if (entry.offset > range.end) return
    const { key, size } = entry
    const pieces = (await entry.pieces?.()) ?? [{ key, size, range: { start: 0, end: size - 1 } }]
    yield* piecesInRange([localHeader(entry), ...pieces], range, entry.offset)
  }
}

async function* directoryPieces(archive: Archive, range: ByteRange): AsyncGenerator<Piece> {
  let at = archive.directory.offset
  for await (const entry of archive.entries()) {
    if (at > range.end) return
    const record = directoryRecord(entry, entry.offset)
    yield* piecesInRange([record], range, at)
    at += record.length
  }
}
