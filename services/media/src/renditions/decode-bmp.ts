import { BmpScanner, MAX_BMP_PIXELS } from '../formats/bmp-scanner.ts'

export interface RawImage {
  data: Buffer
  width: number
  height: number
  channels: 3 | 4
}

/**
 * Decodes a BMP, which sharp cannot read: every depth, both row orders, run lengths.
 * @throws when it is damaged, or has more pixels than may be held in memory
 */
export async function decodeBmp(bytes: Buffer): Promise<RawImage> {
  const scanner = new BmpScanner()
  scanner.push(bytes)
  const { width, height } = scanner.size ?? { width: 0, height: 0 }
  const pixels = width * height
  if (pixels === 0 || pixels > MAX_BMP_PIXELS) throw new Error(`a BMP of ${width} x ${height} pixels`)
  // Loaded on demand: BMPs are rare, and rendered in an isolated process.
  const { Transformer } = await import('@napi-rs/image')
  const data = await new Transformer(bytes).rawPixels()
  const channels = data.length / pixels
  if (channels !== 3 && channels !== 4) throw new Error(`a BMP of ${channels} channels`)
  return { data, width, height, channels }
}
