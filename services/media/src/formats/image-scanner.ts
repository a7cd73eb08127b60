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

/** An image of so many pixels is decoded in half a second, whatever its bytes. */
const FREE_PIXELS = 50_000_000
/** Of larger images. */
const MAX_PIXELS_PER_BYTE = 10_000
/** Pixels times scans of a progressive JPEG: 13 scans of the largest image. Encoders write up to 12. */
export const MAX_SCANNED_PIXELS = 4_000_000_000

/**
 * Why decoding an image costs far more than its bytes, if so: it is large and written in very many scans, or very large in
 * very few bytes. Honest files stay below; see the README.
 */
export function findDecodingExcess(bytes: number, pixels: number, scans: number): 'scans' | 'pixels' | null {
  if (pixels * scans > MAX_SCANNED_PIXELS) return 'scans'
  return pixels > FREE_PIXELS && pixels > bytes * MAX_PIXELS_PER_BYTE ? 'pixels' : null
}
