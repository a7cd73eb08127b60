import { setImmediate } from 'node:timers/promises'
import type { ByteSource } from '../formats/byte-source.ts'
import { findDecodingExcess, MAX_SCANNED_PIXELS } from '../formats/decoding-cost.ts'
import type { ImageSize } from '../formats/image-scanner.ts'
import { JpegScanner } from '../formats/jpeg-scanner.ts'
import type { EmbeddedJpeg } from '../formats/tiff-structure.ts'
import { MAX_IN_MEMORY_BYTES } from './original.ts'

const BYTES_PER_TURN = 65_536

/**
 * The camera's previews in a DNG, one after the other, so that a smaller one replaces a damaged one. Without those whose
 * decoding costs too much, as of other JPEGs; all together cost at most what one photo may.
 */
export async function* readPreviews(
  source: ByteSource,
  previews: EmbeddedJpeg[],
): AsyncGenerator<ImageSize & { bytes: Buffer }> {
  let remainingBytes = MAX_IN_MEMORY_BYTES
  let remainingPixels = MAX_SCANNED_PIXELS
  for (const { start, length, width, height } of previews) {
    if (length > remainingBytes) continue
    remainingBytes -= length
    const bytes = await source.read(start, length)
    const scans = await countScans(bytes)
    const pixels = width * height
    if (findDecodingExcess(length, pixels, scans) || pixels * scans > remainingPixels) continue
    remainingPixels -= pixels * scans
    yield { bytes, width, height }
  }
}

/** How often a decoder goes over all pixels. Other work of the process goes on meanwhile. */
async function countScans(bytes: Buffer): Promise<number> {
  const scanner = new JpegScanner()
  for (let at = 0; at < bytes.length && !scanner.isComplete && !scanner.hasOneScan; at += BYTES_PER_TURN) {
    scanner.push(bytes.subarray(at, at + BYTES_PER_TURN))
    await setImmediate()
  }
  return scanner.hasTooManyParts ? Number.POSITIVE_INFINITY : scanner.scans
}
