import type { ByteSource } from '../formats/byte-source.ts'
import { findEntry, readTagIntegers, readTiffDirectory, type TiffHeader } from '../formats/tiff-directory.ts'

const EXIF_DIRECTORY = 34665
const INTEROP_DIRECTORY = 40965
const INTEROP_INDEX = 1
const COLOR_SPACE = 40961
/** Not in the EXIF standard; some cameras write it. */
const COLOR_SPACE_ADOBE_RGB = 2

/**
 * Whether EXIF below the directory at `start` says that the colours are Adobe RGB: by the interoperability index R03 (DCF 2.0), or by
 * `ColorSpace` where the index does not say otherwise.
 */
export async function isAdobeRgb(source: ByteSource, header: TiffHeader, start: number): Promise<boolean> {
  async function below(parent: number, tag: number) {
    const [at] = await readTagIntegers(source, header, await readTiffDirectory(source, header, parent), tag, 1)
    return at
  }

  const exif = await below(start, EXIF_DIRECTORY)
  if (exif === undefined) return false
  const interop = await below(exif, INTEROP_DIRECTORY)
  const index = interop === undefined ? '' : await readInteropIndex(source, header, interop)
  return index === 'R03' || (index !== 'R98' && (await below(exif, COLOR_SPACE)) === COLOR_SPACE_ADOBE_RGB)
}

async function readInteropIndex(source: ByteSource, header: TiffHeader, start: number): Promise<string> {
  const entry = findEntry(await readTiffDirectory(source, header, start), INTEROP_INDEX)
  return entry ? (await source.read(entry.valuesAt, Math.min(entry.count, 3))).toString('latin1') : ''
}

/** The colorants as XYZ under D50, and the exponent: Adobe RGB (1998) Color Image Encoding, sections 4.3.4 and B.3. */
const COLORANTS = {
  rXYZ: [0.60974, 0.31111, 0.01947],
  gXYZ: [0.20528, 0.62567, 0.06087],
  bXYZ: [0.14919, 0.06322, 0.74457],
}
const D50 = [0.9642, 1, 0.8249]
const GAMMA = 563 / 256

/** An ICC profile (version 2.4, three colorants and a curve) of Adobe RGB. */
export const ADOBE_RGB_PROFILE = profile([
  ['desc', description('Adobe RGB (1998) compatible')],
  ['wtpt', xyz(D50)],
  ...Object.entries(COLORANTS).map(([name, values]): Tag => [name, xyz(values)]),
  ...['rTRC', 'gTRC', 'bTRC'].map((name): Tag => [name, curve(GAMMA)]),
])

type Tag = [name: string, value: Buffer]

function profile(tags: Tag[]): Buffer {
  const header = Buffer.alloc(128)
  const table = Buffer.alloc(4 + tags.length * 12)
  table.writeUInt32BE(tags.length, 0)
  let size = header.length + table.length
  for (const [index, [name, value]] of tags.entries()) {
    table.write(name, 4 + index * 12, 'latin1')
    table.writeUInt32BE(size, 8 + index * 12)
    table.writeUInt32BE(value.length, 12 + index * 12)
    size += value.length
  }
  header.writeUInt32BE(size, 0)
  header.writeUInt32BE(0x02400000, 8)
  header.write('mntrRGB XYZ ', 12, 'latin1')
  header.write('acsp', 36, 'latin1')
  writeFixed(header, 68, D50)
  return Buffer.concat([header, table, ...tags.map(([, value]) => value)])
}

function typed(type: string, bytes: number): Buffer {
  const value = Buffer.alloc(8 + Math.ceil(bytes / 4) * 4)
  value.write(type, 'latin1')
  return value
}

function writeFixed(bytes: Buffer, at: number, values: number[]): void {
  for (const [index, value] of values.entries()) bytes.writeInt32BE(Math.round(value * 65_536), at + index * 4)
}

function xyz(values: number[]): Buffer {
  const value = typed('XYZ ', 12)
  writeFixed(value, 8, values)
  return value
}

function curve(gamma: number): Buffer {
  const value = typed('curv', 6)
  value.writeUInt32BE(1, 8)
  value.writeUInt16BE(Math.round(gamma * 256), 12)
  return value
}

/** With the empty Unicode and Macintosh names that version 2 demands. */
function description(name: string): Buffer {
  const value = typed('desc', 4 + name.length + 1 + 78)
  value.writeUInt32BE(name.length + 1, 8)
  value.write(name, 12, 'latin1')
  return value
}
