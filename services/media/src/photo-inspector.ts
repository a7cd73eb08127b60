import { createHash } from 'node:crypto'
import { Transform, type TransformCallback } from 'node:stream'
import { type AppError, badRequest, payloadTooLarge, unsupportedMediaType } from '@skyfolio/kit'
import { JpegScanner } from './formats/jpeg.ts'

export interface PhotoLimits {
  fileBytes: number
  minWidth: number
  minHeight: number
  maxPixels: number
}

const MAGIC_BYTES = 3

/**
 * Passes a file on while it checks it, in constant memory. A file that breaks a rule is read to its end, since other
 * files follow it in the same request, but passed on no further; the stream then fails with `refusal`.
 */
export class PhotoInspector extends Transform {
  /** Why the file is refused: a sentence that names it. */
  refusal: AppError | undefined
  size = 0
  #name: string
  #limits: PhotoLimits
  #hash = createHash('sha256')
  #scanner = new JpegScanner()
  #head: Buffer | null = Buffer.alloc(0)

  constructor(name: string, limits: PhotoLimits) {
    super()
    this.#name = name
    this.#limits = limits
  }

  /** SHA-256 of the whole file, hex. Call it once, when the stream has ended. */
  sha256(): string {
    return this.#hash.digest('hex')
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.size += chunk.length
    const bytes = this.#begin(chunk)
    if (bytes && !this.refusal) this.#inspect(bytes)
    if (bytes && !this.refusal) this.push(bytes)
    done()
  }

  override _flush(done: TransformCallback): void {
    this.#scanner.end()
    this.refusal ??= this.#refuseAtEnd()
    done(this.refusal ?? null)
  }

  /** Holds the first bytes back until they tell the type. */
  #begin(chunk: Buffer): Buffer | null {
    if (this.#head === null) return chunk
    this.#head = Buffer.concat([this.#head, chunk])
    if (this.#head.length < MAGIC_BYTES) return null
    const head = this.#head
    this.#head = null
    if (!JpegScanner.begins(head)) this.refusal = notAPhoto(this.#name)
    return head
  }

  #inspect(bytes: Buffer): void {
    this.#hash.update(bytes)
    this.#scanner.push(bytes)
    this.refusal = this.#refuseTooLarge() ?? this.#refusePixels()
  }

  #refuseTooLarge(): AppError | undefined {
    if (this.size <= this.#limits.fileBytes) return undefined
    const megabytes = Math.floor(this.#limits.fileBytes / 1_048_576)
    return payloadTooLarge(`"${this.#name}" is larger than ${megabytes} MB.`)
  }

  #refusePixels(): AppError | undefined {
    const { width, height } = this.#scanner
    const { minWidth, minHeight, maxPixels } = this.#limits
    if (width === 0) return undefined
    if (width < minWidth || height < minHeight) {
      const least = `at least ${minWidth} x ${minHeight} are needed`
      return badRequest(`"${this.#name}" has ${width} x ${height} pixels; ${least}.`)
    }
    if (width * height <= maxPixels) return undefined
    return payloadTooLarge(`"${this.#name}" has more than ${Math.floor(maxPixels / 1_000_000)} megapixels.`)
  }

  #refuseAtEnd(): AppError | undefined {
    if (this.size === 0) return badRequest(`"${this.#name}" is empty.`)
    if (this.#head) return notAPhoto(this.#name)
    if (this.#scanner.complete && this.#scanner.width > 0) return undefined
    return badRequest(`"${this.#name}" is incomplete: the end of the file is missing.`)
  }
}

function notAPhoto(name: string): AppError {
  return unsupportedMediaType(`"${name}" is not in an accepted format. Accepted format: JPEG.`)
}
