import sharp, { type SharpOptions } from 'sharp'
import { bufferSource } from '../formats/byte-source.ts'
import { DECODE_SECONDS, MAX_BAND_BYTES } from '../formats/decoding-cost.ts'
import {
  findEntry,
  readTagIntegers,
  readTiffDirectory,
  readTiffHeader,
  type TiffDirectory,
  type TiffHeader,
} from '../formats/tiff-directory.ts'
import { NO_DATA, shortEntry, withDirectory } from './strip-tiff.ts'

/** The image cannot be shown, although it is not damaged; the message is a sentence for the user. */
export class UnsupportedImageError extends Error {
  override name = 'UnsupportedImageError'
}

/** Pixels of 8 bits, and what they do not show of the TIFF: a sentence for the user. */
export interface TiffPicture {
  data: Buffer
  raw: { width: number; height: number; channels: 1 | 2 | 3 | 4 }
  note: string | null
}

/**
 * Makes a picture of a TIFF without metadata (see strip-tiff.ts) that the decoder would not show as it is meant: measured values, bands
 * that are no colours, an empty alpha channel. Null for all others, which are decoded as any image.
 * @throws UnsupportedImageError; the error of the decoder
 */
export async function openTiff(bytes: Buffer, options: SharpOptions): Promise<TiffPicture | null> {
  const layout = await readTiffLayout(bytes)
  if (!layout) return null
  requireSupported(layout)
  const isShownByBands =
    hasMeasurements(layout) || (mayHaveMeasurements(layout) && (await isDark(bytes, layout, options)))
  if (isShownByBands) {
    requireBounded(layout)
    return showBands(bytes, layout, options)
  }
  const isEmptyAlpha = alphaBand(layout) >= colourCount(layout) && (await isTransparent(bytes, options))
  return isEmptyAlpha || hasSelection(layout) ? showOpaque(bytes, layout, options) : null
}

/** How the image of a TIFF is stored. */
interface TiffLayout {
  header: TiffHeader
  directory: TiffDirectory
  width: number
  height: number
  compression: number
  predictor: number
  photometric: number
  /** Of a pixel; their number, and the bits and the format of each. */
  samples: number
  bits: number
  hasEqualBits: boolean
  format: number
  isPlanar: boolean
  /** What samples beside the colours are. */
  extra: number[]
  hasProfile: boolean
  noData: number | null
}

const TAG = {
  width: 256,
  height: 257,
  bits: 258,
  compression: 259,
  photometric: 262,
  samples: 277,
  planar: 284,
  predictor: 317,
  extra: 338,
  format: 339,
  profile: 34675,
} as const
const FORMAT = { unsigned: 1, signed: 2, float: 3, complex: 5, complexFloat: 6 } as const
const WHITE_IS_ZERO = 0
const BLACK_IS_ZERO = 1
const RGB = 2
const SEPARATE_PLANES = 2
/** Associated and unassociated. */
const ALPHA = [1, 2]
/** More samples of a pixel than any picture has: CMYK with alpha has five. */
const MAX_SAMPLES = 4096
const NO_DATA_BYTES = 64

/** @returns null for bytes that are no TIFF */
export async function readTiffLayout(bytes: Buffer): Promise<TiffLayout | null> {
  const header = readTiffHeader(bytes)
  if (!header) return null
  const source = bufferSource(bytes)
  const directory = await readTiffDirectory(source, header, header.firstDirectory)
  const values = (tag: number) => readTagIntegers(source, header, directory, tag, MAX_SAMPLES)
  const value = async (tag: number, otherwise: number) => (await values(tag))[0] ?? otherwise
  const bits = await values(TAG.bits)
  const samples = await value(TAG.samples, 1)
  const noData = findEntry(directory, NO_DATA)
  const text =
    noData && bytes.toString('latin1', noData.valuesAt, noData.valuesAt + Math.min(noData.count, NO_DATA_BYTES))
  return {
    header,
    directory,
    width: await value(TAG.width, 0),
    height: await value(TAG.height, 0),
    compression: await value(TAG.compression, 1),
    predictor: await value(TAG.predictor, 1),
    photometric: await value(TAG.photometric, samples < 3 ? BLACK_IS_ZERO : RGB),
    samples,
    bits: bits[0] ?? 1,
    hasEqualBits: bits.every((one) => one === bits[0]),
    format: await value(TAG.format, FORMAT.unsigned),
    isPlanar: (await value(TAG.planar, 1)) === SEPARATE_PLANES,
    extra: await values(TAG.extra),
    hasProfile: findEntry(directory, TAG.profile) !== undefined,
    // As it is among numbers of 32 bits.
    noData: text?.trim() ? Math.fround(Number.parseFloat(text)) : null,
  }
}

