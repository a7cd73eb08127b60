import { crc32 } from 'node:zlib'
import { expect, test } from 'vitest'
import { type ArchiveFile, closeArchive, EMPTY_ARCHIVE, placeFiles } from '../../src/archives/archive.ts'
import { directoryRecord, dosTime, endOfArchive, localHeader } from '../../src/archives/zip-records.ts'

const GIB = 2 ** 30
const modifiedAt = '2026-03-04T05:06:07+05:30'

function file(path: string, size: number): ArchiveFile {
  return { path, size, crc32: crc32(path), modifiedAt, key: 'x' }
}

test('says the path in UTF-8, the checksum, the sizes and the time of a file', () => {
  const header = localHeader(file('originals/Übersicht.jpg', 1234))
  expect(header.readUInt32LE(0)).toBe(0x04034b50)
  expect(header.readUInt16LE(6)).toBe(0x0800)
  expect(header.readUInt16LE(8)).toBe(0)
  expect(header.readUInt32LE(14)).toBe(crc32('originals/Übersicht.jpg'))
  expect([header.readUInt32LE(18), header.readUInt32LE(22)]).toEqual([1234, 1234])
  const pathBytes = header.readUInt16LE(26)
  expect(header.subarray(30, 30 + pathBytes).toString()).toBe('originals/Übersicht.jpg')
  expect(header.subarray(30 + pathBytes).readInt32LE(5)).toBe(Date.parse(modifiedAt) / 1000)
})

test('writes times of DOS in steps of two seconds, and those that it lacks as the nearest', () => {
  expect(dosTime(modifiedAt)).toEqual({ time: (5 << 11) | (6 << 5) | 3, date: (46 << 9) | (3 << 5) | 4 })
  expect(dosTime('1970-01-01T00:00:00Z')).toEqual({ time: 0, date: 33 })
  expect(dosTime('2200-01-01T00:00:00Z').date >> 9).toBe(127)
})

test.each([
  ['a zone', '2024-05-06T07:08:09+02:00', Date.UTC(2024, 4, 6, 5, 8, 9)],
  ['a zone, before DOS', '1965-05-06T07:08:09-05:00', Date.UTC(1965, 4, 6, 12, 8, 9)],
  ['a zone, beyond 32 bits', '2040-05-06T07:08:09Z', null],
  ['no zone', '2024-05-06T07:08:09', null],
  ['no zone, before DOS', '1965-05-06T07:08:09', Date.UTC(1965, 4, 6, 7, 8, 9)],
  ['no zone, beyond DOS and 32 bits', '2150-05-06T07:08:09', null],
])('has the extended timestamp of a time that has a zone, or that DOS lacks, if 32 bits hold it: %s', (_, at, time) => {
  const header = localHeader({ ...file('a', 5), modifiedAt: at })
  const extra = header.subarray(31)
  expect(extra.length === 0 ? null : extra.readInt32LE(5) * 1000).toBe(time)
  expect(header.readUInt16LE(28)).toBe(extra.length)
})

test.each([
  ['a small file at the beginning', 10, 0, [0, 0]],
  ['a file of 4 GiB', 4 * GIB, 0, [20, 20]],
  ['one byte less than needs ZIP64', 0xfffffffe, 0xfffffffe, [0, 0]],
  ['a small file behind 4 GiB', 10, 5 * GIB, [0, 12]],
  ['a large file behind 4 GiB', 6 * GIB, 6 * GIB, [20, 28]],
])('has ZIP64 fields only where they are needed: %s', (_what, size, offset, [local, central]) => {
  const entry = file('originals/é.jpg', size)
  const common = Buffer.byteLength(entry.path) + 9
  expect(localHeader(entry).length).toBe(30 + common + Number(local))
  expect(directoryRecord(entry, offset).length).toBe(46 + common + Number(central))
})

test('has large sizes and offsets in ZIP64 fields, in their fixed order', () => {
  const record = directoryRecord(file('a', 6 * GIB), 7 * GIB)
  expect([record.readUInt32LE(20), record.readUInt32LE(24), record.readUInt32LE(42)]).toEqual(Array(3).fill(0xffffffff))
  const field = record.subarray(47)
  expect([field.readUInt16LE(0), field.readUInt16LE(2)]).toEqual([1, 24])
  expect([4, 12, 20].map((at) => Number(field.readBigUInt64LE(at)))).toEqual([6 * GIB, 6 * GIB, 7 * GIB])

  const behind = directoryRecord(file('a', 5), 7 * GIB)
  expect([behind.readUInt32LE(20), behind.readUInt32LE(42)]).toEqual([5, 0xffffffff])
  expect([behind.readUInt16LE(49), Number(behind.readBigUInt64LE(51))]).toEqual([8, 7 * GIB])
})

test.each([
  ['few files', { entryCount: 3, offset: 1000, bytes: 200 }, 22],
  ['65,534 files', { entryCount: 65_534, offset: 1000, bytes: 200 }, 22],
  ['65,535 files', { entryCount: 65_535, offset: 1000, bytes: 200 }, 98],
  ['a directory behind 4 GiB', { entryCount: 3, offset: 5 * GIB, bytes: 200 }, 98],
])('ends an archive of %s', (_what, directory, bytes) => {
  const end = endOfArchive(directory)
  expect(end.length).toBe(bytes)
  if (bytes === 22) return expect(end.readUInt16LE(10)).toBe(directory.entryCount)
  expect(Number(end.readBigUInt64LE(24))).toBe(directory.entryCount)
  expect(Number(end.readBigUInt64LE(48))).toBe(directory.offset)
  // The locator points to the ZIP64 end, which follows the directory.
  expect(Number(end.readBigUInt64LE(64))).toBe(directory.offset + directory.bytes)
})

test('places files behind each other, in one go or in several', () => {
  const files = Array.from({ length: 70_000 }, (_, index) => file(`originals/photo-${index}.jpg`, 150_000 + index))
  const whole = placeFiles(EMPTY_ARCHIVE, files)
  const first = placeFiles(EMPTY_ARCHIVE, files.slice(0, 30_000))
  const second = placeFiles(first.end, files.slice(30_000))
  expect(second.end).toEqual(whole.end)
  expect([...first.placed, ...second.placed]).toEqual(whole.placed)
  const { size, directory } = closeArchive(whole.end)
  const records = whole.placed.reduce((bytes, entry) => bytes + directoryRecord(entry, entry.offset).length, 0)
  expect(directory).toEqual({ entryCount: 70_000, offset: whole.end.offset, bytes: records })
  expect(size).toBe(directory.offset + records + 98)
  expect(size).toBeGreaterThan(10 * GIB)
})
