/** An image of so many pixels is decoded in half a second, whatever its bytes. */
const FREE_PIXELS = 50_000_000
/** Of larger images. */
const MAX_PIXELS_PER_BYTE = 10_000
/** Pixels times scans of a progressive JPEG: 13 scans of the largest image. Encoders write up to 12. */
export const MAX_SCANNED_PIXELS = 4_000_000_000
/**
 * Bytes of all bands of a TIFF that is shown by its bands: 200 megapixels of 32 bits. A decoder may hold them twice, all of a single strip
 * and those that are shown.
 */
export const MAX_BAND_BYTES = 800_000_000
/** Of one decoding. */
export const DECODE_SECONDS = 60

/**
 * Why decoding an image costs far more than its bytes, if so: it is large and written in very many scans, or very large in
 * very few bytes. Honest files stay below; see the README.
 */
export function findDecodingExcess(bytes: number, pixels: number, scans: number): 'scans' | 'pixels' | null {
  if (pixels * scans > MAX_SCANNED_PIXELS) return 'scans'
  return pixels > FREE_PIXELS && pixels > bytes * MAX_PIXELS_PER_BYTE ? 'pixels' : null
}