/** None, CCITT, LZW, JPEG, Deflate, PackBits, NeXT, ThunderScan, SGI Log, WebP: those of the libtiff in sharp. */
const COMPRESSIONS = [1, 2, 3, 4, 5, 7, 8, 32766, 32771, 32773, 32809, 32946, 34676, 34677, 50001]
const BITS = [1, 2, 4, 8, 16, 32]
/** Without bands that are left out. */
const MAX_CHANNELS = 5

/** @throws UnsupportedImageError */
function requireSupported(layout: TiffLayout): void {
  const { compression, bits, hasEqualBits, format, samples, photometric } = layout
  if (!COMPRESSIONS.includes(compression)) fail(`its compression (${compression}) is not supported`)
  if (!hasEqualBits) fail('its bands have different numbers of bits')
  if (format === FORMAT.complex || format === FORMAT.complexFloat) fail('its values are complex numbers')
  if (bits === 64 ? !isReadableDouble(layout) : !BITS.includes(bits) || (bits === 16 && format === FORMAT.float)) {
    fail(
      `${format === FORMAT.float ? 'floating-point' : 'whole'} numbers of ${bits} bits stored like this are not supported`,
    )
  }
  if (photometric > RGB && samples > MAX_CHANNELS) fail(`it has ${samples} bands`)
  if (hasMeasurements(layout) && bits < 8) fail(`its bands have only ${bits} bits`)
}

/** @throws UnsupportedImageError */
function requireBounded(layout: TiffLayout): void {
  const { samples, bits } = layout
  if (bandBytes(layout) <= MAX_BAND_BYTES) return
  fail(`${samples > 1 ? `its ${samples} bands` : 'its values'} of ${bits} bits are too large together`)
}

function fail(why: string): never {
  throw new UnsupportedImageError(`This TIFF cannot be shown: ${why}. The original file is kept.`)
}

/** They are decoded as pairs of numbers of 32 bits: not in separate planes, nor as differences. */
function isReadableDouble({ format, predictor, samples, isPlanar }: TiffLayout): boolean {
  return format === FORMAT.float && predictor === 1 && (samples === 1 || !isPlanar)
}

function bandBytes({ width, height, samples, bits }: TiffLayout): number {
  return (width * height * samples * bits) / 8
}

function colourCount({ photometric }: TiffLayout): number {
  return photometric === RGB ? 3 : 1
}

/** The index of the alpha channel; -1 without. */
function alphaBand({ samples, extra }: TiffLayout): number {
  const at = extra.findIndex((kind) => ALPHA.includes(kind))
  return at < 0 ? -1 : samples - extra.length + at
}

/** Whether a fourth sample of colours with a profile is no alpha: editors save selections so. */
function hasSelection(layout: TiffLayout): boolean {
  const { photometric, samples, bits, format, hasProfile } = layout
  const areColours = photometric === RGB && hasProfile && format === FORMAT.unsigned && (bits === 8 || bits === 16)
  return areColours && samples === 4 && alphaBand(layout) < 0
}

/** Whether the samples are not just grey or red, green and blue of a photograph, with alpha or without. */
function hasMeasurements(layout: TiffLayout): boolean {
  const { photometric, samples, bits, format } = layout
  if (photometric > RGB || hasSelection(layout)) return false
  const colours = colourCount(layout)
  const pictureSamples = alphaBand(layout) === colours ? colours + 1 : colours
  return bits > 16 || format === FORMAT.signed || format === FORMAT.float || samples > pictureSamples
}

