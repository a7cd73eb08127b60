/** A file with its picture and profile and nothing else, and the EXIF that was cut out of it. */
export interface StrippedImage {
  bytes: Buffer
  exif: Buffer | undefined
}

/** The bytes without these parts, which are in order; themselves when there are none. */
export function removeRanges(bytes: Buffer, parts: { start: number; end: number }[]): Buffer {
  if (parts.length === 0) return bytes
  const starts = [0, ...parts.map(({ end }) => end)]
  return Buffer.concat(starts.map((start, index) => bytes.subarray(start, parts[index]?.start)))
}
