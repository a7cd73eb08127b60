import { BmpScanner } from './bmp.ts'
import { GifScanner } from './gif.ts'
import { JpegScanner } from './jpeg.ts'
import { PngScanner } from './png.ts'
import type { Scanner } from './scanner.ts'
import { readLayout } from './tiff-directory.ts'

/** What a file is by its first bytes. TIFF and DNG are told apart by their directories, see tiff.ts. */
export type Kind = 'jpg' | 'png' | 'gif' | 'bmp' | 'tif'

/** As many first bytes as `recognise` looks at. */
export const HEAD_BYTES = 18

/** Tells a file by its first bytes (fewer only when the file has no more). Null when it is nothing that is accepted. */
export function recognise(head: Buffer): Kind | null {
  if (JpegScanner.begins(head)) return 'jpg'
  if (PngScanner.begins(head)) return 'png'
  if (GifScanner.begins(head)) return 'gif'
  if (BmpScanner.begins(head)) return 'bmp'
  return readLayout(head) ? 'tif' : null
}

/** The scanner for the passing bytes of a file; null for TIFF, whose structure may stand at its end. */
export function newScanner(kind: Kind): Scanner | null {
  if (kind === 'jpg') return new JpegScanner()
  if (kind === 'png') return new PngScanner()
  if (kind === 'gif') return new GifScanner()
  return kind === 'bmp' ? new BmpScanner() : null
}
