import { createHash } from 'node:crypto'
import { Transform, type TransformCallback } from 'node:stream'
import { crc32 } from 'node:zlib'
import type { AppError } from '@skyfolio/kit'
import type { Format } from '@skyfolio/proto'
import type { ByteSource } from '../formats/byte-source.ts'
import { createScanner, type DetectedFormat, detectFormat, HEAD_BYTES } from '../formats/detect-format.ts'
import type { ImageScanner, ImageSize } from '../formats/image-scanner.ts'
import { readTiff } from '../formats/tiff-structure.ts'
import {
  checkDimensions,
  checkFileSize,
  emptyFile,
  incompleteFile,
  type PhotoLimits,
  tooManyParts,
  unsupportedFormat,
} from './rejections.ts'

/**
 * Passes a file through while checking it, in constant memory. A file that breaks a rule is read to its end, since other
 * files follow in the same request, but no longer passed through; the stream then fails with `rejection`. Of a TIFF only
 * the number of bytes is checked.
 */
export class PhotoInspector extends Transform {
  /** Why the file is rejected: a sentence that names the file. */
  rejection: AppError | undefined
  size = 0
  /** CRC-32 of what was passed on. */
  crc32 = 0
  /** The format according to the first bytes. */
  kind: DetectedFormat | null = null
  #name: string
  #limits: PhotoLimits
  #hash = createHash('sha256')
  #scanner: ImageScanner | null = null
  #head: Buffer | null = Buffer.alloc(0)

  constructor(name: string, limits: PhotoLimits) {
    super()
    this.#name = name
    this.#limits = limits
  }

  /** The dimensions, once a scanner found them; always null for a TIFF. */
  get dimensions(): ImageSize | null {
    return this.#scanner?.size ?? null
  }

  /** How often a decoder goes over all pixels. */
  get scans(): number {
    return this.#scanner?.scans ?? 1
  }

  /** SHA-256 of the whole file, in hex. Call it once, after the stream has ended. */
  sha256(): string {
    return this.#hash.digest('hex')
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.size += chunk.length
    if (this.#head === null) this.#pass(chunk)
    else this.#collectHead(this.#head, chunk)
    done()
  }

  override _flush(done: TransformCallback): void {
    if (this.#head && this.size > 0) this.#start(this.#head)
    this.rejection ??= this.#checkEnd()
    done(this.rejection ?? null)
  }

  /** Buffers the first bytes until they identify the format. */
  #collectHead(head: Buffer, chunk: Buffer): void {
    const bytes = Buffer.concat([head, chunk])
    if (bytes.length < HEAD_BYTES) this.#head = bytes
    else this.#start(bytes)
  }

  #start(head: Buffer): void {
    this.#head = null
    this.kind = detectFormat(head)
    if (this.kind) this.#scanner = createScanner(this.kind)
    else this.rejection = unsupportedFormat(this.#name)
    this.#pass(head)
  }

  #pass(bytes: Buffer): void {
    if (this.rejection || !this.kind) return
    this.#hash.update(bytes)
    this.crc32 = crc32(bytes, this.crc32)
    this.#scanner?.push(bytes)
    this.rejection = checkFileSize(this.#name, this.kind, this.size, this.#limits) ?? this.#checkScanned(this.kind)
    if (!this.rejection) this.push(bytes)
  }

  #checkScanned(kind: DetectedFormat): AppError | undefined {
    if (this.#scanner?.hasTooManyParts) return tooManyParts(this.#name)
    const size = this.#scanner?.size
    return size ? checkDimensions(this.#name, kind, size, this.#limits) : undefined
  }

  #checkEnd(): AppError | undefined {
    if (!this.kind) return emptyFile(this.#name)
    if (!this.#scanner) return undefined
    this.#scanner.end()
    return this.#scanner.isComplete && this.#scanner.size ? undefined : incompleteFile(this.#name, this.kind)
  }
}

/** Checks a stored TIFF or DNG. Its directories can be anywhere in the file, so they are read from the store. */
export async function inspectTiff(
  source: ByteSource,
  name: string,
): Promise<{ format: Format; dimensions: ImageSize } | { format: Format | null; rejection: AppError }> {
  const { isForeignRaw, isComplete, hasTooManyParts, format, width, height } = await readTiff(source)
  if (isForeignRaw) return { format: null, rejection: unsupportedFormat(name) }
  if (hasTooManyParts) return { format, rejection: tooManyParts(name) }
  return isComplete ? { format, dimensions: { width, height } } : { format, rejection: incompleteFile(name, format) }
}
