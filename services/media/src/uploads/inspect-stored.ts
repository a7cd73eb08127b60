import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import type { AppError, ObjectStore } from '@skyfolio/kit'
import type { UploadLimits } from '@skyfolio/proto'
import { LRUCache } from 'lru-cache'
import { originalKey } from '../files/object-keys.ts'
import { type ByteSource, objectSource } from '../formats/byte-source.ts'
import { createScanner, detectFormat, type ScannedFormat } from '../formats/detect-format.ts'
import type { ImageScanner } from '../formats/image-scanner.ts'
import { JpegScanner } from '../formats/jpeg-scanner.ts'
import { inspectTiff } from './photo-inspector.ts'
import {
  findRejection,
  type InspectedFile,
  incompleteFile,
  type Purpose,
  tooManyParts,
  unsupportedFormat,
} from './rejections.ts'
import type { ReceivedFile } from './store-original.ts'
import { nameToKeep } from './upload-form.ts'

interface InspectStoredDeps {
  store: ObjectStore
  limits: UploadLimits
}

/** What the client declared of a file that is stored as an original. */
interface FileToInspect {
  /** In the key of the original. */
  id: string
  name: string
  size: number
  sha256: string
  purpose: Purpose
}

/** The object of the file with its ends. */
interface OpenedFile extends Ends {
  key: string
  source: ByteSource
}

type Inspection = Pick<InspectedFile, 'format'> & Partial<InspectedFile> & { rejection?: AppError }

/** More than the segments before a picture take; with more of them the whole object is read. */
const MAX_BLOCKS = 64

/**
 * Checks an original that arrived in parts as the file of a form is checked while it is received, but reads only what
 * decides, and of that not the `ends` that the caller knows of the stored object. Its SHA-256 stays a claim. Removes nothing.
 * @throws Error when the store is unavailable or does not have the declared number of bytes
 */
export async function inspectStored(
  { store, limits }: InspectStoredDeps,
  file: FileToInspect,
  ends?: Ends,
): Promise<ReceivedFile> {
  const { id, name, size, sha256, purpose } = file
  const opened = await openFile(store, file, ends)
  const format = detectFormat(opened.head)
  const unread: InspectedFile = { name, format, size, dimensions: null, scans: 1 }
  // Before the file is read: it may be too large.
  const refused = findRejection(purpose, unread, limits)
  if (refused || !format) return { inspected: unread, rejection: refused ?? unsupportedFormat(name) }

  const { rejection: damage, ...facts }: Inspection =
    format === 'tif' ? await inspectTiff(opened.source, name) : await inspectImage(store, opened, format, name)
  const inspected = { ...unread, ...facts }
  const rejection = damage ?? findRejection(purpose, inspected, limits)
  if (rejection || !inspected.format) return { inspected, rejection: rejection ?? unsupportedFormat(name) }
  const original = {
    filename: `${id}.${inspected.format}`,
    originalName: nameToKeep(name, inspected.format),
    filesize: size,
    sha256,
    sha256Verified: false,
    crc32: null,
  }
  return { inspected, original }
}

async function openFile(store: ObjectStore, { id, size }: FileToInspect, known?: Ends): Promise<OpenedFile> {
  const key = originalKey(id)
  const source = objectSource(store, key, size)
  return { key, source, ...(known ?? (await readEnds(store, key, source))) }
}

/** Reads both at the same time: of most files nothing else is read. */
async function readEnds(store: ObjectStore, key: string, source: ByteSource): Promise<Ends> {
  const { size } = source
  const [head, tail] = await Promise.all([
    readHead(store, key, size),
    size > BLOCK_BYTES ? source.read(size - TAIL_BYTES, TAIL_BYTES) : Buffer.alloc(0),
  ])
  return { head, tail }
}

/** Reads the first block; the response also tells the size of the object. */
async function readHead(store: ObjectStore, key: string, size: number): Promise<Buffer> {
  const first = await store.get(key, { start: 0, end: Math.min(size, BLOCK_BYTES) - 1 })
  if (!first) throw new Error(`the object ${key} is missing`)
  const head = await buffer(first.body)
  if (first.size !== size) throw new Error(`the object ${key} has ${first.size} bytes instead of ${size}`)
  return head
}

