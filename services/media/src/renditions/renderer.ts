import { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { within } from '@skyfolio/kit'
import type { Format } from '@skyfolio/proto'
import sharp, { type Metadata } from 'sharp'
import type { ByteSource } from '../formats/byte-source.ts'
import { findDecodingExcess, MAX_SCANNED_PIXELS } from '../formats/decoding-cost.ts'
import { type ImageSize, turnedSize } from '../formats/image-scanner.ts'
import { JpegScanner } from '../formats/jpeg-scanner.ts'
import { type EmbeddedJpeg, readTiff } from '../formats/tiff-structure.ts'
import type { RenderLimiter } from '../limits.ts'
import { renderIsolated } from './isolated-renderer.ts'
import { MAX_IN_MEMORY_BYTES, type Original } from './original.ts'
import { NotPrintableError, type PrintTarget, planPrint } from './print-plan.ts'
import {
  DamagedImageError,
  type RenderOptions,
  type RenderResult,
  type Rendition,
  renderImage,
} from './render-image.ts'
import type { PrintResult } from './render-print.ts'
import { stripMetadata } from './strip-metadata.ts'
import { mayHaveMeasurements, readTiffLayout } from './tiff-picture.ts'

/** Renditions of a photo; those of a DNG are made of the camera's preview, if it has one. */
export type Renditions = Pick<RenderResult, 'width' | 'height' | 'note'> & {
  [name in Rendition | 'thumbhash']: RenderResult[name] | null
}

/** Without a picture for cards, which show a placeholder. */
const NO_CARD = { small: null, thumbnail: null, medium: null, thumbhash: null }

/** Who renders, and whether an earlier attempt failed, may have killed a worker or took too long. */
interface How {
  userId: number
  alone: boolean
}

export type Renderer = ReturnType<typeof createRenderer>
export type PrintRenderer = ReturnType<typeof createPrintRenderer>

/** Longer than rendering an image that needs little memory takes, also on a busy machine. */
const TIMEOUT_MS = 90_000

/**
 * Renders as many photos at the same time as `limiter` allows; images that need much memory are rendered alone, in an
 * isolated process. Rendering in this process that takes longer than `timeoutMs` is abandoned and no longer counts; the next
 * attempt is isolated, in a process that can be killed.
 */
export function createRenderer(limiter: RenderLimiter, maxPixels: number, timeoutMs = TIMEOUT_MS) {
  const late = () => new Error(`rendering took longer than ${timeoutMs} ms`)

  async function renderBytes(original: Buffer, { userId, alone }: How, options: RenderOptions): Promise<RenderResult> {
    if (!alone) {
      const stripped = await stripMetadata(original, options)
      if (!(await within(timeoutMs, needsMuchMemory(stripped.bytes, options.format), late)))
        return limiter.photo(userId, () => within(timeoutMs, renderImage(stripped.bytes, stripped.options), late))
    }
    return limiter.alone(userId, () => renderIsolated(Readable.from([original]), { ...options, size: original.length }))
  }

  async function renderDng(original: Original, how: How): Promise<Renditions> {
    const { width, height, orientation, previews } = await readTiff(original.source)
    const size = turnedSize({ width, height }, orientation)
    const rendered = await firstIntact(original, previews, (bytes) =>
      renderBytes(bytes, how, { format: 'jpg', maxPixels, orientation }),
    )
    const note = rendered && noteOfPreview(rendered)
    // The size is that of the raw image, which is what matters to the photographer.
    if (rendered && note === null) return { ...rendered, ...size }
    // Cards would enlarge a thumbnail.
    return { ...size, ...NO_CARD, preview: rendered?.preview ?? null, note }
  }

  return {
    /**
     * Renders an original of any format.
     * @throws DamagedImageError when the original cannot be decoded, UnsupportedImageError when nothing here can decode it,
     * RenderAbortedError when decoding must not be attempted again
     */
    async render(original: Original, how: How): Promise<Renditions> {
      const { format, bytes, source } = original
      if (format === 'dng') return renderDng(original, how)
      if (bytes) return renderBytes(bytes, how, { format, maxPixels })
      return limiter.alone(how.userId, async () =>
        renderIsolated<RenderResult>(await original.stream(), { format, maxPixels, size: source.size }),
      )
    },
  }
}

/** Pixels of a side below which a preview is a thumbnail: no smaller photo is accepted by default. */
const SMALLEST_PREVIEW = 300

function noteOfPreview({ width, height }: ImageSize): string | null {
  if (Math.min(width, height) >= SMALLEST_PREVIEW) return null
  return `This DNG has only a preview of ${width} × ${height} pixels. It is shown in its own size, and downloads in web size contain it.`
}

/** Of the pixels of a print on each side, those that the preview of a DNG must have: 200 dpi instead of 300. */
const ENOUGH_OF_PREVIEW = 2 / 3

/**
 * Renders every print image in an isolated process, so that a decoder that crashes ends nothing else; see
 * docs/decisions/0020-print-images.md.
 */
export function createPrintRenderer(limiter: RenderLimiter, maxPixels: number) {
  async function renderBytes(bytes: Buffer, options: RenderOptions, print: PrintTarget, { userId, alone }: How) {
    const isolated = () =>
      renderIsolated<PrintResult>(Readable.from([bytes]), { ...options, size: bytes.length, print })
    if (alone) return limiter.alone(userId, isolated)
    const stripped = await stripMetadata(bytes, options)
    const needsAll = await needsMuchMemory(stripped.bytes, options.format)
    return needsAll ? limiter.alone(userId, isolated) : limiter.print(isolated)
  }

  async function renderDng(original: Original, target: PrintTarget, how: How): Promise<PrintResult> {
    const { orientation, previews } = await readTiff(original.source)
    const rendered = await firstIntact(original, previews, (bytes, size) => {
      requireEnoughPixels(turnedSize(size, orientation), target)
      return renderBytes(bytes, { format: 'jpg', maxPixels, orientation }, target, how)
    })
    if (rendered) return rendered
    throw new NotPrintableError('This DNG has no preview that could be printed. Please upload the photo as a JPEG.')
  }

  return {
    /**
     * Renders an original of any format for a print or a proof.
     * @throws NotPrintableError, UnsupportedImageError with a sentence for the user; DamagedImageError when the original cannot be decoded,
     * RenderAbortedError when decoding killed its process or took too long
     */
    async render(original: Original, target: PrintTarget, how: How): Promise<PrintResult> {
      const { format, bytes, source } = original
      if (format === 'dng') return renderDng(original, target, how)
      if (bytes) return renderBytes(bytes, { format, maxPixels }, target, how)
      return limiter.alone(how.userId, async () =>
        renderIsolated<PrintResult>(await original.stream(), { format, maxPixels, size: source.size, print: target }),
      )
    },
  }
}

/** A proof for the screen needs no more pixels than there are. @throws NotPrintableError */
function requireEnoughPixels(upright: ImageSize, target: PrintTarget): void {
  if (target.kind === 'whole') return
  const { region } = planPrint(upright, target)
  const long = Math.max(region.width, region.height)
  const short = Math.min(region.width, region.height)
  if (long >= target.longSide * ENOUGH_OF_PREVIEW && short >= target.shortSide * ENOUGH_OF_PREVIEW) return
  throw new NotPrintableError(
    'The preview in this DNG has too few pixels for a print of this size. Please upload the photo as a JPEG.',
  )
}

/** What `render` makes of the largest of a DNG's previews that is not damaged; null when there is none. */
async function firstIntact<Result>(
  { source }: Original,
  previews: EmbeddedJpeg[],
  render: (bytes: Buffer, size: ImageSize) => Promise<Result>,
): Promise<Result | null> {
  for await (const { bytes, ...size } of readPreviews(source, previews)) {
    try {
      return await render(bytes, size)
    } catch (error) {
      if (!(error instanceof DamagedImageError)) throw error
    }
  }
  return null
}

const BYTES_PER_TURN = 65_536

/**
 * The camera's previews in a DNG, one after the other, so that a smaller one replaces a damaged one. Without those whose
 * decoding costs too much, as of other JPEGs; all together cost at most what one photo may.
 */
async function* readPreviews(
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

/** Bytes that a decoder may use while other photos are processed. */
const SHARED_BYTES = 256 * 1024 * 1024

const SAMPLE_BYTES: Record<string, number> = { uchar: 1, char: 1, ushort: 2, short: 2, double: 8, complex: 8 }

/**
 * Whether decoding an image without metadata needs so much memory that nothing else may run at the same time. An image that
 * cannot be identified fails soon.
 */
export async function needsMuchMemory(bytes: Buffer, format: Format): Promise<boolean> {
  if (format === 'bmp') return true
  const layout = format === 'tif' ? await readTiffLayout(bytes) : null
  if (layout && mayHaveMeasurements(layout)) return true
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
