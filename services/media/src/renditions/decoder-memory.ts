import type { Format } from '@skyfolio/proto'
import sharp, { type Metadata } from 'sharp'

/** Bytes that a decoder may take while another photo is processed beside it. */
const SHARED_BYTES = 256 * 1024 * 1024

const SAMPLE_BYTES: Record<string, number> = { uchar: 1, char: 1, ushort: 2, short: 2, double: 8, complex: 8 }

/** About how many bytes the decoder holds of a picture at once. Most are read row by row and need next to nothing. */
function decoderBytes(format: Format, { width, height, channels, depth, isProgressive, pageHeight }: Metadata): number {
  const samples = width * (pageHeight ?? height) * channels
  // All coefficients, in two bytes each, until the last scan was read.
  if (format === 'jpg') return isProgressive ? samples * 2 : 0
  if (format === 'png') return isProgressive ? samples * (SAMPLE_BYTES[depth] ?? 4) : 0
  // A frame as it was and as it becomes.
  if (format === 'gif') return width * height * 8
  // As if it were written in one strip.
  return samples * (SAMPLE_BYTES[depth] ?? 4)
}

/**
 * Whether decoding a picture without metadata takes so much memory that it must go on alone. What cannot be told at all
 * will soon fail.
 */
export async function needsMuchMemory(bytes: Buffer, format: Format): Promise<boolean> {
  if (format === 'bmp') return true
  const metadata = await sharp(bytes, { limitInputPixels: false })
    .metadata()
    .catch(() => null)
  return metadata !== null && decoderBytes(format, metadata) > SHARED_BYTES
}
