/** In pixels. */
export interface ImageSize {
  width: number
  height: number
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
