import {
  directoryRecordBytes,
  endOfArchiveBytes,
  localHeaderBytes,
  type ZipDirectory,
  type ZipFile,
} from './zip-records.ts'

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
    directoryBytes += directoryRecordBytes(file, offset)
    offset += localHeaderBytes(file) + file.size
  }
  return { placed, end: { entryCount: end.entryCount + files.length, offset, directoryBytes } }
}

/** The directory and the size of an archive to which no further file is added. */
export function closeArchive({ entryCount, offset, directoryBytes }: ArchiveEnd): Omit<Archive, 'entries'> {
  const directory = { entryCount, offset, bytes: directoryBytes }
  return { directory, size: offset + directoryBytes + endOfArchiveBytes(directory) }
}
