/** In pixels. */
export interface ImageSize {
  width: number
  height: number
}

/** The size of an image as it is shown with this EXIF orientation, and of a shown one as it is stored. */
export function turnedSize({ width, height }: ImageSize, orientation: number): ImageSize {
  return orientation > 4 ? { width: height, height: width } : { width, height }
}

/**
 * Reads the structure of an image file from a stream of chunks, in constant memory. It never throws, whatever the
 * bytes, and the result does not depend on where the chunks are split.
 */
export interface ImageScanner {
  /** Null until the header is read. */
  readonly size: ImageSize | null
  /** Whether there is an image and its end was reached; final after `end`. */
  readonly isComplete: boolean
  /** How often a decoder goes over all pixels; final after `end`. Absent: once. */
  readonly scans?: number
  /** Whether it has more segments, chunks or blocks than any encoder writes: it is damaged, and is read no further. */
  readonly hasTooManyParts: boolean
  /** Adds the next bytes of the file. */
  push(chunk: Buffer): void
  /** To be called after the last bytes. */
  end(): void
}

const NOTHING = Buffer.alloc(0)

/** A scanner of a format whose parts say how long they are: `scan` reads them one after another. */
export abstract class PartScanner implements ImageScanner {
  size: ImageSize | null = null
  isComplete = false
  hasTooManyParts = false
  /** Whether the scan has ended. Without a complete image: at something that the format does not have. */
  protected hasEnded = false
  #scan: Generator<number, void, Buffer> | null = null
  /** Bytes to pass over, and those that the scan waits for after them: none before it has begun. */
  #skipped = 0
  #wanted = 0
  #partial = NOTHING

  /** Yields a number of bytes, few enough to be collected, to receive them. */
  protected abstract scan(): Generator<number, void, Buffer>

  /** Passes over bytes before those that are yielded next. */
  protected skip(bytes: number): void {
    this.#skipped += bytes
  }

  push(chunk: Buffer): void {
    this.#scan ??= this.scan()
    let at = 0
    while (!this.hasEnded && !this.isComplete && !this.hasTooManyParts) {
      const skipped = Math.min(this.#skipped, chunk.length - at)
      this.#skipped -= skipped
      at += skipped
      const end = at + this.#wanted - this.#partial.length
      if (this.#skipped > 0 || end > chunk.length) {
        this.#partial = Buffer.concat([this.#partial, chunk.subarray(at)])
        return
      }
      const part = chunk.subarray(at, end)
      const bytes = this.#partial.length > 0 ? Buffer.concat([this.#partial, part]) : part
      const { value, done } = this.#scan.next(bytes)
      this.#wanted = value ?? 0
      this.hasEnded = done === true
      this.#partial = NOTHING
      at = end
    }
  }

  end(): void {}
}
