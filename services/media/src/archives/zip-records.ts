/** What the records of a file in an archive say of it. Files are stored as they are, without compression. */
export interface ZipFile {
  /** Relative, with slashes; `safe-names.ts` makes such paths. */
  path: string
  size: number
  crc32: number
  /** ISO 8601 to the second or finer; without a zone it is the local time of wherever it was taken. */
  modifiedAt: string
}

/** Where the directory at the end of an archive is, and of how many files it is. */
export interface ZipDirectory {
  entryCount: number
  offset: number
  bytes: number
}

/** From these values on, the number itself is in a ZIP64 record. */
const MAX_16 = 0xffff
const MAX_32 = 0xffffffff

const VERSION = 20
const VERSION_ZIP64 = 45
const MADE_ON_UNIX = 3 << 8
/** The path is in UTF-8. */
const UTF8_FLAG = 1 << 11
/** A regular file that its owner may read and write, and others may read. */
const FILE_MODE = 0o100644

const ZIP64_ID = 0x0001
const TIME_ID = 0x5455
/** The modification time is in seconds since 1970 in UTC: times of DOS have no zone. */
const TIME_FIELD_BYTES = 9
const FIRST_DOS_YEAR = 1980
const LAST_DOS_YEAR = 2107
const LOCAL_BYTES = 30
const CENTRAL_BYTES = 46
const END_BYTES = 22
const ZIP64_END_BYTES = 56
const ZIP64_LOCATOR_BYTES = 20

/** The record before the file's bytes. */
export function localHeader(file: ZipFile): Buffer {
  const path = Buffer.from(file.path)
  // In a local header both sizes are in the field, if any.
  const large = file.size >= MAX_32 ? [file.size, file.size] : []
  const header = Buffer.alloc(LOCAL_BYTES)
  header.writeUInt32LE(0x04034b50, 0)
  header.writeUInt16LE(large.length > 0 ? VERSION_ZIP64 : VERSION, 4)
  writeCommon(header, 6, file)
  const extra = Buffer.concat([zip64Field(large), timeField(file.modifiedAt)])
  header.writeUInt16LE(path.length, 26)
  header.writeUInt16LE(extra.length, 28)
  return Buffer.concat([header, path, extra])
}

/** The file's record in the directory; `offset` is that of its local header. */
export function directoryRecord(file: ZipFile, offset: number): Buffer {
  const path = Buffer.from(file.path)
  const large = largeInDirectory(file.size, offset)
  const version = large.length > 0 ? VERSION_ZIP64 : VERSION
  const record = Buffer.alloc(CENTRAL_BYTES)
  record.writeUInt32LE(0x02014b50, 0)
  record.writeUInt16LE(MADE_ON_UNIX | version, 4)
  record.writeUInt16LE(version, 6)
  writeCommon(record, 8, file)
  const extra = Buffer.concat([zip64Field(large), timeField(file.modifiedAt)])
  record.writeUInt16LE(path.length, 28)
  record.writeUInt16LE(extra.length, 30)
  record.writeUInt32LE(FILE_MODE * 0x10000, 38)
  record.writeUInt32LE(Math.min(offset, MAX_32), 42)
  return Buffer.concat([record, path, extra])
}

/** What follows the directory. */
export function endOfArchive(directory: ZipDirectory): Buffer {
  const { entryCount, offset, bytes } = directory
  const end = Buffer.alloc(END_BYTES)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(Math.min(entryCount, MAX_16), 8)
  end.writeUInt16LE(Math.min(entryCount, MAX_16), 10)
  end.writeUInt32LE(Math.min(bytes, MAX_32), 12)
  end.writeUInt32LE(Math.min(offset, MAX_32), 16)
  return needsZip64(directory) ? Buffer.concat([zip64End(directory), end]) : end
}

function needsZip64({ entryCount, offset, bytes }: ZipDirectory): boolean {
  return entryCount >= MAX_16 || offset >= MAX_32 || bytes >= MAX_32
}