/** Whether an image is shown by its bands, or is so if it is dark: both take much memory. */
export function mayHaveMeasurements(layout: TiffLayout): boolean {
  const { photometric, bits, hasProfile } = layout
  // Who gives an image a profile looks at it.
  return hasMeasurements(layout) || (bits === 16 && photometric <= RGB && !hasProfile)
}

const SAMPLED_SIDE = 1024

/** Pixels spread over the image. The decoder goes over all of it. */
function sampled(bytes: Buffer, options: SharpOptions) {
  const bounds = { width: SAMPLED_SIDE, height: SAMPLED_SIDE, fit: 'inside', withoutEnlargement: true } as const
  return sharp(bytes, options)
    .timeout({ seconds: DECODE_SECONDS })
    .resize({ ...bounds, kernel: 'nearest' })
}

/** Whether an image of 16 bits uses so little of their range that it would be black, or of one grey. */
async function isDark(bytes: Buffer, layout: TiffLayout, options: SharpOptions): Promise<boolean> {
  const space = layout.photometric === RGB ? 'rgb16' : 'grey16'
  const { data, info } = await sampled(bytes, options)
    .toColourspace(space)
    .raw({ depth: 'ushort' })
    .toBuffer({ resolveWithObject: true })
  const values = new Uint16Array(data.buffer, data.byteOffset, data.length / 2)
  return Array.from({ length: colourCount(layout) }, (_, band) =>
    rangeOf(
      values.filter((_value, index) => index % info.channels === band),
      layout.noData,
      null,
    ),
  ).every(isNarrow)
}

async function isTransparent(bytes: Buffer, options: SharpOptions): Promise<boolean> {
  return isEmpty(await sampled(bytes, options).extractChannel('alpha').raw({ depth: 'uchar' }).toBuffer())
}

function isEmpty(values: Uint8Array): boolean {
  return values.every((value) => value === 0)
}

/**
 * The picture without its alpha channel. Resized with it, its colours would be lost; so would they be if they were divided by it.
 */
async function showOpaque(
  bytes: Buffer,
  { header, directory, bits, hasProfile }: TiffLayout,
  options: SharpOptions,
): Promise<TiffPicture> {
  const entries = new Map(directory.entries.map(({ tag, raw }) => [tag, raw]))
  entries.delete(TAG.extra)
  const image = sharp(withDirectory(bytes, header, entries), options).timeout({ seconds: DECODE_SECONDS })
  // As toSrgb in render-image.ts: images of 16 bits with a profile would end in Display P3.
  const inSrgb = hasProfile && bits === 16 ? image.withIccProfile('srgb') : image
  const pixels = inSrgb.removeAlpha().toColourspace('srgb').raw({ depth: 'uchar' })
  const { data, info } = await pixels.toBuffer({ resolveWithObject: true })
  const { width, height } = info
  return { data, raw: { width, height, channels: info.channels as 1 | 3 }, note: null }
}

type Values = Uint8Array | Int8Array | Uint16Array | Int16Array | Uint32Array | Int32Array | Float32Array

/** Only so many samples of a pixel can be told from each other: see `extractChannel` of sharp. */
const READABLE_SAMPLES = 5

/** The bands that are shown: the first three or one, as those of 64 bits are two samples each. Without the alpha channel. */
function shownBands({ samples, bits }: TiffLayout, alphaAt: number): number[] {
  const bands = Array.from({ length: samples }, (_, index) => index).filter((index) => index !== alphaAt)
  return bands.slice(0, bands.length < 3 || bits === 64 ? 1 : 3)
}

