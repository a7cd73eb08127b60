import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { crc32 } from 'node:zlib'
import { type ObjectStore, openObjectStore } from '@skyfolio/kit'
import { testDirectory } from '@skyfolio/testkit'
import { beforeAll, expect, test } from 'vitest'
import {
  type Archive,
  type ArchiveFile,
  archivePieces,
  closeArchive,
  EMPTY_ARCHIVE,
  placeFiles,
} from '../../src/archives/archive.ts'
import { MissingObjectError, readPieces } from '../../src/archives/read-pieces.ts'
import { modificationTimes } from '../export-support.ts'

const run = promisify(execFile)
const never = new AbortController().signal
const modifiedAt = '2026-05-06T07:08:10-06:00'

const photo = randomBytes(70_000)
const [head, foot] = [randomBytes(20), randomBytes(12)]
const COMPOSED = 'originals/composed.jpg'
const PIECES = [head, { key: 'objects/1', size: photo.length, range: { start: 100, end: 30_000 } }, foot]
const contents = new Map([
  ['README.txt', Buffer.from('Hello')],
  ['originals/Küste/a.jpg', photo],
  ['originals/Küste/empty.bin', Buffer.alloc(0)],
  ['originals/No folder/日本 (2).png', randomBytes(300)],
  [COMPOSED, Buffer.concat([head, photo.subarray(100, 30_001), foot])],
])
let store: ObjectStore
let archive: Archive
let whole: Buffer

beforeAll(async () => {
  store = await openObjectStore({ objectStoreDir: join(testDirectory(), 'archive') } as never)
  const files = [...contents].map(([path, bytes], index): ArchiveFile => {
    const file = { path, key: `objects/${index}`, size: bytes.length, crc32: crc32(bytes), modifiedAt }
    return path === COMPOSED ? { ...file, pieces: async () => PIECES } : file
  })
  for (const [index, bytes] of [...contents.values()].entries()) {
    await store.put(`objects/${index}`, Readable.from([bytes]), { contentType: 'image/jpeg' })
  }
  archive = listed(files)
  whole = await read(archive, 0, archive.size - 1)
})

function listed(files: ArchiveFile[]): Archive {
  const { placed, end } = placeFiles(EMPTY_ARCHIVE, files)
  return {
    ...closeArchive(end),
    async *entries(offset = 0) {
      const from = placed.findLastIndex((entry) => entry.offset <= offset)
      yield* placed.slice(Math.max(0, from))
    },
  }
}

function read(of: Archive, start: number, end: number, from = store): Promise<Buffer> {
  return buffer(readPieces(from, archivePieces(of, { start, end }), never))
}

test('has the announced number of bytes', () => {
  expect(whole.length).toBe(archive.size)
})

test('is unpacked by unzip and by Python, byte for byte, with names and times', async () => {
  const file = join(testDirectory(), 'archive.zip')
  await writeFile(file, whole)
  await run('unzip', ['-tq', file])
  const target = join(testDirectory(), 'unpacked')
  await run('unzip', ['-q', file, '-d', target], { env: { ...process.env, LC_ALL: 'C.UTF-8', TZ: 'America/Denver' } })
  for (const [path, bytes] of contents) expect(await readFile(join(target, path))).toEqual(bytes)

  const list = 'import json, sys, zipfile; z = zipfile.ZipFile(sys.argv[1]); assert z.testzip() is None;'
  const print = 'print(json.dumps([[i.filename, i.file_size, list(i.date_time)] for i in z.infolist()]))'
  const { stdout } = await run('python3', ['-c', list + print, file])
  const expected = [...contents].map(([path, bytes]) => [path, bytes.length, [2026, 5, 6, 7, 8, 10]])
  expect(JSON.parse(stdout)).toEqual(expected)
})

test('unzip shows the local time of a photo without a zone, and the moment of one with a zone, in every zone', async () => {
  const times = ['2017-03-04T05:06:08', '2017-03-04T05:06:08+09:00']
  const small = { key: 'objects/0', size: 5, crc32: crc32('Hello') }
  const dated = listed(times.map((at, index) => ({ path: `${index}.txt`, ...small, modifiedAt: at })))
  const bytes = await read(dated, 0, dated.size - 1)
  const local = '20170304.050608'
  expect(await modificationTimes(bytes, 'UTC')).toEqual({ '0.txt': local, '1.txt': '20170303.200608' })
  expect(await modificationTimes(bytes, 'America/Chicago')).toEqual({ '0.txt': local, '1.txt': '20170303.140608' })
})