async function inspectImage(
  store: ObjectStore,
  file: OpenedFile,
  format: ScannedFormat,
  name: string,
): Promise<Inspection> {
  const scanner = (format === 'jpg' && (await scanJpeg(file))) || (await scanWhole(store, file, format))
  const { size: dimensions, scans = 1, isComplete, hasTooManyParts } = scanner
  const facts = { format, dimensions, scans }
  if (hasTooManyParts) return { ...facts, rejection: tooManyParts(name) }
  return isComplete && dimensions ? facts : { ...facts, rejection: incompleteFile(name, format) }
}

/**
 * Reads what is before the picture, without what the scanner passes over, and the last two bytes. Null: all bytes may decide,
 * since of a picture in several scans their number counts, and one that does not end with its end marker may have it anywhere.
 */
async function scanJpeg({ source, head, tail }: OpenedFile): Promise<ImageScanner | null> {
  const scanner = new JpegScanner()
  scanner.push(head)
  let at = head.length
  for (let blocks = 1; scanner.hasOneScan === null && !scanner.hasTooManyParts && at < source.size; blocks += 1) {
    if (blocks === MAX_BLOCKS) return null
    const skipped = Math.max(0, Math.min(scanner.skippable, source.size - TAIL_BYTES - at))
    scanner.skip(skipped)
    const bytes = await source.read(at + skipped, BLOCK_BYTES)
    scanner.push(bytes)
    at += skipped + bytes.length
  }
  const isWhole = at === source.size
  if (scanner.hasTooManyParts) return scanner
  if (!isWhole && !scanner.hasOneScan) return null
  // One of its bytes may have been read before.
  if (!isWhole) scanner.push(tail.subarray(Math.max(0, at - (source.size - TAIL_BYTES))))
  scanner.end()
  return isWhole || scanner.isComplete ? scanner : null
}

async function scanWhole(store: ObjectStore, { key }: OpenedFile, format: ScannedFormat): Promise<ImageScanner> {
  const scanner = createScanner(format)
  const object = await store.get(key)
  if (!object) throw new Error(`the object ${key} is missing`)
  for await (const chunk of object.body) {
    scanner.push(chunk)
    if (scanner.isComplete || scanner.hasTooManyParts) break
  }
  scanner.end()
  return scanner
}

/** What is read of most originals to inspect them: the first block, and the last bytes of a file that has more. */
export interface Ends {
  head: Buffer
  tail: Buffer
}

export const BLOCK_BYTES = 65_536
/** With the end marker of a JPEG. */
const TAIL_BYTES = 2

/** The completion follows the part at once. */
const REMEMBER_ENDS_MS = 60_000
const MAX_BYTES_OF_ENDS = 4 * 1024 * 1024

export type RecentEnds = ReturnType<typeof createRecentEnds>

/**
 * Remembers the ends of files whose single part this process has stored, by the ids of their sessions: the store has compared the
 * SHA-256. Of other files they are read from the store.
 */
export function createRecentEnds() {
  return new LRUCache<string, Ends>({
    ttl: REMEMBER_ENDS_MS,
    maxSize: MAX_BYTES_OF_ENDS,
    sizeCalculation: ({ head, tail }) => head.length + tail.length,
  })
}

/**
 * Copies the ends of a body that something else reads, from its first byte on. Returns a function that gives them once the body has
 * passed, or null when not all of its `size` bytes were seen.
 */
export function copyEnds(body: Readable, size: number): () => Ends | null {
  const head = Buffer.alloc(Math.min(size, BLOCK_BYTES))
  const tail = Buffer.alloc(size > BLOCK_BYTES ? TAIL_BYTES : 0)
  let at = 0
  const copy = (chunk: Buffer) => {
    if (at < head.length) chunk.copy(head, at)
    const tailStart = size - tail.length - at
    if (tailStart < chunk.length) chunk.copy(tail, Math.max(0, -tailStart), Math.max(0, tailStart))
    at += chunk.length
  }
  // Not before: who listens to data makes it flow.
  body.once('resume', () => body.on('data', copy))
  return () => (at === size ? { head, tail } : null)
}
