import { BmpScanner } from './bmp-scanner.ts'
import { GifScanner } from './gif-scanner.ts'
import type { ImageScanner } from './image-scanner.ts'
import { JpegScanner } from './jpeg-scanner.ts'
import { PngScanner } from './png-scanner.ts'
import { readTiffHeader } from './tiff-directory.ts'

/** The format of a file by its first bytes. TIFF and DNG differ in their directories only, see tiff-structure.ts. */
export type DetectedFormat = ScannedFormat | 'tif'

/** A format whose files a scanner reads from their start to their end. */
export type ScannedFormat = 'jpg' | 'png' | 'gif' | 'bmp'

/** Number of bytes that `detectFormat` needs. */
export const HEAD_BYTES = 18

/** The format of a file by its first bytes (fewer only when the file is shorter); null when it is not an accepted one. */
export function detectFormat(head: Buffer): DetectedFormat | null {
  if (JpegScanner.matches(head)) return 'jpg'
  if (PngScanner.matches(head)) return 'png'
  if (GifScanner.matches(head)) return 'gif'
  if (BmpScanner.matches(head)) return 'bmp'
  return readTiffHeader(head) ? 'tif' : null
}

/** The scanner for a file's chunks; null for TIFF, whose directories may be at the end of the file. */
export function createScanner(kind: ScannedFormat): ImageScanner
export function createScanner(kind: DetectedFormat): ImageScanner | null
export function createScanner(kind: DetectedFormat): ImageScanner | null {
  if (kind === 'jpg') return new JpegScanner()
  if (kind === 'png') return new PngScanner()
  if (kind === 'gif') return new GifScanner()
  return kind === 'bmp' ? new BmpScanner() : null
}
