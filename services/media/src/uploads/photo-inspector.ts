import { createHash } from 'node:crypto'
import { Transform, type TransformCallback } from 'node:stream'
import type { AppError } from '@skyfolio/kit'
import { createScanner, type DetectedFormat, detectFormat, HEAD_BYTES } from '../formats/detect-format.ts'
import type { ImageScanner, ImageSize } from '../formats/image-scanner.ts'
import { badSize, isEmpty, isIncomplete, notAccepted, type PhotoLimits, tooLarge } from './rejections.ts'

/**
 * Passes a file on while it checks it, in constant memory. A file that breaks a rule is read to its end, since other
 * files follow it in the same request, but passed on no further; the stream then fails with `refusal`. Of a TIFF it
 * checks only the number of bytes.
 */
export class PhotoInspector extends Transform {
  /** Why the file is refused: a sentence that names it. */
  refusal: AppError | undefined
  size = 0
  /** What the first bytes said. */
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

  /** What a scanner found; of a TIFF nothing. */
  get picture(): ImageSize | null {
    return this.#scanner?.size ?? null
  }

  /** SHA-256 of the whole file, hex. Call it once, when the stream has ended. */
  sha256(): string {
    return this.#hash.digest('hex')
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.size += chunk.length
    if (this.#head === null) this.#pass(chunk)
    else this.#hold(this.#head, chunk)
    done()
  }

  override _flush(done: TransformCallback): void {
    if (this.#head && this.size > 0) this.#begin(this.#head)
    this.refusal ??= this.#refuseAtEnd()
    done(this.refusal ?? null)
  }

  /** Holds the first bytes back until they tell what the file is. */
  #hold(head: Buffer, chunk: Buffer): void {
    const bytes = Buffer.concat([head, chunk])
    if (bytes.length < HEAD_BYTES) this.#head = bytes
    else this.#begin(bytes)
  }

  #begin(head: Buffer): void {
    this.#head = null
    this.kind = detectFormat(head)
    if (this.kind) this.#scanner = createScanner(this.kind)
    else this.refusal = notAccepted(this.#name)
    this.#pass(head)
  }

  #pass(bytes: Buffer): void {
    if (this.refusal || !this.kind) return
    this.#hash.update(bytes)
    this.#scanner?.push(bytes)
    this.refusal = tooLarge(this.#name, this.kind, this.size, this.#limits) ?? this.#refuseSize(this.kind)
    if (!this.refusal) this.push(bytes)
  }

  #refuseSize(kind: DetectedFormat): AppError | undefined {
    const size = this.#scanner?.size
    return size ? badSize(this.#name, kind, size, this.#limits) : undefined
  }

  #refuseAtEnd(): AppError | undefined {
    if (!this.kind) return isEmpty(this.#name)
    if (!this.#scanner) return undefined
    this.#scanner.end()
    return this.#scanner.isComplete && this.#scanner.size ? undefined : isIncomplete(this.#name, this.kind)
  }
}
