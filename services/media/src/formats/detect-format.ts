import { BmpScanner } from './bmp-scanner.ts'
import { GifScanner } from './gif-scanner.ts'
import type { ImageScanner } from './image-scanner.ts'
import { JpegScanner } from './jpeg-scanner.ts'
import { PngScanner } from './png-scanner.ts'
import { readTiffHeader } from './tiff-directory.ts'

/** What a file is by its first bytes. TIFF and DNG are told apart by their directories, see tiff.ts. */
export type DetectedFormat = 'jpg' | 'png' | 'gif' | 'bmp' | 'tif'

/** As many first bytes as `recognise` looks at. */
export const HEAD_BYTES = 18

/** Tells a file by its first bytes (fewer only when the file has no more). Null when it is nothing that is accepted. */
export function detectFormat(head: Buffer): DetectedFormat | null {
  if (JpegScanner.matches(head)) return 'jpg'
  if (PngScanner.matches(head)) return 'png'
  if (GifScanner.matches(head)) return 'gif'
  if (BmpScanner.matches(head)) return 'bmp'
  return readTiffHeader(head) ? 'tif' : null
}

/** The scanner for the passing bytes of a file; null for TIFF, whose structure may stand at its end. */
export function createScanner(kind: DetectedFormat): ImageScanner | null {
  if (kind === 'jpg') return new JpegScanner()
  if (kind === 'png') return new PngScanner()
  if (kind === 'gif') return new GifScanner()
  return kind === 'bmp' ? new BmpScanner() : null
}
