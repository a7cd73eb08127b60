import { Readable } from 'node:stream'
import type { ImageSize } from '../formats/image-scanner.ts'
import { readTiff } from '../formats/tiff-structure.ts'
import type { RenderLimiter } from '../limits.ts'
import { needsMuchMemory } from './decoder-memory.ts'
import { readPreviews } from './dng-previews.ts'
import { renderPrintIsolated } from './isolated-renderer.ts'
import type { Original } from './original.ts'
import { NotPrintableError, type PrintTarget, planPrint } from './print-plan.ts'
import { DamagedImageError, type RenderOptions } from './render-image.ts'
import type { PrintResult } from './render-print.ts'
import { stripMetadata } from './strip-metadata.ts'

interface PrintOptions {
  userId: number
  alone: boolean
}

export interface PrintRenderer {
  /**
   * Renders an original of any format of a user; `alone` when an earlier attempt failed.
   * @throws NotPrintableError with a sentence for the user; DamagedImageError when the original cannot be decoded,
   * RenderAbortedError when decoding killed its process or took too long
   */
  render(original: Original, target: PrintTarget, options: PrintOptions): Promise<PrintResult>
}

/** Of the pixels of a print on each side, those that the preview of a DNG must have: 200 dpi instead of 300. */
const ENOUGH_OF_PREVIEW = 2 / 3

/**
 * Renders every print image in an isolated process, so that a decoder that crashes ends nothing else; see
 * docs/decisions/0020-print-images.md.
 */
export function createPrintRenderer(limiter: RenderLimiter, maxPixels: number): PrintRenderer {
  async function renderBytes(
    bytes: Buffer,
    options: RenderOptions,
    print: PrintTarget,
    { userId, alone }: PrintOptions,
  ) {
    const isolated = () => renderPrintIsolated(Readable.from([bytes]), { ...options, size: bytes.length, print: print })
    if (alone) return limiter.alone(userId, isolated)
    const stripped = await stripMetadata(bytes, options)
    const needsAll = await needsMuchMemory(stripped.bytes, options.format)
    return needsAll ? limiter.alone(userId, isolated) : limiter.print(isolated)
  }

  async function renderDng({ source }: Original, target: PrintTarget, how: PrintOptions): Promise<PrintResult> {
    const { orientation, previews } = await readTiff(source)
    for await (const { bytes, width, height } of readPreviews(source, previews)) {
      requireEnoughPixels(orientation > 4 ? { width: height, height: width } : { width, height }, target)
      try {
        return await renderBytes(bytes, { format: 'jpg', maxPixels, orientation }, target, how)
      } catch (error) {
        // A smaller preview may be intact.
        if (!(error instanceof DamagedImageError)) throw error
      }
    }
    throw new NotPrintableError('This DNG has no preview that could be printed. Please upload the photo as a JPEG.')
  }

  return {
    async render(original, target, how) {
      const { format, bytes, source } = original
      if (format === 'dng') return renderDng(original, target, how)
      if (bytes) return renderBytes(bytes, { format, maxPixels }, target, how)
      return limiter.alone(how.userId, async () =>
        renderPrintIsolated(await original.stream(), { format, maxPixels, size: source.size, print: target }),
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
