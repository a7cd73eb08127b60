/** A file with nothing but image and colour profile, and the EXIF that was removed from it. */
export interface StrippedImage {
  bytes: Buffer
  exif: Buffer | undefined
}

/** The bytes without these ranges, which are in order; the same buffer when there are none. */
export function removeRanges(bytes: Buffer, ranges: { start: number; end: number }[]): Buffer {
  if (ranges.length === 0) return bytes
  const starts = [0, ...ranges.map(({ end }) => end)]
  return Buffer.concat(starts.map((start, index) => bytes.subarray(start, ranges[index]?.start)))
}