/** The ZIP64 end of the directory, and the record that says where it is. */
function zip64End({ entryCount, offset, bytes }: ZipDirectory): Buffer {
  const end = Buffer.alloc(ZIP64_END_BYTES + ZIP64_LOCATOR_BYTES)
  end.writeUInt32LE(0x06064b50, 0)
  // Without the signature and this length itself.
  writeUInt64(end, ZIP64_END_BYTES - 12, 4)
  end.writeUInt16LE(MADE_ON_UNIX | VERSION_ZIP64, 12)
  end.writeUInt16LE(VERSION_ZIP64, 14)
  writeUInt64(end, entryCount, 24)
  writeUInt64(end, entryCount, 32)
  writeUInt64(end, bytes, 40)
  writeUInt64(end, offset, 48)
  end.writeUInt32LE(0x07064b50, ZIP64_END_BYTES)
  writeUInt64(end, offset + bytes, ZIP64_END_BYTES + 8)
  end.writeUInt32LE(1, ZIP64_END_BYTES + 16)
  return end
}

/** The fields that both records of a file have, in the same order: flags, method, time, checksum and sizes. */
function writeCommon(record: Buffer, at: number, { size, crc32, modifiedAt }: ZipFile): void {
  const { time, date } = dosTime(modifiedAt)
  record.writeUInt16LE(UTF8_FLAG, at)
  record.writeUInt16LE(0, at + 2)
  record.writeUInt16LE(time, at + 4)
  record.writeUInt16LE(date, at + 6)
  record.writeUInt32LE(crc32, at + 8)
  record.writeUInt32LE(Math.min(size, MAX_32), at + 12)
  record.writeUInt32LE(Math.min(size, MAX_32), at + 16)
}

/** The numbers that do not fit into the directory's record, in their fixed order. */
function largeInDirectory(size: number, offset: number): number[] {
  return [...(size >= MAX_32 ? [size, size] : []), ...(offset >= MAX_32 ? [offset] : [])]
}

function zip64Field(values: number[]): Buffer {
  if (values.length === 0) return Buffer.alloc(0)
  const field = Buffer.alloc(4 + 8 * values.length)
  field.writeUInt16LE(ZIP64_ID, 0)
  field.writeUInt16LE(8 * values.length, 2)
  for (const [index, value] of values.entries()) writeUInt64(field, value, 4 + 8 * index)
  return field
}

/**
 * Info-ZIP's extended timestamp, which unzip, 7-Zip, macOS and others prefer to that of DOS. A time without a zone lacks it: programs take
 * the one of DOS for the local time of the reader, and so show what the camera's clock said, whatever the reader's zone. Only where DOS
 * has no such year it is there, as if the time were in UTC.
 */
function timeField(modifiedAt: string): Buffer {
  const local = localTime(modifiedAt)
  const year = local.getUTCFullYear()
  const zone = /(Z|[+-]\d\d:\d\d)$/.exec(modifiedAt)
  const isOfDos = year >= FIRST_DOS_YEAR && year <= LAST_DOS_YEAR
  const seconds = Math.floor((zone ? Date.parse(modifiedAt) : local.getTime()) / 1000)
  if ((!zone && isOfDos) || seconds !== (seconds | 0)) return Buffer.alloc(0)
  const field = Buffer.alloc(TIME_FIELD_BYTES)
  field.writeUInt16LE(TIME_ID, 0)
  field.writeUInt16LE(TIME_FIELD_BYTES - 4, 2)
  field.writeUInt8(1, 4)
  field.writeInt32LE(seconds, 5)
  return field
}

/** Date and time as DOS had them, in the zone of the time: in steps of two seconds, from 1980 to 2107. */
export function dosTime(modifiedAt: string): { time: number; date: number } {
  const at = localTime(modifiedAt)
  const year = at.getUTCFullYear()
  if (year < FIRST_DOS_YEAR) return { time: 0, date: (1 << 5) | 1 }
  if (year > LAST_DOS_YEAR) return { time: (23 << 11) | (59 << 5) | 29, date: (127 << 9) | (12 << 5) | 31 }
  return {
    time: (at.getUTCHours() << 11) | (at.getUTCMinutes() << 5) | (at.getUTCSeconds() >> 1),
    date: ((year - FIRST_DOS_YEAR) << 9) | ((at.getUTCMonth() + 1) << 5) | at.getUTCDate(),
  }
}

/** The time without its zone, in the fields of UTC. */
function localTime(modifiedAt: string): Date {
  return new Date(`${modifiedAt.slice(0, 'yyyy-mm-ddThh:mm:ss'.length)}Z`)
}

function writeUInt64(target: Buffer, value: number, at: number): void {
  target.writeBigUInt64LE(BigInt(value), at)
}
