import type { Format } from '@skyfolio/proto'
import sharp, { type Metadata } from 'sharp'

/** Bytes that a decoder may use while other photos are processed. */
const SHARED_BYTES = 256 * 1024 * 1024

const SAMPLE_BYTES: Record<string, number> = { uchar: 1, char: 1, ushort: 2, short: 2, double: 8, complex: 8 }

/**
 * Whether decoding an image without metadata needs so much memory that nothing else may run at the same time. An image that
 * cannot be identified fails soon.
 */
export async function needsMuchMemory(bytes: Buffer, format: Format): Promise<boolean> {
  if (format === 'bmp') return true
  const metadata = await sharp(bytes, { limitInputPixels: false })
    .metadata()
    .catch(() => null)
  return metadata !== null && decoderBytes(format, metadata) > SHARED_BYTES
}

/** Estimated memory of the decoder. Most images are decoded row by row and need next to nothing. */
function decoderBytes(format: Format, { width, height, channels, depth, isProgressive, pageHeight }: Metadata): number {
  const samples = width * (pageHeight ?? height) * channels
  // All coefficients, two bytes each, until the last scan is read.
  if (format === 'jpg') return isProgressive ? samples * 2 : 0
  if (format === 'png') return isProgressive ? samples * (SAMPLE_BYTES[depth] ?? 4) : 0
  // The previous frame and the current one.
  if (format === 'gif') return width * height * 8
  // As if it were written in one strip.
  return samples * (SAMPLE_BYTES[depth] ?? 4)
}