test('every range is the slice of the whole', async () => {
  const edges = [0, 1, 29, 30, 31, 60, 61, 130, 131, 70_100, 70_250, 70_251, archive.directory.offset - 1]
  const { offset, bytes } = archive.directory
  // In the composed file, which is the last one, and at the edges of its pieces.
  for (const at of [12, 13, 14, 100, 29_912, 29_914, 29_932, 29_934]) edges.push(offset - at)
  for (const at of [offset, offset + 1, offset + 70, offset + bytes - 1, offset + bytes, archive.size - 1])
    edges.push(at)
  for (const start of edges) {
    for (const end of edges.filter((edge) => edge >= start)) {
      expect((await read(archive, start, end)).equals(whole.subarray(start, end + 1)), `${start}-${end}`).toBe(true)
    }
  }
})

test('every single byte of the records is read alone', async () => {
  const places = [
    ...Array(200).keys(),
    ...Array.from({ length: archive.size - archive.directory.offset }, (_, index) => archive.directory.offset + index),
  ]
  for (const at of places) expect((await read(archive, at, at))[0], String(at)).toBe(whole[at])
})

test('an object that its connection interrupts is opened again where it ended', async () => {
  let interruptions = 0
  const flaky: ObjectStore = {
    ...store,
    async get(key, range) {
      const object = await store.get(key, range)
      if (key !== 'objects/1' || !object || interruptions === 2) return object
      interruptions += 1
      const bytes = await buffer(object.body)
      async function* cutOff() {
        yield bytes.subarray(0, 20_000)
        throw new Error('connection reset')
      }
      return { size: object.size, body: Readable.from(cutOff(), { objectMode: false }) }
    },
  }
  expect((await read(archive, 0, archive.size - 1, flaky)).equals(whole)).toBe(true)
  expect(interruptions).toBe(2)
})

test('a missing or replaced object ends the archive with an error', async () => {
  const lacking: ObjectStore = {
    ...store,
    get: async (key, range) => (key === 'objects/3' ? null : store.get(key, range)),
  }
  await expect(read(archive, 0, archive.size - 1, lacking)).rejects.toThrow(MissingObjectError)
  const other: ObjectStore = {
    ...store,
    get: async (key, range) => (key === 'objects/3' ? store.get('objects/0') : store.get(key, range)),
  }
  await expect(read(archive, 0, archive.size - 1, other)).rejects.toThrow(MissingObjectError)
})

test('objects that were opened ahead are closed when the reading ends before', async () => {
  const open = new Set<Readable>()
  const watched: ObjectStore = {
    ...store,
    async get(key, range) {
      const object = await store.get(key, range)
      if (object) open.add(object.body)
      return object
    },
  }
  const stopping = new AbortController()
  const chunks = readPieces(watched, archivePieces(archive, { start: 0, end: archive.size - 1 }), stopping.signal)
  await chunks.next()
  await chunks.next()
  stopping.abort(new Error('the client disconnected'))
  await chunks.return(undefined)
  await Promise.resolve()
  expect(open.size).toBeGreaterThan(1)
  expect([...open].every((body) => body.destroyed)).toBe(true)
})

test('Python reads an archive of more than 65,535 files and 4 GiB, of which only a part exists', async () => {
  const zeros = Buffer.alloc(1_048_576)
  const large = 5 * 2 ** 30
  // Only what is behind 4 GiB is read: the directory, and a small file whose offset is in a ZIP64 field.
  const sparse: ObjectStore = { ...store, get: async (key, range) => (key === 'zeros' ? null : store.get(key, range)) }
  const [, bytes = zeros] = [...contents][1] ?? []
  const many = listed([
    { path: 'zeros.bin', key: 'zeros', size: large, crc32: 0, modifiedAt },
    ...Array.from({ length: 70_000 }, (_, index) => {
      return { path: `originals/${index}.txt`, key: 'objects/0', size: 5, crc32: crc32('Hello'), modifiedAt }
    }),
    { path: 'last.jpg', key: 'objects/1', size: bytes.length, crc32: crc32(bytes), modifiedAt },
  ])
  const { offset } = many.directory
  const tail = await read(many, offset - bytes.length - 60, many.size - 1, sparse)
  const file = join(testDirectory(), 'sparse.zip')
  const script = `
import sys, zipfile
with open(sys.argv[1], 'r+b') as f:
    tail = sys.stdin.buffer.read()
    f.truncate(int(sys.argv[2]) - len(tail)); f.seek(0, 2); f.write(tail)
z = zipfile.ZipFile(sys.argv[1])
assert len(z.infolist()) == 70002, len(z.infolist())
assert z.getinfo('zeros.bin').file_size == ${large}
print(len(z.read('last.jpg')))`
  await writeFile(file, '')
  const child = run('python3', ['-c', script, file, String(many.size)])
  child.child.stdin?.end(tail)
  expect((await child).stdout.trim()).toBe(String(bytes.length))
})
