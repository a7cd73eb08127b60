/** Pixels. */
export interface ImageSize {
  width: number
  height: number
}

/**
 * Reads the structure of a picture as its bytes pass by, in constant memory. It never fails, whatever the bytes, and
 * how they are cut makes no difference.
 */
export interface ImageScanner {
  /** Null until the header told it. */
  readonly size: ImageSize | null
  /** Whether there is a picture and its end came; final after `end`. */
  readonly complete: boolean
  /** Takes the next bytes of the file. */
  push(chunk: Buffer): void
  /** Call it after the last bytes. */
  end(): void
}