/** The shown bands, each stretched to what can be seen unless they are of 8 bits or as bright as a photograph. */
async function showBands(bytes: Buffer, layout: TiffLayout, options: SharpOptions): Promise<TiffPicture> {
  const { width, height, bits, format, photometric, samples, noData } = layout
  const relabelled = relabel(bytes, layout)
  const alphaAt = alphaBand(layout)
  const isReadable = alphaAt >= 0 && alphaAt < READABLE_SAMPLES && bits < 64
  const opacity = isReadable ? await readBand(relabelled, layout, alphaAt, options) : null
  const alpha = opacity?.some((value) => value !== 0) ? opacity : null
  const shown = shownBands(layout, alphaAt)
  const bands: Values[] = []
  for (const index of shown) bands.push(await readBand(relabelled, layout, index, options))

  const ranges = bands.map((band) => rangeOf(band, noData, alpha))
  const isUnsigned = format !== FORMAT.signed && format !== FORMAT.float
  const isStretched = !(isUnsigned && (bits === 8 || (bits === 16 && !ranges.every(isNarrow))))
  const channels = (shown.length + (alpha ? 1 : 0)) as 1 | 2 | 3 | 4
  const data = new Uint8ClampedArray(width * height * channels)
  for (const [index, band] of bands.entries()) {
    const range = ranges[index] as Range
    const [low, high] = isStretched ? [range.low, range.high] : [0, 2 ** bits - 1]
    const [black, white] = photometric === WHITE_IS_ZERO ? [high, low] : [low, high]
    fill(data, index, channels, band, { black, white, missing: isStretched ? range.missing : new Set() })
  }
  if (alpha)
    fill(data, shown.length, channels, alpha, { black: 0, white: isUnsigned ? 2 ** bits - 1 : 1, missing: new Set() })
  const note = describe(shown.length, samples - (alphaAt < 0 ? 0 : 1), isStretched)
  return { data: Buffer.from(data.buffer), raw: { width, height, channels }, note }
}

const STRETCHED =
  'The values of this TIFF are stretched so that they can be seen: its picture and prints do not have the brightness and colours of the file.'

function describe(shown: number, bands: number, isStretched: boolean): string | null {
  const which = shown === 1 ? 'the first is' : 'the first three are'
  const left = bands > shown ? [`This TIFF has ${bands} bands, of which only ${which} shown.`] : []
  return [...left, ...(isStretched ? [STRETCHED] : [])].join(' ') || null
}

/**
 * The TIFF as one of bands without a meaning, which the decoder passes on bit by bit, instead of converting colours or clipping negative
 * values. A number of 64 bits, which it cannot read, becomes two of 32.
 */
function relabel(bytes: Buffer, { header, directory, bits, samples, format }: TiffLayout): Buffer {
  const entries = new Map(directory.entries.map(({ tag, raw }) => [tag, raw]))
  for (const tag of [TAG.extra, TAG.profile, NO_DATA]) entries.delete(tag)
  const isFloat = bits === 32 && format === FORMAT.float
  const changed: [number, number][] = [
    [TAG.photometric, BLACK_IS_ZERO],
    [TAG.bits, Math.min(bits, 32)],
    [TAG.samples, bits === 64 ? samples * 2 : samples],
    [TAG.format, isFloat ? FORMAT.float : FORMAT.unsigned],
  ]
  for (const [tag, value] of changed) entries.set(tag, shortEntry(header, tag, value))
  return withDirectory(bytes, header, entries)
}

async function readBand(relabelled: Buffer, layout: TiffLayout, index: number, options: SharpOptions): Promise<Values> {
  const { header, bits, format } = layout
  // Of a number of 64 bits the half with the exponent, which has a precision of a millionth.
  const band = bits === 64 ? index * 2 + (header.littleEndian ? 1 : 0) : index
  const isFloat = bits === 32 && format === FORMAT.float
  const depth = isFloat ? 'float' : bits === 8 ? 'uchar' : bits === 16 ? 'ushort' : 'uint'
  const { buffer, byteOffset, length } = await sharp(relabelled, { ...options, limitInputChannels: false })
    .timeout({ seconds: DECODE_SECONDS })
    .toColourspace(bits === 16 ? 'grey16' : 'b-w')
    .extractChannel(band as 0)
    .raw({ depth })
    .toBuffer()
  const isSigned = format === FORMAT.signed
  if (bits === 8) return new (isSigned ? Int8Array : Uint8Array)(buffer, byteOffset, length)
  if (bits === 16) return new (isSigned ? Int16Array : Uint16Array)(buffer, byteOffset, length / 2)
  if (isFloat) return new Float32Array(buffer, byteOffset, length / 4)
  if (bits === 32) return new (isSigned ? Int32Array : Uint32Array)(buffer, byteOffset, length / 4)
  return fromHighHalves(new Uint32Array(buffer, byteOffset, length / 4))
}

function fromHighHalves(halves: Uint32Array): Float32Array {
  const double = new DataView(new ArrayBuffer(8))
  return Float32Array.from(halves, (half) => {
    double.setUint32(0, half)
    return double.getFloat64(0)
  })
}

interface Range {
  /** All values but the lowest and highest of a hundred are between. */
  low: number
  high: number
  /** As a part of the 65,536 values of 16 bits: between the extremes. */
  used: number
  /** Values that stand for none. */
  missing: Set<number>
}

const MAX_SAMPLED = 1_000_000
/** Pixels without a value often have the lowest or highest number that the format has. */
const LARGEST = 1e30
const STRETCHED_PERCENT = 2
const USED_PERCENT = 0.5
const NARROW = 1 / 8
/** From an extreme to the next value, as a part of the range of all others, from which on it stands for none. */
const GAP_BELOW = 0.1
/** Shown black like the lowest values, a high one would be missed more. */
const GAP_ABOVE = 1

/**
 * The range that values are stretched to, as maps of measurements are shown: from their 2nd to their 98th percentile. Values that stand
 * for none are left out: what the file says, what is no number, and an extreme far from all others.
 */
function rangeOf(band: Values, noData: number | null, alpha: Values | null): Range {
  const values = sample(band, noData, alpha)
  const missing = new Set<number>(noData === null ? [] : [noData])
  const gap = (from: number, to: number) => (values[to] ?? 0) - (values[from] ?? 0)
  let [from, to] = [0, values.length - 1]
  const second = values.findIndex((value) => value > (values[from] ?? 0))
  if (second > from && second < to && gap(from, second) > gap(second, to) * GAP_BELOW) {
    missing.add(values[from] as number)
    from = second
  }
  const last = values.findLastIndex((value) => value < (values[to] ?? 0))
  if (last > from && gap(last, to) > gap(from, last) * GAP_ABOVE) {
    missing.add(values[to] as number)
    to = last
  }
  const at = (percent: number) => values[Math.round(from + ((to - from) * percent) / 100)] ?? 0
  return {
    low: at(STRETCHED_PERCENT),
    high: at(100 - STRETCHED_PERCENT),
    used: (at(100 - USED_PERCENT) - at(USED_PERCENT)) / 65_536,
    missing,
  }
}

function isNarrow({ used }: Range): boolean {
  return used < NARROW
}

/** At most a million values, in order. Neither rows nor columns of the image are preferred. */
function sample(band: Values, noData: number | null, alpha: Values | null): Float64Array {
  const step = Math.max(1, Math.floor(band.length / MAX_SAMPLED))
  const values = new Float64Array(Math.ceil(band.length / step))
  let count = 0
  for (let start = 0; start < band.length; start += step) {
    const index = Math.min(start + ((start * 7919) % step), band.length - 1)
    const value = band[index] as number
    if (!(Math.abs(value) < LARGEST) || value === noData || alpha?.[index] === 0) continue
    values[count] = value
    count += 1
  }
  return values.subarray(0, count).sort()
}

interface Scale {
  black: number
  white: number
  missing: Set<number>
}

/** Writes a band into a picture. Pixels without a value are black. */
function fill(
  data: Uint8ClampedArray,
  at: number,
  channels: number,
  band: Values,
  { black, white, missing }: Scale,
): void {
  // One value everywhere becomes grey.
  const factor = black === white ? 0 : 255 / (white - black)
  const base = black === white ? 128 : -black * factor
  const isMissing = (value: number) => !(Math.abs(value) < LARGEST) || (missing.size > 0 && missing.has(value))
  for (let index = 0, to = at; index < band.length; index += 1, to += channels) {
    const value = band[index] as number
    data[to] = isMissing(value) ? 0 : value * factor + base
  }
}
